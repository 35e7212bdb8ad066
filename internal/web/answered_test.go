package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

// TestEveryAnswerIsTold checks that each answer has an ID, which its body repeats if it has one, and that Observe gets the route's pattern
// and a method from a short list.
func TestEveryAnswerIsTold(t *testing.T) {
	t.Parallel()
	var told Answered
	s := answering(t, func(_ context.Context, a Answered) { told = a })
	for _, want := range []struct {
		asked, method, route string
		status               int
		crowded              bool
	}{
		{"GET /healthz", "GET", "/healthz", 200, false},
		{"HEAD /healthz", "HEAD", "/healthz", 200, false},
		{"GET /static/app.css", "GET", "/static", 404, false},
		{"GET /docs/api", "GET", "/docs/api", 200, false},
		{"GET /problems/busy", "GET", "/problems/{slug}", 200, false},
		{"GET /nowhere", "GET", "unmatched", 404, false},
		{"GET /somewhere/else", "GET", "unmatched", 404, false},
		{"BREW /login", "other", "unmatched", 405, false},
		{"PUT /login", "PUT", "unmatched", 405, false},
		{"GET /customers/1", "GET", "/customers/{id}", 303, false},
		{"POST /api/v1/customers", "POST", "/api/v1", 401, false},
		{"GET /api/v1/nowhere", "GET", "/api/v1", 401, false},
		{"GET /login", "GET", "/login", 503, true},
		{"POST /api/v1/customers", "POST", "/api/v1", 503, true},
		{"GET /" + strings.Repeat("x", 9000), "GET", "unmatched", 414, false},
	} {
		must.Thatf(t, !want.crowded || s.requests.TryAcquire(requestsAtOnce), "there are fewer places")
		method, path, _ := strings.Cut(want.asked, " ")
		w := httptest.NewRecorder()
		s.Handler.ServeHTTP(w, httptest.NewRequest(method, path, nil))
		if want.crowded {
			s.requests.Release(requestsAtOnce)
		}
		id := w.Header().Get("X-Request-ID")
		assert.Thatf(t, id != "" && told.ID == id && told.Bytes == w.Body.Len() && told.Status == w.Code && told.Duration > 0,
			"%.40s: told %+v of %d with id %q and %d bytes", want.asked, told, w.Code, id, w.Body.Len())
		assert.Thatf(t, told.Method == want.method && told.Route == want.route && told.Status == want.status,
			"%.40s: %s %s %d", want.asked, told.Method, told.Route, told.Status)
		assert.Thatf(t, !strings.Contains(w.Body.String(), "equest ID") || strings.Contains(w.Body.String(), id),
			"%.40s: another id than %s in %s", want.asked, id, w.Body)
	}
	n := s.InFlight()
	assert.Thatf(t, n == 0, "%d are in flight", n)
}

// TestOnlyProxiesNameRequests checks that only a short, plain ID from a trusted proxy is kept.
func TestOnlyProxiesNameRequests(t *testing.T) {
	t.Parallel()
	s := answering(t, nil)
	const proxy, stranger = "10.0.0.7:1234", "192.0.2.1:1234"
	for _, c := range []struct {
		from  string
		given []string
		kept  bool
	}{
		{proxy, []string{"6f1c2f5e-6c0e-4b7e-9d39-0a0d6f9f7c11"}, true},
		{"[::ffff:10.0.0.7]:1234", []string{"a.b_c-D9"}, true},
		{proxy, []string{strings.Repeat("x", 64)}, true},
		{proxy, []string{strings.Repeat("x", 65)}, false},
		{proxy, []string{"a b"}, false},
		{proxy, []string{"a\nb"}, false},
		{proxy, []string{`<script>"`}, false},
		{proxy, []string{""}, false},
		{proxy, []string{"a", "b"}, false},
		{stranger, []string{"6f1c2f5e-6c0e-4b7e-9d39-0a0d6f9f7c11"}, false},
		{"", []string{"abc"}, false},
	} {
		r := httptest.NewRequest(http.MethodGet, "/healthz", nil)
		r.RemoteAddr, r.Header["X-Request-Id"] = c.from, c.given
		w := httptest.NewRecorder()
		s.Handler.ServeHTTP(w, r)
		id := w.Header().Get("X-Request-ID")
		assert.Thatf(t, (id == c.given[0]) == c.kept && id != "", "%.70q from %s became %.70q", c.given, c.from, id)
	}
}

// nobody makes a site to which nobody can log in.
func nobody(s *Site) {
	s.Authenticate(Logins{Session: func(_ http.ResponseWriter, r *http.Request) (*http.Request, error) {
		return WithCaller(r, Caller{}), nil
	}})
}

// answering returns a server of customers, behind proxies at 10.0.0.0/8.
func answering(t *testing.T, observe func(context.Context, Answered)) *Server {
	t.Helper()
	s, err := New(Config{
		Log: slog.New(slog.DiscardHandler), Observe: observe, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
		Mount: func(s *Site) {
			nobody(s)
			s.Public().Read("/login", func(http.ResponseWriter, *http.Request) error { return nil })
			m := Resource[customer.Customer]{One: "customer", Path: "/customers", Table: customer.Table}.Mount(s)
			Show(m, RecordPage[customer.Customer]{})
			Transition(m, "archive", "archived", "", customer.Archive, Nothing())
		},
	})
	must.OK(t, err)
	return s
}

// TestPathWriter checks that only paths in attributes get the prefix, also if a page is written in pieces.
func TestPathWriter(t *testing.T) {
	t.Parallel()
	const page = `<a href="/">x</a><a class="a" href="/b?c=/d">/e</a><form action="/f"><input value="/typed"><button formaction="/g">>` +
		`</form><p title="/h" data-copy="/i" data-form-url="/j">&#34; href=&#34;/k&#34;</p><a href="//l"></a><a href="#m"></a>` +
		`<img src="/n"><a href="https://o/"></a> href="/p`
	const want = `<a href="/b/c/">x</a><a class="a" href="/b/c/b?c=/d">/e</a><form action="/b/c/f"><input value="/typed">` +
		`<button formaction="/b/c/g">></form><p title="/h" data-copy="/i" data-form-url="/b/c/j">&#34; href=&#34;/k&#34;</p>` +
		`<a href="//l"></a><a href="#m"></a><img src="/b/c/n"><a href="https://o/"></a> href="/b/c/p`
	for _, size := range []int{1, 2, 3, 7, 50, len(page)} {
		var got strings.Builder
		w := &pathWriter{to: &got, path: "/b/c"}
		for rest := page; rest != ""; {
			n := min(size, len(rest))
			written, err := w.Write([]byte(rest[:n]))
			must.Thatf(t, written == n && err == nil, "%v %v", written, err)
			rest = rest[n:]
		}
		if err := w.write(len(w.held)); err != nil || got.String() != want {
			t.Errorf("in pieces of %d: %v\n%s\n%s", size, err, got.String(), want)
		}
	}
}

// TestConnectionThatIsClosedIsDown: a connection may have been closed already when a request comes to use it.
func TestConnectionThatIsClosedIsDown(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), pgtest.New(t).URL)
	must.OK(t, err)
	must.OK(t, conn.Close(t.Context()))
	var batch pgx.Batch
	batch.Queue("SELECT 1")
	if err := conn.SendBatch(t.Context(), &batch).Close(); !isDatabaseDown(err) {
		t.Errorf("%v is an error of the app", err)
	}
}

// TestStandbyIsDown: in a failover a connection may lead to a server that accepts no writes, yet or any more.
func TestStandbyIsDown(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), pgtest.New(t).URL+"&default_transaction_read_only=on")
	must.OK(t, err)
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), "DELETE FROM sessions"); !isDatabaseDown(err) {
		t.Errorf("%v is an error of the app", err)
	}
}
