package app_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

const createHead = "POST /api/v1/customers HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer oo_demo_acme\r\n" +
	"Content-Type: application/json\r\nIdempotency-Key: framing\r\n"

func chunked() string { return fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(ada), ada) }

func sized() string {
	return fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", createHead, len(ada), ada)
}

// TestTwoLengthsAreRefused checks that a request with two lengths, which may be two requests to a proxy, is refused, and that nothing
// behind it on the connection is read.
func TestTwoLengthsAreRefused(t *testing.T) {
	b := setup(t)
	const behind = "GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n"
	for name, sent := range map[string][]string{
		"length first": {createHead + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked() + behind},
		"length last":  {createHead + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n" + chunked() + behind},
		"the right one": {
			createHead + fmt.Sprintf("Content-Length: %d\r\n", len(chunked())) + "Transfer-Encoding: chunked\r\n\r\n" + chunked() + behind,
		},
		"other spelling":  {createHead + "cONTENT-lENGTH:4\nTransfer-encoding: Chunked\r\n\r\n" + chunked() + behind},
		"in small pieces": strings.SplitAfter(createHead+"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"+chunked()+behind, "n"),
		"behind another":  {sized(), createHead + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked() + behind},
		"pipelined":       {sized() + createHead + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked() + behind},
	} {
		conn := b.dial()
		for _, part := range sent {
			fmt.Fprint(conn, part)
		}
		answers := answersOn(conn)
		want := "400"
		if strings.HasPrefix(sent[0], sized()) {
			want = "201 400"
		}
		assert.Thatf(t, answers == want, "%s: answered %s, want %s", name, answers, want)
	}
	n := b.Number(`SELECT count(*) FROM customers WHERE email = 'ada@example.com'`)
	assert.Thatf(t, n == 1, "%d customers, want the one that was sent in good order", n)

	conn := b.dial()
	fmt.Fprint(conn, createHead+"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n")
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	must.OK(t, err)
	response.Body.Close()
	logged := b.Lines("refused a request that a proxy may have read in another way")
	id, reason := response.Header.Get("X-Request-ID"), "both Content-Length and Transfer-Encoding"
	if last := logged[len(logged)-1]; len(logged) != 8 || id == "" || last["request_id"] != id || last["reason"] != reason {
		t.Errorf("%d are logged, the last one of %q as %v", len(logged), id, last)
	}
}

// TestOneLengthIsTaken checks each way to send one length, on one connection.
func TestOneLengthIsTaken(t *testing.T) {
	b := setup(t)
	conn := b.dial()
	in := bufio.NewReader(conn)
	for range 2 {
		for sent, want := range map[string]int{
			sized(): http.StatusCreated,
			createHead + "Transfer-Encoding: chunked\r\n\r\n" + chunked(): http.StatusCreated,
			"GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n":                 http.StatusOK,
		} {
			fmt.Fprint(conn, sent)
			response, err := http.ReadResponse(in, nil)
			must.OK(t, err)
			if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != want {
				t.Errorf("%.40q: %s, %v", sent, response.Status, err)
			}
		}
	}
}

// TestFoldedHeadersAreRefused checks that a folded header line is refused: it may be a part of the key.
func TestFoldedHeadersAreRefused(t *testing.T) {
	b := setup(t)
	const behind = "GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n"
	fold := func(with string) string {
		return strings.Replace(sized(), "Idempotency-Key: framing\r\n", "Idempotency-Key: folded"+with, 1) + behind
	}
	pretty := strings.ReplaceAll(ada, ",", ",\n\n \t") // lines of a body that begin with a space, and empty ones
	inOrder := createHead + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(pretty), pretty)
	chunkedInOrder := createHead + fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(pretty), pretty)
	for name, c := range map[string]struct{ sent, want string }{
		"a space":        {fold("\r\n x\r\n"), "400"},
		"a tab":          {fold("\r\n\tx\r\n"), "400"},
		"no return":      {fold("\n x\n"), "400"},
		"nothing behind": {fold("\r\n \r\n"), "400"},
		"the last one":   {strings.Replace(fold("\r\n"), "\r\n\r\n", "\r\n x\r\n\r\n", 1), "400"},
		"on a GET":       {"GET /healthz HTTP/1.1\r\nHost: test\r\nAccept: a\r\n b\r\n\r\n" + behind, "400"},
		"behind others":  {behind + inOrder + chunkedInOrder + behind + fold("\r\n x\r\n"), "200 201 201 200 400"},
		"only bodies":    {inOrder + chunkedInOrder + inOrder + chunkedInOrder, "201 201 201 201"},
		"a chunked one": {
			strings.Replace(chunkedInOrder, "framing\r\n", "folded\r\n x\r\n", 1) + behind, "400",
		},
		"in the first line": {"GET /healthz HTTP/1.1\r\n x: y\r\nHost: test\r\n\r\n" + behind, "400"},
	} {
		for _, pieces := range [][]string{{c.sent}, strings.SplitAfter(c.sent, "\n"), strings.Split(c.sent, "")} {
			conn := b.dial()
			for _, piece := range pieces {
				fmt.Fprint(conn, piece)
			}
			if err := conn.CloseWrite(); err != nil && !strings.HasSuffix(c.want, "400") { // the app may have closed the connection before
				t.Error(err)
			}
			got := answersOn(conn)
			assert.Thatf(t, got == c.want, "%s, in %d pieces: answered %q, want %q", name, len(pieces), got, c.want)
		}
	}
	n := b.Number(`SELECT count(*) FROM intents WHERE key LIKE 'folded%'`)
	assert.Thatf(t, n == 0, "%d intents with a folded key", n)
}

func (b *bundle) dial() *net.TCPConn {
	b.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(b.URL(), "http://"))
	must.OK(b, err)
	b.Cleanup(func() { conn.Close() })
	must.OK(b, conn.SetDeadline(time.Now().Add(30*time.Second)))
	return conn.(*net.TCPConn)
}

// answersOn returns the status codes of all answers until the connection ends.
func answersOn(conn io.Reader) string {
	var codes []string
	for in := bufio.NewReader(conn); ; {
		response, err := http.ReadResponse(in, nil)
		if err != nil {
			return strings.Join(codes, " ")
		}
		_, _ = io.Copy(io.Discard, response.Body)
		codes = append(codes, fmt.Sprint(response.StatusCode))
	}
}
