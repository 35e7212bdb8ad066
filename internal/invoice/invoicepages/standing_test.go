package invoicepages_test

import (
	"encoding/csv"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/site/sitecases"
	"onlyonce/internal/site/sitetest"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// amountsText returns minor units by currency as a page shows them.
func amountsText(amounts map[string]int) string {
	var texts []string
	for _, code := range slices.Sorted(maps.Keys(amounts)) {
		currency, _ := money.ParseCurrency(code)
		texts = append(texts, currency.Display(int64(amounts[code]))+" "+code)
	}
	return strings.Join(texts, " ")
}

// TestStanding: the strip above the list, and the balance of a customer, equal the sums over the invoices.
func TestStanding(t *testing.T) {
	b := sitetest.Setup(t)
	all := pastFor(b, b.Acme, 40)
	pastFor(b, b.Globex, 10)
	person := b.Person(b.Replica, b.Acme)
	today := time.Now().UTC().Format(time.DateOnly)
	var paidNow []string // the invoices that were paid this month
	sums := func(customer string) (open, overdue, paid map[string]int, count int) {
		paidNow, open, overdue, paid = nil, map[string]int{}, map[string]int{}, map[string]int{}
		for _, f := range all {
			took := map[string]int{"paid": f.total, "partially_paid": 1}[f.state]
			if took > 0 && f.paid[:7] == today[:7] {
				paid[f.currency] += took
				paidNow = append(paidNow, f.id)
			}
			if customer != "" && f.customer != customer || f.state != "issued" && f.state != "partially_paid" {
				continue
			}
			open[f.currency] += f.total - took
			if count++; f.due < today {
				overdue[f.currency] += f.total - took
			}
		}
		return open, overdue, paid, count
	}
	open, overdue, paid, count := sums("")
	page := b.Page(person.Get("/invoices"))
	page.Says(fmt.Sprintf("Open %d %s", count, amountsText(open)), amountsText(overdue)+
		" Paid this month "+amountsText(paid))
	page.LeadsTo("/invoices?sort=due&status=overdue")
	first, last := date.Today().Month()
	thisMonth := url.Values{"paid_from": {first.String()}, "paid_to": {last.String()}}
	payments := "/payments?" + url.Values{"from": {first.String()}, "to": {last.String()}}.Encode()
	page.LeadsTo(payments)
	b.Page(person.Get(payments)).Says("Paid in the month " + amountsText(paid))
	b.Page(person.Get("/invoices?" + thisMonth.Encode())).Says("Only paid from " + first.Time().Format("2 Jan 2006") + " until ").
		LeadsTo("/invoices")
	listed := throughPages(b, person, thisMonth)
	slices.Sort(listed)
	slices.Sort(paidNow)
	assert.Thatf(t, slices.Equal(listed, paidNow), "paid this month are %v, want %v", listed, paidNow)
	customer := all[0].customer
	open, overdue, _, count = sums(customer)
	page = b.Page(person.Get("/customers/" + customer))
	page.Says(fmt.Sprintf("Open %d %s", count, amountsText(open)), amountsText(overdue))
	page.LeadsTo("/invoices?customer_id=" + customer + "&sort=due&status=open")
	page = b.Page(person.Get("/customers"))
	for _, f := range all {
		open, overdue, _, _ := sums(f.customer)
		page.Says(strings.TrimSpace(amountsText(open) + " " + amountsText(overdue)))
	}
}

// TestSumsOfTheFilter checks that the sums above a filtered list are those of its invoices on all pages, without the void ones.
func TestSumsOfTheFilter(t *testing.T) {
	b := sitetest.Setup(t)
	all := pastFor(b, b.Acme, 60)
	pastFor(b, b.Globex, 10)
	person := b.Person(b.Replica, b.Acme)
	for _, text := range []string{
		"status=open", "status=overdue", "status=paid", "status=void", "status=draft", "from=" + day(-40) + "&to=" + day(-10),
		"customer_id=" + all[0].customer, "q=design", "q=person1&status=open", "paid_from=" + day(-20), "q=none",
		"to=" + day(-10) + "&sort=total",
	} {
		query, err := url.ParseQuery(text)
		must.OK(t, err)
		ids := wanted(all, query)
		total, open, draft, totals, opens, drafts := map[string]int{}, map[string]int{}, map[string]int{}, 0, 0, 0
		for _, f := range all {
			if !slices.Contains(ids, f.id) || f.state == "void" && query.Get("status") != "void" {
				continue
			}
			total[f.currency] += f.total
			totals++
			if f.state == "draft" && query.Get("status") == "" {
				draft[f.currency] += f.total
				drafts++
			}
			if left := f.total - map[string]int{"partially_paid": 1}[f.state]; f.state == "issued" || f.state == "partially_paid" {
				open[f.currency] += left
				opens++
			}
		}
		page := b.Page(person.Get("/invoices?" + text))
		if totals > 0 {
			label, rest := "Total", ""
			if drafts > 0 {
				label, rest = "Total with drafts", fmt.Sprintf(" Drafts %d %s", drafts, amountsText(draft))
			}
			page.Says(strings.TrimSpace(fmt.Sprintf("%s %d %s%s", label, totals, amountsText(total), rest)))
		}
		if opens > 0 {
			page.Says(fmt.Sprintf("Open %d %s", opens, amountsText(open)))
		}
		assert.Thatf(t, !strings.Contains(page.Text(), "Paid this month"), "%s has the sums of all", text)
	}
}

// TestInvoicesAsCSV checks that the file has each invoice of the filter once, in the order of the list, on however many pages, and that a
// spreadsheet computes none of the texts.
func TestInvoicesAsCSV(t *testing.T) {
	b := sitetest.Setup(t)
	all := pastFor(b, b.Acme, 220)
	pastFor(b, b.Globex, 10)
	b.Exec(`UPDATE customers SET name = '=1+1', tax_id = 'IE1234567T' WHERE id = $1`, all[0].customer)
	person, program := b.Person(b.Replica, b.Acme), b.Program(b.Replica, b.Acme)
	for _, text := range []string{"", "sort=oldest", "status=open&sort=total", "q=person1", "limit=1&customer_id=" + all[0].customer} {
		query, err := url.ParseQuery(text)
		must.OK(t, err)
		var want []string
		for _, id := range wanted(all, query) {
			want = append(want, all[slices.IndexFunc(all, func(f found) bool { return f.id == id })].number)
		}
		answer := program.Get("/api/v1/invoices/csv?" + text)
		rows, err := csv.NewReader(strings.NewReader(answer.Body)).ReadAll()
		must.Thatf(t, err == nil && len(rows) == len(want)+1, "%s: %d rows, want %d: %v", text, len(rows), len(want)+1, err)
		for i, row := range rows[1:] {
			assert.Thatf(t, row[0] == want[i] && row[3] != "=1+1" && (row[3] != "'=1+1" || row[5] == "IE1234567T"),
				"%s: row %d is %q, want %s", text, i, row, want[i])
		}
	}
	page := b.Page(person.Get("/invoices?status=open&limit=10"))
	page.LeadsTo("/invoices/csv?status=open")
	person.Get("/invoices/csv?status=never").Want(t, http.StatusUnprocessableEntity)
}

// TestPaidLessRefunds: a refunded amount doesn't count as paid.
func TestPaidLessRefunds(t *testing.T) {
	b := sitetest.Setup(t)
	api, person := b.Program(b.Replica, b.Acme), b.Person(b.Replica, b.Acme)
	of := invoicecases.Payments()
	of.Parent.ID = b.Prepared(b.Acme, "invoice", invoicecases.Invoices(), invoicecases.Invoices().Command, "issue").ID
	today := time.Now().UTC().Format(time.DateOnly)
	paid := api.Create(of, "payment", sitetest.Change(of.Command, "amount", "5.00", "date", today))
	paid.Want(t, http.StatusCreated)
	b.Page(person.Get("/invoices")).Says("Paid this month 5.00 EUR")
	back := invoicecases.Refunds()
	back.Parent.ID = strings.TrimPrefix(paid.Location(), "/api/v1/payments/")
	api.Create(back, "refund", sitetest.Change(back.Command, "amount", "1.50", "date", today)).Want(t, http.StatusCreated)
	b.Page(person.Get("/invoices")).Says("Paid this month 3.50 EUR")
}

// TestStandingOfMany: the sums cover any number of invoices.
func TestStandingOfMany(t *testing.T) {
	pgtest.Long(t)
	b := sitetest.SetupGrown(t, sitecases.Resources(), sitecases.Grow)
	page := b.Page(b.Person(b.Replica, b.Acme).Get("/invoices"))
	page.Says("Open 3,900 ")
}

// TestSearchOfTooMany: a prefix of very many words is searched as a whole word, which the page mentions. A search with more
// matches than can be sorted is refused in a sentence.
func TestSearchOfTooMany(t *testing.T) {
	pgtest.Long(t)
	b := sitetest.SetupGrown(t, sitecases.Resources(), sitecases.Grow)
	program, person := b.Program(b.Replica, b.Acme), b.Person(b.Replica, b.Acme)
	finds := func(query string, want int) {
		t.Helper()
		page := sitetest.Decode[listed](b, program.Get("/api/v1/invoices?"+query))
		assert.Thatf(t, len(page.Invoices) == want, "%s finds %d, want %d", query, len(page.Invoices), want)
	}
	finds("q=2", 1) // the number 2026-0002, and not all invoices of 2026
	b.Page(person.Get("/invoices?q=2")).Says("some of them were left out")
	finds("q=7998", 1)
	finds("q=2026-7998", 1)
	finds("q=desig", 25)
	for _, query := range []string{"q=desig", "from=2026-01-01", "customer_id=" + sitetest.RowID(1), "paid_from=2026-01-01"} {
		b.Page(person.Get("/invoices?" + query)).Says("Too many invoices to sum up.")
	}
	b.Page(person.Get("/invoices?status=draft")).Says("Total 100 ")
	if a := program.Get("/api/v1/invoices/csv?q=2"); !strings.Contains(a.Body, "Type more letters to export all that match.") {
		t.Errorf("%v", a)
	}
	if a := person.Get("/invoices?q=design&sort=total"); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("%v", a)
	} else {
		b.Page(a).Says("too many to sort")
	}
}
