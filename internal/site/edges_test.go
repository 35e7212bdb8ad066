package site_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
)

// TestHalfClosed: a client that closes its half of the connection after a request gets its answer, also if it does so while the
// request runs.
func TestHalfClosed(t *testing.T) {
	b := setup(t)
	person := b.Person(b.Replica, b.Acme)
	const encoded = "Content-Type: application/x-www-form-urlencoded\r\n"
	cookie := "Cookie: " + sitetest.SessionCookie + "=" + person.Session() + "\r\n"
	token := "Authorization: Bearer " + b.Acme.Token + "\r\nContent-Type: application/json\r\n"
	body := customercases.Customers().API.Encode(customercases.Customers().Command)
	// Unlike the other customer, so that neither is a likely repeat.
	form := sitetest.Change(customercases.Customers().Other, "idempotency_key", "form", "tax_id", "").Encode()
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
			conn := send(b, "%s\r\nHost: test\r\n\r\n%s", head, body)
			must.OK(t, conn.CloseWrite())
			if answered := readAnswer(t, conn); !strings.Contains(answered, " "+c.want+" ") {
				t.Errorf("%s: %.300s", name, answered)
				break
			}
		}
	}
	b.WantRows(sitetest.Rows{"customers": 2, "intents": 2})
}

// TestHalfClosedWhileItRuns: the client's half is closed while the create waits in the database.
func TestHalfClosedWhileItRuns(t *testing.T) {
	b := setup(t)
	release := b.HoldIntent("customer.upsert")
	body := customercases.Customers().API.Encode(customercases.Customers().Command)
	conn := send(b, "POST /api/v1/customers HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nIdempotency-Key: %s\r\n%s", b.Acme.Token, sitetest.Key, length(body))
	b.Waiting(1)
	must.OK(t, conn.CloseWrite())
	release()
	answered := readAnswer(t, conn)
	assert.Thatf(t, strings.Contains(answered, " 201 "), "%.300s", answered)
	b.WantOutcomes("created")
}

// length returns the end of a head, and the body.
func length(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

// send sends text on a new connection.
func send(b *sitetest.Bundle, format string, args ...any) *net.TCPConn {
	b.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(b.URL, "http://"))
	must.OK(b, err)
	b.Cleanup(func() { conn.Close() })
	_, err = fmt.Fprintf(conn, format, args...)
	must.OK(b, err)
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
	assert.Thatf(t, err == nil, "%v", err)
	return fmt.Sprint(response.Proto, " ", response.Status, " \n", string(body))
}

// Behavior of a single format, and behavior that both formats must share.

// TestQuotedKeyIsTheSame: the draft standard quotes keys, most programs do not.
func TestQuotedKeyIsTheSame(t *testing.T) {
	b := setup(t)
	x := b.Case(customercases.Customers(), sitetest.JSON{})
	first := x.Ask(x.Command)
	again := x.Under(`"`+sitetest.Key+`"`, x.Command)
	x.Format.Replayed(x, again, first)
}

// TestForbidden: a form on another site can't post here, and uses up no key. TestRefusedRequestsChangeNothing checks this for
// each operation.
func TestForbidden(t *testing.T) {
	x := setup(t).Case(customercases.Customers(), sitetest.HTML{})
	x.Format.Refused(x, x.AskAs(x.Caller.With("Sec-Fetch-Site", "cross-site"), x.Command), "forbidden", nil)
	x.Format.Refused(x, x.AskAs(x.Caller.With("Sec-Fetch-Site", "same-site"), x.Command), "forbidden", nil)
	old := x.Caller.With("Origin", "https://elsewhere.example")
	old.Header.Del("Sec-Fetch-Site") // browsers before 2023 don't send it
	x.Format.Refused(x, x.AskAs(old, x.Command), "forbidden", nil)
	x.WantRows(sitetest.Rows{})
	x.Format.Done(x, x.Ask(x.Command))
}
