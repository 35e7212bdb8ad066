package invoice_test

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
)

// A connection pooler in transaction mode doesn't support prepared statements.
func TestThroughAPooler(t *testing.T) {
	b := setup(t)
	u, err := url.Parse(b.DB.URL)
	must.OK(t, err)
	query := u.Query()
	query.Set("default_query_exec_mode", "exec")
	u.RawQuery = query.Encode()
	pool, err := postgres.Open(t.Context(), u.String())
	must.OK(t, err)
	t.Cleanup(pool.Close)
	b.Store.Pool = pool
	for _, key := range []string{"k", "k", "other"} {
		done, err := b.create(key, draft(t, input("")))
		assert.Thatf(t, err == nil && (done.Value.PossibleDuplicateOf != uuid.Nil) == (key == "other"), "%s: %+v, %v", key, done, err)
	}
	if list, err := invoice.List(t.Context(), pool, b.Tenant, invoice.Filter{}, record.Page{Limit: 10}); err != nil || len(list.Rows) != 2 {
		t.Errorf("list: %+v, %v", list, err)
	}
}

func TestUnknownCustomerIsAFieldError(t *testing.T) {
	b := setup(t)
	in := input("")
	in.Customer, in.CustomerID = nil, uuid.NewString()
	_, err := b.create("k", draft(t, in))
	problems, ok := errors.AsType[*invalid.Error](err)
	assert.Thatf(t, ok && problems.Fields[0].Pointer == "/customer_id", "got %v", err)
	in.CustomerID, in.Customer = "", input("").Customer
	if _, err := b.create("k", draft(t, in)); err != nil {
		t.Errorf("the key was used up: %v", err)
	}
}

func TestInvalidInput(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		change  func(*invoice.Input)
		pointer string
	}{
		{"no customer", func(in *invoice.Input) { in.Customer = nil }, "/customer"},
		{"two customers", func(in *invoice.Input) { in.CustomerID = uuid.NewString() }, "/customer_id"},
		{"customer without name", func(in *invoice.Input) { in.Customer.Name = " " }, "/customer/name"},
		{"no date", func(in *invoice.Input) { in.IssueDate = "" }, "/issue_date"},
		{"due before issued", func(in *invoice.Input) { in.DueDate = "2026-11-20" }, "/due_date"},
		{"impossible date", func(in *invoice.Input) { in.DueDate = "2026-02-30" }, "/due_date"},
		{"unknown currency", func(in *invoice.Input) { in.Currency = "EURO" }, "/currency"},
		{"no lines", func(in *invoice.Input) { in.Lines = nil }, "/lines"},
		{"too many lines", func(in *invoice.Input) { in.Lines = slices.Repeat(in.Lines, invoice.MaxLines+1) }, "/lines"},
		{"no description", func(in *invoice.Input) { in.Lines[0].Description = "" }, "/lines/0/description"},
		{"zero quantity", func(in *invoice.Input) { in.Lines[0].Quantity = "0.0" }, "/lines/0/quantity"},
		{"exponent", func(in *invoice.Input) { in.Lines[0].Quantity = "1e9" }, "/lines/0/quantity"},
		{"decimals of the currency", func(in *invoice.Input) { in.Currency = "JPY" }, ""},
		{"too many decimals", func(in *invoice.Input) { in.Lines[0].UnitPrice = "1.0000001" }, "/lines/0/unit_price"},
		{"negative price", func(in *invoice.Input) { in.Lines[0].UnitPrice = "-1" }, "/lines/0/unit_price"},
		{"rate over 100", func(in *invoice.Input) { in.Lines[0].TaxRate = "100.1" }, "/lines/0/tax_rate"},
		{"amount too large", func(in *invoice.Input) {
			in.Lines[0].Quantity, in.Lines[0].UnitPrice = "999999999", "99999999999.99"
		}, "/lines/0/quantity"},
		{"control character in the number", func(in *invoice.Input) { in.Number = "a\x00b" }, "/number"},
		{"endless notes", func(in *invoice.Input) { in.Notes = strings.Repeat("n", invoice.MaxNotes+1) }, "/notes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in := input("")
			c.change(&in)
			_, err := in.Draft()
			problems, _ := errors.AsType[*invalid.Error](err)
			switch {
			case c.pointer == "" && err == nil:
			case problems == nil || len(problems.Fields) != 1 || problems.Fields[0].Pointer != c.pointer:
				t.Errorf("got %v, want one problem at %s", err, c.pointer)
			}
		})
	}
}

// Mistakes are listed in the order of the form, as the summary above it does.
func TestErrorsComeInTheOrderOfTheForm(t *testing.T) {
	t.Parallel()
	_, err := invoice.Input{
		Number: strings.Repeat("9", 41), Customer: &customer.Input{Email: "ada"}, DueDate: "soon", Currency: "EUR",
		Lines: []invoice.LineInput{{}},
		Notes: strings.Repeat("n", 5001),
	}.Draft()
	problems, ok := errors.AsType[*invalid.Error](err)
	must.Thatf(t, ok, "%v", err)
	var got []string
	for _, f := range problems.Fields {
		got = append(got, f.Pointer)
	}
	want := []string{
		"/customer/email", "/customer/name", "/number", "/issue_date", "/due_date",
		"/lines/0/description", "/lines/0/quantity", "/lines/0/unit_price", "/lines/0/tax_rate", "/notes",
	}
	assert.Thatf(t, slices.Equal(got, want), "%q, want %q", got, want)
}

// numberTaken returns the conflict in err if it is about a number that is in use.
func numberTaken(err error) (*conflict.Error, bool) {
	refused, ok := errors.AsType[*conflict.Error](err)
	return refused, ok && refused.Kind == &invoice.NumberTaken
}

func TestMain(m *testing.M) { pgtest.Main(m) }

type bundle struct{ *invoicetest.Bundle }

func setup(t *testing.T) *bundle {
	t.Helper()
	return &bundle{invoicetest.Setup(t)}
}

func (b *bundle) create(key string, d invoice.Draft) (idempotency.Done[invoice.Invoice], error) {
	return invoice.Create.Do(context.Background(), b.Store, b.Intent(key), d)
}

// count returns the number that a query selects.
func (b *bundle) count(sql string, args ...any) int {
	b.Helper()
	return storetest.Value[int](b, sql, args...)
}

// input returns a valid invoice of 123.00 EUR.
func input(number string) invoice.Input {
	return invoice.Input{
		Number:    number,
		Customer:  &customer.Input{Email: "ada@example.com", Name: "Ada Lovelace"},
		IssueDate: "2026-11-21", DueDate: "2026-12-21", Currency: "EUR",
		Lines: []invoice.LineInput{{Description: "Design", Quantity: "2", UnitPrice: "50.00", TaxRate: "23"}},
	}
}

func draft(t testing.TB, in invoice.Input) invoice.Draft {
	t.Helper()
	d, err := in.Draft()
	must.OK(t, err)
	return d
}
