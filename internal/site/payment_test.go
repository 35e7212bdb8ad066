package site_test

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"onlyonce/internal/invoice/payment"
)

func payments() resource {
	command := url.Values{
		"amount": {"40.00"}, "date": {"2026-11-22"}, "method": {"bank_transfer"}, "provider": {"Bank"}, "reference": {"TX 1"},
	}
	return resource{
		name: "payment", path: "/payments", parent: &parent{resource: invoices(), ready: []string{"issue"}},
		words: words{verb: "record", past: "recorded"}, command: command, label: "40.00 EUR on 22 Nov 2026",
		leaves:  rows{"payments": 1, "postings": 1, "intents": 1},
		repeats: repeats{alike: []url.Values{command, change(command, "reference", "TX 2")}},
		other:   change(command, "amount", "30.00", "reference", "TX 2"),
		fields: []field{
			{"amount", "40.01", "much", "/amount"},
			{"date", "2026-11-23", "tomorrow", "/date"},
			{"method", "card", "barter", "/method"},
			{"provider", "Processor", "a\u202eb", "/provider"},
			{"reference", "TX 3", "a\u202eb", "/reference"},
		},
		uniques:     []unique{{field: "reference", value: "TX 7", free: "TX 8", slug: "payment-taken"}},
		transitions: []transition{{verb: "remove", past: "removed", leaves: rows{"postings": 1}}},
		api: api{func(form url.Values) string {
			return encode(map[string]any{
				"amount": form.Get("amount"), "date": form.Get("date"), "method": form.Get("method"),
				"provider": form.Get("provider"), "reference": form.Get("reference"),
			})
		}, payment.Input{}},
	}
}

// TestManyPayments: the page of an invoice has some of its payments, and links to the others.
func TestManyPayments(t *testing.T) {
	b := setup(t)
	api, person, of := b.program(b.replica, b.acme), b.person(b.replica, b.acme), payments()
	of.parent.id = b.prepared(b.acme, "invoice", invoices(), invoices().command, "issue").ID
	for _, reference := range []string{"One", "Two", "Three"} {
		paid := api.create(of, reference, change(of.command, "amount", "1.00", "reference", reference))
		if paid.status != http.StatusCreated {
			t.Fatal(paid)
		}
	}
	at := "/invoices/" + of.parent.id
	p := b.page(person.get(at+"?limit=2")).says("Bank Three", "Bank Two")
	links := all(p.root, "a")
	next := links[slices.IndexFunc(links, func(link *html.Node) bool { rel, _ := attr(link, "rel"); return rel == "next" })]
	href, _ := attr(next, "href")
	b.page(person.get(href)).says("Bank One", "First page Previous").leadsTo(at + "?limit=2")
	if a := person.get(at + "?cursor=nowhere"); a.status != http.StatusNotFound {
		t.Error(a)
	}
}

// TestOpenAmountChanged: if the open amount has changed since the form was opened, the form shows the new one and asks again.
func TestOpenAmountChanged(t *testing.T) {
	b := setup(t)
	x := b.caseRun(payments(), htmlFormat{})
	p := b.page(x.caller.get(x.caller.get(x.resource.list() + "/new").location())).says("Open on 2026-0001: 135.77 EUR")
	if amount := p.typed().Get("amount"); amount != "135.77" {
		t.Errorf("suggested is %q", amount)
	}
	b.prepared(b.acme, "meanwhile", x.resource, x.other)
	x.before, x.transactions = x.rows(), x.written()
	x.forget()

	typed := change(p.typed(), "amount", "50.00", "method", "card", "provider", "Bank", "reference", "TX 1")
	asked := x.caller.submit(x.resource.list(), typed)
	x.format.refused(x, asked, "open-amount-changed", nil)
	p = b.page(asked).says("The open amount has changed since you opened this form.", "Open on 2026-0001: 105.77 EUR")
	p.leadsTo(x.resource.pageOf(""))
	typed.Set("seen_open", "105.77")
	keeps(b, p, typed)
	x.wantRows(rows{})

	made := x.caller.press(p, "Record payment")
	x.format.done(x, made)
	b.page(x.caller.get(x.resource.pageOf(""))).says("Paid 80.00 Open EUR 55.77",
		"Payment Refund 50.00 EUR of it Remove payment of 50.00 EUR Card · Bank TX 1 50.00 EUR")
	x.format.replayed(x, x.caller.press(p, "Record payment"), made) // although the open amount has changed again
	x.wantRows(x.leaves)
	x.wantOutcomes("conflict", "created", "replayed")
}

// TestMoreThanIsLeft: the error has the open amount of the invoice, or the refundable amount of the payment, beside its field
// and in the API's answer.
func TestMoreThanIsLeft(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of         func() resource
		most, more string
		slug, says string
	}{
		{payments, "135.77", "135.78", "exceeds-open-amount", "The open amount is 135.77 EUR."},
		{refunds, "40.00", "40.01", "exceeds-payment", "40.00 EUR of this payment is left."},
	} {
		for _, f := range formats() {
			t.Run(c.of().plural()+"/"+f.name(), func(t *testing.T) {
				x := setup(t).caseRun(c.of(), f)
				more := change(x.command, "amount", c.more)
				refused := x.ask(more)
				x.format.refused(x, refused, c.slug, more)
				if x.isHTML() {
					p := x.page(refused).says(c.says, "Enter at most "+c.most+".")
					p.marks(x.resource, []string{"/amount"})
					p.leadsTo(x.resource.pageOf(""))
				} else if p := decode[problem](x.bundle, refused); cmp.Or(p.Open, p.Left) != c.most {
					t.Errorf("%v", refused)
				}
				x.wantRows(rows{})
				x.format.done(x, x.ask(change(more, "amount", c.most))) // the key was not used up
				x.wantOutcomes("conflict", "created")
				if x.isHTML() && x.resource.name == "refund" {
					opened := x.caller.get(x.resource.list() + "/new?key=another")
					x.format.refused(x, opened, c.slug, nil)
					x.page(opened).says("This payment can't be refunded.")
				}
			})
		}
	}
}

// TestAllPayments: the payments of all invoices are filtered by day, currency, and the number or customer of their invoice,
// without removed ones. Refunds are shown beside their payment.
func TestAllPayments(t *testing.T) {
	b := setup(t)
	program, person := b.program(b.replica, b.acme), b.person(b.replica, b.acme)
	of := payments()
	of.parent.id = b.prepared(b.acme, "invoice", invoices(), invoices().command, "issue").ID
	for day, amount := range map[string]string{"2026-11-01": "1.00", "2026-11-03": "3.00", "2026-11-02": "2.00", "2026-11-04": "4.00"} {
		a := program.create(of, day, change(of.command, "date", day, "amount", amount, "reference", day))
		if a.status != http.StatusCreated {
			t.Fatal(a)
		}
	}
	another := payments()
	another.parent.id = b.prepared(b.acme, "another invoice", invoices(), change(invoices().command,
		"customer_email", "grace@example.com", "customer_name", "Grace Hopper"), "issue").ID
	a := program.create(another, "other", change(of.command, "date", "2026-10-31", "amount", "5.00", "reference", "other"))
	if a.status != http.StatusCreated {
		t.Fatal(a)
	}
	back := refunds()
	back.parent.id = get[string](b, `SELECT id::text FROM payments WHERE amount = 300`)
	if a := program.create(back, "refund", change(back.command, "amount", "0.50")); a.status != http.StatusCreated {
		t.Fatal(a)
	}
	gone := get[string](b, `SELECT id::text FROM payments WHERE amount = 400`)
	if a := program.with("Idempotency-Key", "gone").post("/api/v1/payments/"+gone+"/remove", ``); a.status != http.StatusOK {
		t.Fatal(a)
	}
	b.page(person.get("/payments")).says("2026-0001 3 Nov 2026 Ada Lovelace Bank 2026-11-03 3.00 EUR 0.50 EUR " +
		"2026-0001 2 Nov 2026 Ada Lovelace Bank 2026-11-02 2.00 EUR 2026-0001 1 Nov 2026").
		leadsTo("/payments/" + back.parent.id)
	b.page(person.get("/payments?q=nobody&from=2026-11-02&currency=EUR")).
		says("match “nobody”, paid from 2 Nov 2026, in EUR").leadsTo("/payments")
	b.page(person.get("/payments?currency=eur&from=never")).says("Choose one of the currencies.", "Enter a day")
	for query, want := range map[string]string{
		"": "3.00 2.00 1.00 5.00", "q=ada+0001": "3.00 2.00 1.00", "q=grace": "5.00", "q=ada+hopper": "", "q=lovelace+grace": "",
		"currency=EUR&to=2026-11-02": "2.00 1.00 5.00", "currency=PLN": "",
		"from=2026-11-02&to=2026-11-02&q=2026-0001": "2.00", "q=lovelace&currency=EUR&from=2026-11-03": "3.00",
	} {
		found := decode[struct {
			Payments []struct {
				Amount string `json:"amount"`
			} `json:"payments"`
		}](b, program.get("/api/v1/payments?"+query))
		var amounts []string
		for _, p := range found.Payments {
			amounts = append(amounts, p.Amount)
		}
		if got := strings.Join(amounts, " "); got != want {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
}

// TestRemoveAPayment: the page shows the result before. Afterwards the invoice has both entries, and the actor of the removal.
func TestRemoveAPayment(t *testing.T) {
	b := setup(t)
	made := b.prepared(b.acme, "paid", payments(), payments().command)
	invoice := get[string](b, `SELECT invoice_id::text FROM payments WHERE id = $1`, made.ID)
	person, path := b.person(b.replica, b.acme), "/payments/"+made.ID+"/remove"
	b.page(person.get("/invoices/" + invoice)).leadsTo(path)
	p := b.page(person.get(person.get(path).location())).says("Remove payment 2026-0001: 40.00 EUR, paid 22 Nov 2026",
		"This takes back the payment of 40.00 EUR from 22 Nov 2026. The open amount of the invoice goes up by 40.00 EUR. "+
			"Both entries stay in the ledger.", "After that, you can enter the reference Bank TX 1 again.")
	p.leadsTo("/invoices/" + invoice)
	if a := person.press(p, "Remove payment"); a.status != http.StatusSeeOther {
		t.Fatal(a)
	}
	b.page(person.get("/invoices/"+invoice)).says("Payment removed. All invoices", "Open EUR 135.77 Due 21 Dec 2026.",
		"Payment removed Bank transfer · Bank TX 1 −40.00 EUR", "Payment removed Bank transfer · Bank TX 1 40.00 EUR",
		"Payment of 40.00 EUR removed", "Payment of 40.00 EUR recorded")
	b.page(person.get(path + "?key=other")).says("This payment was already removed.")
}

// TestMethodsAreDescribed: the methods of payments equal the enum in the OpenAPI document.
func TestMethodsAreDescribed(t *testing.T) {
	b := setup(t)
	for _, name := range []string{"PaymentInput", "Payment"} {
		var described []string
		for _, value := range b.openAPI().Components.Schemas[name].Value.Properties["method"].Value.Enum {
			described = append(described, fmt.Sprint(value))
		}
		if !slices.Equal(described, payment.Methods()) {
			t.Errorf("%s has the methods %v, want %v", name, described, payment.Methods())
		}
	}
}
