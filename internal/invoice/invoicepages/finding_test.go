package invoicepages_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
)

// found is an invoice in the slow model of a search.
type found struct {
	id, number, state, customer, issued, due string
	paid                                     string // the day of its payment, or ""
	currency                                 string
	total                                    int
	words                                    []string // folded
}

// spellings are words as people type them, with their folded form.
func spellings() map[string]string {
	return map[string]string{
		"Łódź": "lodz", "LODZ": "lodz", "Design": "design", "designer": "designer", "Straße": "strasse", "café": "cafe",
		"Printing": "printing", "ŻÓŁW": "zolw", "Москва": "москва", "2026": "2026",
	}
}

// pastFor creates random customers and invoices of a tenant, in all states, and returns their model.
func pastFor(b *sitetest.Bundle, t sitetest.Tenant, n int) (all []found) {
	b.Helper()
	typed := make([]string, 0, len(spellings()))
	for word := range spellings() {
		typed = append(typed, word)
	}
	slices.Sort(typed)
	random := rand.New(rand.NewPCG(1, 2)) // the same data each time
	pick := func() string { return typed[random.IntN(len(typed))] }
	type person struct {
		id    string
		words []string
	}
	var people []person
	for i := range 4 {
		name := pick()
		p := person{uuid.Must(uuid.NewV7()).String(), []string{spellings()[name], "person" + strconv.Itoa(i), "example", "com"}}
		b.Exec(`INSERT INTO customers (tenant_id, id, email, name) VALUES ($1, $2, $3, $4)`,
			t.ID, p.id, fmt.Sprintf("Person%d@example.com", i), name)
		people = append(people, p)
	}
	for i := range n {
		of := people[random.IntN(len(people))]
		issued := -60 + random.IntN(60)
		due := issued + random.IntN(90)
		f := found{
			id: uuid.Must(uuid.NewV7()).String(), state: []string{"draft", "issued", "partially_paid", "paid", "void"}[random.IntN(5)],
			customer: of.id, issued: day(issued), due: day(due), total: 1 + random.IntN(20),
			currency: []string{"EUR", "JPY", "USD"}[i%3],
			number:   fmt.Sprintf("N-%03d", random.Perm(900)[0]),
		}
		f.number += strconv.Itoa(i)
		first, second := pick(), pick()
		digits := f.number[2:]
		f.words = append([]string{spellings()[first], spellings()[second], "n", digits, strings.TrimLeft(digits, "0")}, of.words...)
		status := map[string]string{"draft": "draft", "void": "void"}[f.state]
		b.Exec(`
			INSERT INTO invoices (tenant_id, id, number, customer_id, currency, issue_date, due_date, notes, subtotal, tax_total, total)
			SELECT $1, $2, $3, $4, $5, $6::date, $7::date, '', $8::bigint, 0, $8`,
			t.ID, f.id, f.number, of.id, f.currency, f.issued, f.due, f.total*2)
		f.total *= 2
		b.Exec(`INSERT INTO invoice_lines (tenant_id, invoice_id, position, description, quantity, unit_price, tax_rate, net)
			VALUES ($1, $2, 1, $3, 1, $4::bigint, 0, $4::bigint)`, t.ID, f.id, "“"+first+"”, "+second+"!", f.total)
		switch cmp.Or(status, "issued") {
		case "void":
			b.Exec(`UPDATE invoices SET status = 'void', voided_at = now() WHERE id = $1`, f.id)
		case "issued":
			b.Exec(`UPDATE invoices SET status = 'issued', issued_at = now(), bill_to = '{}', seller = '{}' WHERE id = $1`, f.id)
		}
		if paid := map[string]int{"partially_paid": 1, "paid": f.total}[f.state]; paid > 0 {
			f.paid = day(-20 * (i % 4))
			b.Exec(`INSERT INTO payments (tenant_id, id, invoice_id, amount, paid_on, method) VALUES ($1, $2, $3, $4, $5::date, 'cash')`,
				t.ID, uuid.New(), f.id, paid, f.paid)
		}
		all = append(all, f)
	}
	return all
}

// day returns the date n days from today.
func day(n int) string { return time.Now().UTC().AddDate(0, 0, n).Format(time.DateOnly) }

// wanted is the slow model of a list: all invoices that match the filters, in order.
func wanted(all []found, query url.Values) (ids []string) {
	var some []found
	today := time.Now().UTC().Format(time.DateOnly)
	for _, f := range all {
		open := f.state == "issued" || f.state == "partially_paid"
		switch status := query.Get("status"); {
		case status == "open" && !open, status == "overdue" && (!open || f.due >= today),
			status != "" && status != "open" && status != "overdue" && f.state != status,
			query.Get("customer_id") != "" && f.customer != query.Get("customer_id"),
			f.issued < query.Get("from"), query.Get("to") != "" && f.issued > query.Get("to"),
			f.paid < query.Get("paid_from"), query.Get("paid_to") != "" && (f.paid == "" || f.paid > query.Get("paid_to")):
			continue
		}
		if !slices.ContainsFunc(strings.Fields(query.Get("q")), func(typed string) bool {
			folded := cmp.Or(spellings()[typed], strings.ToLower(typed))
			return !slices.ContainsFunc(f.words, func(word string) bool { return strings.HasPrefix(word, folded) })
		}) {
			some = append(some, f)
		}
	}
	slices.SortFunc(some, func(a, b found) int {
		switch query.Get("sort") {
		case "oldest":
			return cmp.Or(cmp.Compare(a.issued, b.issued), cmp.Compare(a.id, b.id))
		case "due":
			return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.id, b.id))
		case "number":
			return cmp.Or(cmp.Compare(a.issued[:4], b.issued[:4]), cmp.Compare(a.number, b.number))
		case "total":
			return cmp.Or(cmp.Compare(a.currency, b.currency), cmp.Compare(b.total, a.total), cmp.Compare(a.id, b.id))
		default:
			return cmp.Or(cmp.Compare(b.issued, a.issued), cmp.Compare(b.id, a.id))
		}
	})
	for _, f := range some {
		ids = append(ids, f.id)
	}
	return ids
}

// TestFinding compares every list with its slow model, in both formats: from the first page to the last and back, each invoice
// comes once, in order.
func TestFinding(t *testing.T) {
	b := sitetest.Setup(t)
	all := pastFor(b, b.Acme, 70)
	pastFor(b, b.Globex, 10) // which acme must not see
	program, person := b.Program(b.Replica, b.Acme), b.Person(b.Replica, b.Acme)
	searches := []string{
		"", "", "", "design", "des lodz", "LODZ", "Łódź", "person1", "n", "n person2 des", "1", "00", "ŻÓŁW Straße", "Москва", "none",
	}
	rapid.Check(t, func(t *rapid.T) {
		query := url.Values{"limit": {strconv.Itoa(rapid.IntRange(1, 30).Draw(t, "limit"))}}
		for name, values := range map[string][]string{
			"q": searches, "sort": {"", "newest", "oldest", "due", "number", "total"},
			"status":      {"", "", "draft", "issued", "partially_paid", "paid", "void", "overdue", "open"},
			"customer_id": {"", "", "", all[0].customer, uuid.NewString()},
			"from":        {"", "", "", all[0].issued}, "to": {"", "", "", all[1].issued},
			"paid_from": {"", "", "", day(-20), day(-59)}, "paid_to": {"", "", "", day(-1), day(-20)},
		} {
			query.Set(name, rapid.SampledFrom(values).Draw(t, name))
		}
		for _, until := range [][2]string{{"from", "to"}, {"paid_from", "paid_to"}} {
			if query.Get(until[1]) < query.Get(until[0]) {
				query.Del(until[1])
			}
		}
		want := wanted(all, query)
		forth, back := throughJSON(b, program, query)
		must.Thatf(t, slices.Equal(forth, want), "%v forward:\n%v, want\n%v", query, forth, want)
		must.Thatf(t, slices.Equal(back, want), "%v backward:\n%v, want\n%v", query, back, want)
		shown := throughPages(b, person, query)
		must.Thatf(t, slices.Equal(shown, want), "%v as pages:\n%v, want\n%v", query, shown, want)
	})
}

type listed struct {
	Invoices []struct {
		ID     string `json:"id"`
		Number string `json:"number"`
	} `json:"invoices"`
	Next     string `json:"next_cursor"`
	Previous string `json:"prev_cursor"`
}

// throughJSON reads a list to its end, and then from there to its beginning.
func throughJSON(b *sitetest.Bundle, program *sitetest.Client, query url.Values) (forth, back []string) {
	b.Helper()
	read := func(cursor string) (page listed, ids []string) {
		query.Set("cursor", cursor)
		a := program.Get("/api/v1/invoices?" + query.Encode())
		a.Want(b, http.StatusOK, query)
		page = sitetest.Decode[listed](b, a)
		for _, i := range page.Invoices {
			ids = append(ids, i.ID)
		}
		return page, ids
	}
	defer query.Del("cursor")
	page, ids := read("")
	forth = ids
	for page.Next != "" {
		page, ids = read(page.Next)
		forth = append(forth, ids...)
	}
	back = ids
	for page.Previous != "" {
		page, ids = read(page.Previous)
		back = append(slices.Clone(ids), back...)
	}
	return forth, back
}

// throughPages follows the links to the next page.
func throughPages(b *sitetest.Bundle, person *sitetest.Client, query url.Values) (ids []string) {
	b.Helper()
	for path := "/invoices?" + query.Encode(); path != ""; {
		a := person.Get(path)
		a.Want(b, http.StatusOK, path)
		root := b.Page(a).Root
		path = ""
		for _, link := range sitetest.Elements(root, "a") {
			href, _ := sitetest.Attr(link, "href")
			if rel, _ := sitetest.Attr(link, "rel"); rel == "next" {
				path = href
			} else if id, ok := strings.CutPrefix(href, "/invoices/"); ok && inRow(link) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

func inRow(n *html.Node) bool { return n.Parent != nil && n.Parent.Data == "th" }

// TestListParametersInDoubt: unknown filters are refused, and a cursor is only valid for its list, filters and order.
func TestListParametersInDoubt(t *testing.T) {
	b := sitetest.Setup(t)
	pastFor(b, b.Acme, 12)
	program, person := b.Program(b.Replica, b.Acme), b.Person(b.Replica, b.Acme)
	next := func(query string) string {
		return sitetest.Decode[listed](b, program.Get("/api/v1/invoices?limit=1&"+query)).Next
	}
	byDue := next("sort=due")
	program.Get("/api/v1/invoices?limit=9&sort=due&q=&cursor="+byDue).Want(t, http.StatusOK, "another limit")
	for _, query := range []string{
		"status=late", "status=paid&status=void", "customer_id=ada", "from=yesterday", "to=2026-02-30", "from=2026-02-02&to=2026-01-01",
		"paid_from=today", "paid_to=2026-02-02&paid_to=2026-02-03", "paid_from=2026-02-02&paid_to=2026-02-01",
		"sort=random", "sort=due&sort=total", "q=a&q=b", "include=payments", "cursor=x", "cursor=" + uuid.NewString(),
		"cursor=" + byDue, "sort=total&cursor=" + byDue, "sort=due&status=paid&cursor=" + byDue,
	} {
		program.Get("/api/v1/invoices?"+query).Want(t, http.StatusUnprocessableEntity, query)
		a := person.Get("/invoices?" + query)
		a.Want(t, http.StatusUnprocessableEntity, query, "as a page")
		b.Page(a).Says("Check your filters")
	}
}

// TestLinesInTheList checks that the API's list has the lines of its invoices, as those have them, if they are asked for, and no others.
func TestLinesInTheList(t *testing.T) {
	b := sitetest.Setup(t)
	program, of := b.Program(b.Replica, b.Acme), invoicecases.Invoices()
	for n := range invoice.MaxWithLines + 1 {
		b.Prepared(b.Acme, fmt.Sprint(n), of, sitetest.Change(of.Command, "notes", fmt.Sprint(n)))
	}
	type row struct {
		ID    string
		Lines []map[string]string
	}
	type list struct {
		Invoices   []row
		NextCursor string `json:"next_cursor"`
	}
	shown := sitetest.Decode[list](b, program.Get("/api/v1/invoices?include=lines&limit=100"))
	must.Thatf(t, len(shown.Invoices) == invoice.MaxWithLines && shown.NextCursor != "", "%d on a page", len(shown.Invoices))
	rest := sitetest.Decode[list](b, program.Get("/api/v1/invoices?include=lines&cursor="+url.QueryEscape(shown.NextCursor)))
	assert.Equal(t, len(rest.Invoices), 1, "on the next page")
	for _, found := range append(shown.Invoices, rest.Invoices...) {
		one := sitetest.Decode[row](b, program.Get("/api/v1/invoices/"+found.ID))
		assert.Thatf(t, len(found.Lines) == 2 && reflect.DeepEqual(found, one), "%v, and not %v", found, one)
	}
	a := program.Get("/api/v1/invoices")
	assert.Thatf(t, !strings.Contains(a.Body, `"lines"`), "%v", a)
}

// TestTotalsAreFound checks that a search finds the total of an invoice, as people type it, in any currency, with other words and filters.
// An amount that is no total is searched for in the texts, and so is a number without decimals.
func TestTotalsAreFound(t *testing.T) {
	b := sitetest.Setup(t)
	program, of := b.Program(b.Replica, b.Acme), invoicecases.Invoices()
	for currency, price := range map[string]string{"EUR": "1234.50", "KWD": "1234.500", "JPY": "1234567", "whole": "2000"} {
		command := sitetest.Change(of.Command, "currency", currency, "number", "R-"+strings.ToUpper(currency))
		if currency == "whole" {
			command.Set("currency", "USD")
		}
		for field, value := range map[string]string{
			"description": "Flour 12.25 kg", "quantity": "1", "unit_price": price, "tax_rate": "0", "tax_treatment": "",
		} {
			command["line_"+field] = []string{value}
		}
		b.Prepared(b.Acme, currency, of, command)
	}
	b.Exec(`UPDATE customers SET tax_id = 'DE 136 695 976'`)
	for search, want := range map[string]string{
		"1,234.50": "R-EUR R-KWD", "1234.5": "R-EUR R-KWD", "1.234,50": "R-EUR R-KWD", "1 234,50": "R-EUR R-KWD", "1’234.50": "R-EUR R-KWD",
		"1,234,567": "R-JPY", "1234567.00": "R-JPY", "1234.51": "", "123450": "", "1234": "", "-1234.50": "",
		"1234567": "R-JPY", "1,234,568": "", "2000": "R-WHOLE", "2.000": "R-WHOLE", "2 000": "R-WHOLE",
		"1234.50 R-EUR": "R-EUR", "flour 1,234.50 lovelace": "R-EUR R-KWD", "1234.50 nobody": "", "12.25": "R-EUR R-JPY R-KWD R-WHOLE",
		"DE136695976": "R-EUR R-JPY R-KWD R-WHOLE", "1234.50 136695976 kwd": "R-KWD",
	} {
		for _, more := range []string{"", "&sort=number", "&status=draft", "&sort=due&from=2026-01-01", "&paid_from=2026-01-01"} {
			var numbers []string
			page := sitetest.Decode[listed](b, program.Get("/api/v1/invoices?q="+url.QueryEscape(search)+more))
			for _, found := range page.Invoices {
				numbers = append(numbers, found.Number)
			}
			slices.Sort(numbers)
			if strings.HasPrefix(more, "&paid") { // none is paid
				want = ""
			}
			assert.Equal(t, strings.Join(numbers, " "), want, search+more)
		}
	}
}

// TestSearchFollowsChanges: after an edit, a new number or another name, a record is found by its new words and no longer by
// the old ones.
func TestSearchFollowsChanges(t *testing.T) {
	b := sitetest.Setup(t)
	program := b.Program(b.Replica, b.Acme)
	of := invoicecases.Invoices()
	made := program.Create(of, sitetest.Key, sitetest.Change(of.Command, "number", "2026-0042"))
	id := sitetest.Decode[struct {
		ID string `json:"id"`
	}](b, made).ID
	finds := func(search string, want int) {
		t.Helper()
		page := sitetest.Decode[listed](b, program.Get("/api/v1/invoices?q="+url.QueryEscape(search)))
		assert.Thatf(t, len(page.Invoices) == want, "%s finds %d, want %d", search, len(page.Invoices), want)
	}
	for _, search := range []string{"2026-0042", "42", "0042", "design", "print", "ada", "lovelace", "ada@example.com",
		"LOVELACE prin 42"} {
		finds(search, 1)
	}
	edited := sitetest.Change(of.Command, "number", "2026-0077", "issue_date", "2026-11-01", "line_description", "Drawing")
	a := program.With("If-Match", `"v1"`).Must(program.With("If-Match", `"v1"`).Send(t.Context(), http.MethodPut,
		"/api/v1/invoices/"+id, of.API.Encode(edited)))
	must.Thatf(t, a.Status == http.StatusOK, "%v", a)
	for search, want := range map[string]int{"42": 0, "design": 0, "77": 1, "drawing": 1, "print": 1} {
		finds(search, want)
	}
	b.Exec(`UPDATE customers SET name = 'Grace Hopper' WHERE tenant_id = $1`, b.Acme.ID)
	for search, want := range map[string]int{"lovelace": 0, "hopper": 1, "ada": 1} {
		finds(search, want)
	}
	assert.Equal(t, sitetest.Get[int](b, `SELECT count(*) FROM invoice_words WHERE invoice_id = $1`, id), 5, "words are stored")
}
