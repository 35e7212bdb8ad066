package web

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
	"onlyonce/templates"
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
	must.Thatf(t, first.Code == http.StatusCreated && first.Header().Get("Idempotent-Replayed") == "" && x.decoded == 2,
		"%d %v %s, decoded %d times", first.Code, first.Header(), first.Body, x.decoded)
	header := maps.Clone(first.Header())
	header["Idempotent-Replayed"] = []string{"true"}
	same := func(what string, got *httptest.ResponseRecorder, decoded int) {
		t.Helper()
		header.Set("X-Request-ID", got.Header().Get("X-Request-ID")) // each request has its own
		if got.Code != first.Code || got.Body.String() != first.Body.String() || !maps.EqualFunc(got.Header(), header, slices.Equal) {
			t.Errorf("%s: %d %v %s", what, got.Code, got.Header(), got.Body)
		}
		assert.Thatf(t, x.decoded == decoded, "%s: decoded %d times, not %d", what, x.decoded, decoded)
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
		assert.Thatf(t, w.Code == c.want && w.Header().Get("Idempotent-Replayed") == "", "%s: %d %v %s", what, w.Code, w.Header(), w.Body)
	}
}

// TestExportThatFailsLater checks that a file isn't ended if a later page can't be read, and that a first page that fails is no file.
func TestExportThatFailsLater(t *testing.T) {
	t.Parallel()
	m := resource{s: &Server{Config: Config{Log: slog.New(slog.DiscardHandler)}}, many: "things"}
	pages := 0 // that can be read
	export := m.exporting(Listing[Entity]{
		Headings: []string{"name"}, Cells: func(Entity) []string { return []string{"cell"} },
		Read: func(_ *http.Request, page record.Page) (list record.List[Entity], err error) {
			if pages == 0 {
				return list, errors.New("the database is gone")
			}
			pages--
			return record.List[Entity]{Rows: []Entity{nil}, After: record.Key{"", page.From[1] + "1"}}, nil
		},
	}, "")
	ask := func(readable int) (file string, aborted, err error) {
		pages = readable
		w := httptest.NewRecorder()
		defer func() {
			file = w.Body.String()
			aborted, _ = recover().(error)
		}()
		return "", nil, export(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/things/csv", http.NoBody))
	}
	if file, aborted, err := ask(2); file != "name"+strings.Repeat("\r\ncell", 2)+"\r\n" || !errors.Is(aborted, http.ErrAbortHandler) {
		t.Errorf("%q, %v, %v", file, err, aborted)
	}
	if file, aborted, err := ask(0); file != "" || err == nil || aborted != nil {
		t.Errorf("%q, %v, %v", file, err, aborted)
	}
}

// TestCSVComputesNothing checks that a spreadsheet gets no formula, and that numbers stay numbers.
func TestCSVComputesNothing(t *testing.T) {
	t.Parallel()
	var file strings.Builder
	err := writeCSV(&file, [][]string{
		{"name", "net"}, {"=1+1", "-12.50"}, {"+353 1", "0"}, {"-1-2", "-"}, {"@x", "\ty"}, {"＝A1", "a=b"}, {"Ada, \"the\nfirst\"", ""},
	})
	const want = "name,net\r\n'=1+1,-12.50\r\n'+353 1,0\r\n'-1-2,-\r\n'@x,'\ty\r\n'＝A1,a=b\r\n\"Ada, \"\"the\r\nfirst\"\"\",\r\n"
	assert.Thatf(t, err == nil && file.String() == want, "%q, want %q: %v", file.String(), want, err)
}

// TestDecimalsAsPeopleWriteThem: a form may have separators in decimals. What can be two numbers, or is no number, stays.
func TestDecimalsAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	type input struct {
		Price  string `json:"price" format:"decimal"`
		Weight string `json:"weight" format:"number"`
		Width  string `json:"width" format:"number"`
		Name   string `json:"name"`
	}
	set := fieldsInto(reflect.TypeFor[input](), []templates.Field{{Name: "price"}, {Name: "weight"}, {Name: "width"}, {Name: "name"}})
	var got input
	form := url.Values{"price": {"1.250,00"}, "weight": {"2,5"}, "width": {"1,250"}, "name": {"Suite 1,5"}}
	set(reflect.ValueOf(&got).Elem(), &http.Request{PostForm: form})
	want := (input{Price: "1250.00", Weight: "2.5", Width: "1,250", Name: "Suite 1,5"})
	assert.Thatf(t, got == want, "got %+v, want %+v", got, want)
}
