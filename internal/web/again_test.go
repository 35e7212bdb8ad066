package web

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

// repeats is a server with customers that counts how often a command is decoded.
type repeats struct {
	*testing.T

	server  *Server
	store   *idempotency.Store
	decoded int
}

func setupRepeats(t *testing.T) *repeats {
	t.Helper()
	t.Parallel()
	db := pgtest.New(t)
	for _, tenant := range []uuid.UUID{{1}, {2}} {
		must.Exec(t, db.Admin(), `INSERT INTO tenants (id, name) VALUES ($1, $2)`, tenant, tenant.String())
	}
	x := &repeats{T: t, store: &idempotency.Store{Pool: db.Pool, Wait: 5 * time.Second, Timeout: 20 * time.Second}}
	mount := func(s *Site) {
		s.Authenticate(Logins{Token: func(_ context.Context, token string) (Caller, error) {
			tenant, ok := map[string]uuid.UUID{"one": {1}, "another": {1}, "of another tenant": {2}}[token]
			if !ok {
				return Caller{}, ErrUnauthorized
			}
			return Caller{Tenant: tenant, Name: "token " + token, Role: Member}, nil
		}})
		m := Resource[customer.Customer]{One: "customer", Path: "/customers", Table: customer.Table}.Mount(s)
		Create(m, "", customer.Upsert, Command[customer.Draft]{
			JSON: func(r *http.Request) (customer.Draft, error) {
				x.decoded++
				var in customer.Input
				if err := DecodeJSON(r, &in); err != nil {
					return customer.Draft{}, err
				}
				return in.Draft()
			},
			Input: reflect.TypeFor[customer.Input](),
		}, nil)
	}
	var err error
	x.server, err = New(Config{
		Pool: db.Pool, Store: x.store, Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Mount: mount,
	})
	must.OK(t, err)
	return x
}

const ada = `{"email":"ada@example.com","name":"Ada"}`

// ask sends a create, after it was changed as a case wants it.
func (x *repeats) ask(body string, change func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/api/v1/customers", strings.NewReader(body))
	r.Header = http.Header{"Authorization": {"Bearer one"}, "Content-Type": {"application/json"}, "Idempotency-Key": {"k"}}
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	x.server.Handler.ServeHTTP(w, r)
	return w
}

// TestRepeatsByteByByte checks that a retry is answered with the same bytes, whether it is decoded or not, by any process and path. A
// request that differs in a byte is decoded.
func TestRepeatsByteByByte(t *testing.T) {
	x := setupRepeats(t)
	first, second := x.ask(ada, nil), x.ask(ada, nil)
	if first.Code != http.StatusCreated || first.Header().Get("Idempotent-Replayed") != "" || x.decoded != 2 {
		t.Fatalf("%d %v %s, decoded %d times", first.Code, first.Header(), first.Body, x.decoded)
	}
	header := maps.Clone(first.Header())
	header["Idempotent-Replayed"] = []string{"true"}
	same := func(what string, got *httptest.ResponseRecorder, decoded int) {
		t.Helper()
		header.Set("X-Request-ID", got.Header().Get("X-Request-ID")) // each request has its own
		if got.Code != first.Code || got.Body.String() != first.Body.String() || !maps.EqualFunc(got.Header(), header, slices.Equal) {
			t.Errorf("%s: %d %v %s", what, got.Code, got.Header(), got.Body)
		}
		if x.decoded != decoded {
			t.Errorf("%s: decoded %d times, not %d", what, x.decoded, decoded)
		}
	}
	same("from memory", second, 2)
	same("as it was answered before", x.ask(ada, nil), 2)
	x.store.Forget()
	same("from the database", x.ask(ada, nil), 3)
	same("as it was answered then", x.ask(ada, nil), 3)
	for what, c := range map[string]struct {
		body   string
		change func(*http.Request)
	}{
		"other bytes of the body":      {ada + " ", nil},
		"other bytes of the address":   {ada, func(r *http.Request) { r.RequestURI += "?" }},
		"other bytes of a header":      {ada, func(r *http.Request) { r.Header["Content-Type"][0] += "; charset=utf-8" }},
		"another header that counts":   {ada, func(r *http.Request) { r.Header["If-Match"] = []string{`"v1"`} }},
		"another token of the tenant":  {ada, func(r *http.Request) { r.Header["Authorization"] = []string{"Bearer another"} }},
		"a body of unknown length":     {ada, func(r *http.Request) { r.ContentLength = -1 }},
		"a body too large to remember": {ada + strings.Repeat(" ", usualBody), nil},
	} {
		x.ask(ada, nil)
		before := x.decoded
		same(what, x.ask(c.body, c.change), before+1)
	}
}

// TestRepeatsOfOthers checks that a cached answer serves neither another tenant, nor another command, nor a client without a token.
func TestRepeatsOfOthers(t *testing.T) {
	x := setupRepeats(t)
	for range 3 {
		x.ask(ada, nil)
	}
	for what, c := range map[string]struct {
		authorization, body string
		want                int
	}{
		"another tenant":  {"Bearer of another tenant", ada, http.StatusCreated},
		"another command": {"Bearer one", strings.Replace(ada, "Ada", "Eve", 1), http.StatusUnprocessableEntity},
		"another token":   {"Bearer nobody", ada, http.StatusUnauthorized},
		"nobody":          {"", ada, http.StatusUnauthorized},
	} {
		w := x.ask(c.body, func(r *http.Request) { r.Header["Authorization"] = []string{c.authorization} })
		if w.Code != c.want || w.Header().Get("Idempotent-Replayed") != "" {
			t.Errorf("%s: %d %v %s", what, w.Code, w.Header(), w.Body)
		}
	}
}
