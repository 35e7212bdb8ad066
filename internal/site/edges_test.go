package site_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// TestHalfClosed: a client that closes its half of the connection after a request gets its answer, also if it does so while the
// request runs.
func TestHalfClosed(t *testing.T) {
	b := setup(t)
	person := b.person(b.replica, b.acme)
	const encoded = "Content-Type: application/x-www-form-urlencoded\r\n"
	cookie := "Cookie: " + sessionCookie + "=" + person.session() + "\r\n"
	token := "Authorization: Bearer " + b.acme.token + "\r\nContent-Type: application/json\r\n"
	body := customers().api.encode(customers().command)
	// Unlike the other customer, so that neither is a likely repeat.
	form := change(customers().other, "idempotency_key", "form", "tax_id", "").Encode()
	for name, c := range map[string]struct {
		request, want string
	}{
		"page":            {"GET /customers HTTP/1.1\r\n" + cookie, "200"},
		"API read":        {"GET /api/v1/customers HTTP/1.1\r\n" + token, "200"},
		"create by form":  {"POST /customers HTTP/1.1\r\n" + encoded + cookie + length(form), "303"},
		"create by JSON":  {"POST /api/v1/customers HTTP/1.1\r\nIdempotency-Key: half\r\n" + token + length(body), "201"},
		"login form":      {"GET /login HTTP/1.0\r\n", "200"},
		"readiness probe": {"GET /readyz HTTP/1.1\r\n", "200"},
	} {
		head, body, _ := strings.Cut(c.request, "\r\n\r\n")
		if !strings.Contains(c.request, "\r\n\r\n") {
			head = strings.TrimSuffix(c.request, "\r\n")
		}
		for range 5 { // the server may notice the end at any time
			conn := b.dial()
			fmt.Fprintf(conn, "%s\r\nHost: test\r\n\r\n%s", head, body)
			if err := conn.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			if answered := readAnswer(t, conn); !strings.Contains(answered, " "+c.want+" ") {
				t.Errorf("%s: %.300s", name, answered)
				break
			}
		}
	}
	b.wantRows(rows{"customers": 2, "intents": 2})
}

// TestHalfClosedWhileItRuns: the client's half is closed while the create waits in the database.
func TestHalfClosedWhileItRuns(t *testing.T) {
	b := setup(t)
	release := b.holdIntent("customer.upsert")
	conn := b.dial()
	body := customers().api.encode(customers().command)
	fmt.Fprintf(conn, "POST /api/v1/customers HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nIdempotency-Key: %s\r\n%s", b.acme.token, key, length(body))
	b.waiting(1)
	if err := conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	release()
	if answered := readAnswer(t, conn); !strings.Contains(answered, " 201 ") {
		t.Errorf("%.300s", answered)
	}
	b.wantOutcomes("created")
}

// length returns the end of a head, and the body.
func length(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

func (b *bundle) dial() *net.TCPConn {
	b.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	return conn.(*net.TCPConn)
}

// readAnswer reads one answer up to its end.
func readAnswer(t *testing.T, conn io.Reader) string {
	t.Helper()
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return err.Error()
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	return fmt.Sprint(response.Proto, " ", response.Status, " \n", string(body))
}
