package site_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// TestStanding: the strip above the list, and the balance of a customer, equal the sums over the invoices.
func TestStanding(t *testing.T) {
	b := setup(t)
	all := b.pastFor(b.acme, 40)
	b.pastFor(b.globex, 10)
	person := b.person(b.replica, b.acme)
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
	shown := func(amounts map[string]int) string {
		var texts []string
		for _, code := range slices.Sorted(maps.Keys(amounts)) {
			currency, _ := money.ParseCurrency(code)
			texts = append(texts, currency.Display(int64(amounts[code]))+" "+code)
		}
		return strings.Join(texts, " ")
	}
	open, overdue, paid, count := sums("")
	page := b.page(person.get("/invoices"))
	page.says(fmt.Sprintf("Open %d %s", count, shown(open)), shown(overdue)+
		fmt.Sprintf(" Paid this month %d %s", len(paidNow), shown(paid)))
	page.leadsTo("/invoices?sort=due&status=overdue")
	first, last := date.Today().Month()
	thisMonth := url.Values{"paid_from": {first.String()}, "paid_to": {last.String()}}
	page.leadsTo("/invoices?" + thisMonth.Encode())
	b.page(person.get("/invoices?" + thisMonth.Encode())).says("Only paid from " + first.Time().Format("2 Jan 2006") + " until ").
		leadsTo("/invoices")
	listed := b.throughPages(person, thisMonth)
	slices.Sort(listed)
	slices.Sort(paidNow)
	if !slices.Equal(listed, paidNow) {
		t.Errorf("paid this month are %v, want %v", listed, paidNow)
	}
	customer := all[0].customer
	open, overdue, _, count = sums(customer)
	page = b.page(person.get("/customers/" + customer))
	page.says(fmt.Sprintf("Open %d %s", count, shown(open)), shown(overdue))
	page.leadsTo("/invoices?customer_id=" + customer + "&sort=due&status=open")
	page = b.page(person.get("/customers"))
	for _, f := range all {
		open, overdue, _, _ := sums(f.customer)
		page.says(strings.TrimSpace(shown(open) + " " + shown(overdue)))
	}
}

// TestPaidLessRefunds: a refunded amount doesn't count as paid.
func TestPaidLessRefunds(t *testing.T) {
	b := setup(t)
	api, person := b.program(b.replica, b.acme), b.person(b.replica, b.acme)
	of := payments()
	of.parent.id = b.prepared(b.acme, "invoice", invoices(), invoices().command, "issue").ID
	today := time.Now().UTC().Format(time.DateOnly)
	paid := api.create(of, "payment", change(of.command, "amount", "5.00", "date", today))
	if paid.status != http.StatusCreated {
		t.Fatal(paid)
	}
	b.page(person.get("/invoices")).says("Paid this month 1 5.00 EUR")
	back := refunds()
	back.parent.id = strings.TrimPrefix(paid.location(), "/api/v1/payments/")
	if a := api.create(back, "refund", change(back.command, "amount", "1.50", "date", today)); a.status != http.StatusCreated {
		t.Fatal(a)
	}
	b.page(person.get("/invoices")).says("Paid this month 1 3.50 EUR")
}

// TestStandingOfMany: the sums cover any number of invoices.
func TestStandingOfMany(t *testing.T) {
	pgtest.Long(t)
	b := setupGrown(t, resources(), growAll)
	page := b.page(b.person(b.replica, b.acme).get("/invoices"))
	page.says("Open 3,900 ")
}

// TestSearchOfTooMany: a prefix of very many words is searched as a whole word, which the page mentions. A search with more
// matches than can be sorted is refused in a sentence.
func TestSearchOfTooMany(t *testing.T) {
	pgtest.Long(t)
	b := setupGrown(t, resources(), growAll)
	program, person := b.program(b.replica, b.acme), b.person(b.replica, b.acme)
	finds := func(query string, want int) {
		t.Helper()
		if page := decode[listed](b, program.get("/api/v1/invoices?"+query)); len(page.Invoices) != want {
			t.Errorf("%s finds %d, want %d", query, len(page.Invoices), want)
		}
	}
	finds("q=2", 1) // the number 2026-0002, and not all invoices of 2026
	b.page(person.get("/invoices?q=2")).says("some of them were left out")
	finds("q=7998", 1)
	finds("q=2026-7998", 1)
	finds("q=desig", 25)
	if a := person.get("/invoices?q=design&sort=total"); a.status != http.StatusUnprocessableEntity {
		t.Errorf("%v", a)
	} else {
		b.page(a).says("too many to sort")
	}
}
