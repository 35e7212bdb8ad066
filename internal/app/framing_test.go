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
)

// headers of a create.
const createHead = "POST /api/v1/customers HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer oo_demo_acme\r\n" +
	"Content-Type: application/json\r\nIdempotency-Key: framing\r\n"

func chunked() string { return fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(ada), ada) }

func sized() string {
	return fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", createHead, len(ada), ada)
}

// TestTwoLengthsAreRefused: a request that gives its length in two ways may be two requests to a proxy in
// front. It is refused, and nothing behind it on the connection is read.
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
		if answers != want {
			t.Errorf("%s: answered %s, want %s", name, answers, want)
		}
	}
	if n := b.count(`SELECT count(*) FROM customers WHERE email = 'ada@example.com'`); n != 1 {
		t.Errorf("%d customers, want the one that was sent in good order", n)
	}
}

// TestOneLengthIsTaken, whichever it is, and on the same connection.
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
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != want {
				t.Errorf("%.40q: %s, %v", sent, response.Status, err)
			}
		}
	}
}

func (b *bundle) dial() *net.TCPConn {
	b.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(b.URL(), "http://"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		b.Fatal(err)
	}
	return conn.(*net.TCPConn)
}

func (b *bundle) count(query string) int {
	b.Helper()
	var n int
	if err := b.db.Admin(b.T).QueryRow(b.Context(), query).Scan(&n); err != nil {
		b.Fatal(err)
	}
	return n
}

// answersOn gives the status codes of all answers until the connection ends.
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
