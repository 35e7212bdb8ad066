package paymentpages_test

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/site/sitetest"

	"golang.org/x/net/html"
)

func TestMain(m *testing.M) { sitetest.Main(m) }

// TestManyPayments: the page of an invoice has some of its payments, and links to the others.
func TestManyPayments(t *testing.T) {
	b := sitetest.Setup(t)
	api, person, of := b.Program(b.Replica, b.Acme), b.Person(b.Replica, b.Acme), invoicecases.Payments()
	of.Parent.ID = b.Prepared(b.Acme, "invoice", invoicecases.Invoices(), invoicecases.Invoices().Command, "issue").ID
	for _, reference := range []string{"One", "Two", "Three"} {
		paid := api.Create(of, reference, sitetest.Change(of.Command, "amount", "1.00", "reference", reference))
		paid.Want(t, http.StatusCreated)
	}
	at := "/invoices/" + of.Parent.ID
	p := b.Page(person.Get(at+"?limit=2")).Says("Bank Three", "Bank Two")
	links := sitetest.Elements(p.Root, "a")
	next := links[slices.IndexFunc(links, func(link *html.Node) bool { rel, _ := sitetest.Attr(link, "rel"); return rel == "next" })]
	href, _ := sitetest.Attr(next, "href")
	b.Page(person.Get(href)).Says("Bank One", "First page Previous").LeadsTo(at + "?limit=2")
	person.Get(at+"?cursor=nowhere").Want(t, http.StatusNotFound)
}

// TestOpenAmountChanged: if the open amount has changed since the form was opened, the form shows the new one and asks again.
func TestOpenAmountChanged(t *testing.T) {
	b := sitetest.Setup(t)
	x := b.Case(invoicecases.Payments(), sitetest.HTML{})
	p := b.Page(x.Caller.Get(x.Caller.Get(x.Resource.List() + "/new").Location())).Says("Open on 2026-0001: 135.77 EUR")
	assert.Equal(t, p.Typed().Get("amount"), "135.77", "suggested")
	b.Prepared(b.Acme, "meanwhile", x.Resource, x.Other)
	x.Before, x.Transactions = x.Rows(), x.Written()
	x.Forget()

	typed := sitetest.Change(p.Typed(), "amount", "50.00", "method", "card", "provider", "Bank", "reference", "TX 1")
	asked := x.Caller.Submit(x.Resource.List(), typed)
	x.Format.Refused(x, asked, "open-amount-changed", nil)
	p = b.Page(asked).Says("The open amount has changed since you opened this form.", "Open on 2026-0001: 105.77 EUR")
	p.LeadsTo(x.Resource.PageOf(""))
	typed.Set("seen_open", "105.77")
	sitetest.Keeps(b, p, typed)
	x.WantRows(sitetest.Rows{})

	made := x.Caller.Press(p, "Record payment")
	x.Format.Done(x, made)
	b.Page(x.Caller.Get(x.Resource.PageOf(""))).Says("Paid 80.00 Open EUR 55.77",
		"Payment Refund 50.00 EUR of it Remove payment of 50.00 EUR Card · Bank TX 1 50.00 EUR")
	x.Format.Replayed(x, x.Caller.Press(p, "Record payment"), made) // although the open amount has changed again
	x.WantRows(x.Leaves)
	x.WantOutcomes("conflict", "created", "replayed")
}

// TestMoreThanIsLeft: the error has the open amount of the invoice, or the refundable amount of the payment, beside its field
// and in the API's answer.
func TestMoreThanIsLeft(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of         func() sitetest.Resource
		most, more string
		slug, says string
	}{
		{invoicecases.Payments, "135.77", "135.78", "exceeds-open-amount", "The open amount is 135.77 EUR."},
		{invoicecases.Refunds, "40.00", "40.01", "exceeds-payment", "40.00 EUR of this payment is left."},
	} {
		for _, f := range sitetest.Formats() {
			t.Run(c.of().Plural()+"/"+f.Name(), func(t *testing.T) {
				x := sitetest.Setup(t).Case(c.of(), f)
				more := sitetest.Change(x.Command, "amount", c.more)
				refused := x.Ask(more)
				x.Format.Refused(x, refused, c.slug, more)
				if x.IsHTML() {
					p := x.Page(refused).Says(c.says, "Enter at most "+c.most+".")
					p.Marks(x.Resource, []string{"/amount"})
					p.LeadsTo(x.Resource.PageOf(""))
				} else if p := sitetest.Decode[sitetest.Problem](x.Bundle, refused); cmp.Or(p.Open, p.Left) != c.most {
					t.Errorf("%v", refused)
				}
				x.WantRows(sitetest.Rows{})
				x.Format.Done(x, x.Ask(sitetest.Change(more, "amount", c.most))) // the key was not used up
				x.WantOutcomes("conflict", "created")
				if x.IsHTML() && x.Resource.Name == "refund" {
					opened := x.Caller.Get(x.Resource.List() + "/new?key=another")
					x.Format.Refused(x, opened, c.slug, nil)
					x.Page(opened).Says("This payment can't be refunded.")
				}
			})
		}
	}
}

// TestAllPayments: the payments of all invoices are filtered by day, currency, customer, reference, amount, and the number or customer of
// their invoice, without removed ones, and summed up. Refunds are shown beside their payment.
func TestAllPayments(t *testing.T) {
	b := sitetest.Setup(t)
	program, person := b.Program(b.Replica, b.Acme), b.Person(b.Replica, b.Acme)
	of := invoicecases.Payments()
	of.Parent.ID = b.Prepared(b.Acme, "invoice", invoicecases.Invoices(), invoicecases.Invoices().Command, "issue").ID
	for day, amount := range map[string]string{"2026-11-01": "1.00", "2026-11-03": "3.00", "2026-11-02": "2.00", "2026-11-04": "4.00"} {
		a := program.Create(of, day, sitetest.Change(of.Command, "date", day, "amount", amount, "reference", day))
		a.Want(t, http.StatusCreated)
	}
	another := invoicecases.Payments()
	another.Parent.ID = b.Prepared(b.Acme, "another invoice", invoicecases.Invoices(), sitetest.Change(invoicecases.Invoices().Command,
		"customer_email", "grace@example.com", "customer_name", "Grace Hopper"), "issue").ID
	a := program.Create(another, "other", sitetest.Change(of.Command, "date", "2026-10-31", "amount", "5.00", "reference", "other"))
	a.Want(t, http.StatusCreated)
	back := invoicecases.Refunds()
	back.Parent.ID = sitetest.Get[string](b, `SELECT id::text FROM payments WHERE amount = 300`)
	program.Create(back, "refund", sitetest.Change(back.Command, "amount", "0.50")).Want(t, http.StatusCreated)
	gone := sitetest.Get[string](b, `SELECT id::text FROM payments WHERE amount = 400`)
	program.With("Idempotency-Key", "gone").Post("/api/v1/payments/"+gone+"/remove", ``).Want(t, http.StatusOK)
	b.Page(person.Get("/payments")).Says("2026-0001 3 Nov 2026 Ada Lovelace Bank 2026-11-03 3.00 EUR 0.50 EUR " +
		"2026-0001 2 Nov 2026 Ada Lovelace Bank 2026-11-02 2.00 EUR 2026-0001 1 Nov 2026").
		LeadsTo("/payments/" + back.Parent.ID)
	b.Page(person.Get("/payments?q=nobody&from=2026-11-02&currency=EUR")).
		Says("match “nobody”, paid from 2 Nov 2026, in EUR").LeadsTo("/payments")
	b.Page(person.Get("/payments?currency=eur&from=never")).Says("Choose one of the currencies.", "Enter a day")
	grace := sitetest.Get[string](b, `SELECT id::text FROM customers WHERE name = 'Grace Hopper'`)
	b.Page(person.Get("/payments?to=2026-11-03&q=ada")).Says("Listed payments 3 6.00 EUR Refunded of these 1 0.50 EUR")
	b.Page(person.Get("/payments?customer_id="+grace)).Says("Listed payments 1 5.00 EUR", "Only of Grace Hopper · Show all payments")
	csv := person.Get("/payments/csv?q=2.00").Body
	assert.Thatf(t, strings.Count(csv, "\n") == 2 && strings.Contains(csv, "Ada Lovelace,EUR,2.00,0.00,"), "%s", csv)
	for query, want := range map[string]string{
		"": "3.00 2.00 1.00 5.00", "q=ada+0001": "3.00 2.00 1.00", "q=grace": "5.00", "q=ada+hopper": "", "q=lovelace+grace": "",
		"currency=EUR&to=2026-11-02": "2.00 1.00 5.00", "currency=PLN": "",
		"from=2026-11-02&to=2026-11-02&q=2026-0001": "2.00", "q=lovelace&currency=EUR&from=2026-11-03": "3.00",
		"q=2026-11-0": "3.00 2.00 1.00", "q=bank+2026-11-02": "2.00", "q=Bank+OTH": "5.00", "q=Ban+other": "",
		"q=bank": "3.00 2.00 1.00 5.00", "q=ban": "",
		"q=2.00": "2.00", "q=ada+3.00": "3.00", "q=grace+3.00": "", "q=5": "5.00",
		"customer_id=" + grace: "5.00", "q=2026-11&customer_id=" + grace: "", "q=OTHER&customer_id=" + grace: "5.00",
	} {
		found := sitetest.Decode[struct {
			Payments []struct {
				Amount string `json:"amount"`
			} `json:"payments"`
		}](b, program.Get("/api/v1/payments?"+query))
		var amounts []string
		for _, p := range found.Payments {
			amounts = append(amounts, p.Amount)
		}
		assert.Equal(t, strings.Join(amounts, " "), want, query)
	}
}

// TestPartsOfTheMonth checks that the page with the payments of a month has the amount paid, its parts and a link to the receipts, and that
// the amount of a receipt finds its payments.
func TestPartsOfTheMonth(t *testing.T) {
	b := sitetest.Setup(t)
	program, person := b.Program(b.Replica, b.Acme), b.Person(b.Replica, b.Acme)
	of := invoicecases.Payments()
	of.Parent.ID = b.Prepared(b.Acme, "invoice", invoicecases.Invoices(), invoicecases.Invoices().Command, "issue").ID
	back := invoicecases.Refunds()
	back.Parent.ID = sitetest.Decode[sitetest.Created](b, program.Create(of, "payment", sitetest.Change(of.Command, "amount", "6.00"))).ID
	program.Create(back, "refund", sitetest.Change(back.Command, "amount", "0.50")).Want(t, http.StatusCreated)
	const november = "from=2026-11-01&to=2026-11-30"
	b.Page(person.Get("/payments?" + november)).Says("Paid in the month 5.50 EUR Payments without a receipt 1 6.00 EUR " +
		"Less refunds and repayments 0.50 EUR Listed payments 1 6.00 EUR Refunded of these 1 0.50 EUR")
	transfer := map[string]any{
		"customer_id": sitetest.Get[string](b, `SELECT id::text FROM customers WHERE name = 'Ada Lovelace'`),
		"currency":    "EUR", "amount": "738.00", "date": "2026-11-20", "method": "bank_transfer",
		"provider": "Bank of Ireland", "reference": "TX 1 / 3",
		"allocations": []map[string]string{{"invoice_id": of.Parent.ID, "amount": "7.00"}},
	}
	program.With("Idempotency-Key", "transfer").Post("/api/v1/receipts", sitetest.Encode(transfer)).Want(t, http.StatusCreated)
	for _, filter := range []string{"", "currency=EUR&"} {
		b.Page(person.Get("/payments?" + filter + november)).Says("Paid in the month 743.50 EUR Payments without a receipt 1 6.00 EUR " +
			"Receipts 1 738.00 EUR Less refunds and repayments 0.50 EUR Listed payments 2 13.00 EUR Refunded of these 1 0.50 EUR").
			LeadsTo("/receipts?" + filter + november)
	}
	b.Page(person.Get("/payments?from=2026-11-10&to=2026-11-23")).Says("Listed payments 2 13.00 EUR Refunded of these 1 0.50 EUR")
	b.Page(person.Get("/payments?q=738.00")).Says("Listed payments 1 7.00 EUR")
	b.Page(person.Get("/payments?q=ada+738.00")).Says("Listed payments 1 7.00 EUR")
	for _, list := range []string{"payments", "receipts"} {
		for _, query := range []string{"Bank+of+Ireland+TX+1+/+3", "bank+of+ireland"} {
			b.Page(person.Get("/" + list + "?q=" + query)).Says("Ada Lovelace Bank of Ireland TX 1 / 3")
		}
	}
	b.Page(person.Get("/payments?q=grace+738.00")).Says("match “grace 738.00”")
}

// TestRemoveAPayment: the page shows the result before. Afterwards the invoice has both entries, and the actor of the removal.
func TestRemoveAPayment(t *testing.T) {
	b := sitetest.Setup(t)
	made := b.Prepared(b.Acme, "paid", invoicecases.Payments(), invoicecases.Payments().Command)
	invoice := sitetest.Get[string](b, `SELECT invoice_id::text FROM payments WHERE id = $1`, made.ID)
	person, path := b.Person(b.Replica, b.Acme), "/payments/"+made.ID+"/remove"
	b.Page(person.Get("/invoices/" + invoice)).LeadsTo(path)
	again := sitetest.Change(invoicecases.Payments().Command, "amount", "1.00", "idempotency_key", sitetest.Key)
	b.Page(person.Submit("/invoices/"+invoice+"/payments", again)).Says("The payment TX 1 of Bank is already recorded. It pays 2026-0001.",
		"Record it as a receipt").LeadsTo("/invoices/" + invoice)
	p := b.Page(person.Get(person.Get(path).Location())).Says("Remove payment 2026-0001: 40.00 EUR, paid 22 Nov 2026",
		"This takes back the payment of 40.00 EUR from 22 Nov 2026. The open amount of the invoice goes up by 40.00 EUR. "+
			"Both entries stay on the invoice.", "The removal is recorded today, 27 Nov 2026.",
		"After that, you can enter the reference Bank TX 1 again.")
	p.LeadsTo("/invoices/" + invoice)
	person.Press(p, "Remove payment").Want(t, http.StatusSeeOther)
	b.Page(person.Get("/invoices/"+invoice)).Says("Payment removed. All invoices", "Open 135.77 EUR Due 21 Dec 2026.",
		"Payment removed Bank transfer · Bank TX 1 −40.00 EUR", "Payment (removed later) Bank transfer · Bank TX 1 40.00 EUR",
		"Payment of 40.00 EUR removed", "Payment of 40.00 EUR recorded")
	b.Page(person.Get(path + "?key=other")).Says("This payment was already removed.")
}

// TestRemoveARefund: the page shows the result before. Afterwards the invoice has both entries, and a later payment in the way is named.
func TestRemoveARefund(t *testing.T) {
	b := sitetest.Setup(t)
	made := b.Prepared(b.Acme, "refunded", invoicecases.Refunds(), invoicecases.Refunds().Command)
	at := "/invoices/" + sitetest.Get[string](b, `SELECT invoice_id::text FROM refunds`)
	person, program, path := b.Person(b.Replica, b.Acme), b.Program(b.Replica, b.Acme), "/refunds/"+made.ID+"/remove"
	b.Page(person.Get(at)).Says("Remove refund of 10.00 EUR RF 1 −10.00 EUR").LeadsTo(path)
	account := "/customers/" + sitetest.Get[string](b, `SELECT id::text FROM customers`) + "/statement?from=2026-11-01&to=2026-11-30"
	b.Page(person.Get(account)).Says("23 Nov 2026 Refund 2026-0001 RF 1 10.00 105.77")
	p := b.Page(person.Get(person.Get(path).Location())).Says("Remove refund 2026-0001: 10.00 EUR, refunded 23 Nov 2026",
		"This takes back the refund of 10.00 EUR from 23 Nov 2026. The open amount of the invoice goes down by 10.00 EUR. "+
			"Both entries stay on the invoice.")
	p.LeadsTo(at)
	pay := func(key, amount string) {
		body := `{"amount": "` + amount + `", "date": "2026-11-24", "method": "cash"}`
		program.With("Idempotency-Key", key).Post("/api/v1"+at+"/payments", body).Want(t, http.StatusCreated)
	}
	pay("all", "105.77")
	for _, refused := range []sitetest.Answer{person.Press(p, "Remove refund"), person.Get(path + "?key=other")} {
		b.Page(refused).Says("The open amount is 0.00 EUR.", "Remove the later payment, or take the write-off back first.")
	}
	later := sitetest.Get[string](b, `SELECT id::text FROM payments WHERE amount = 10577`)
	program.Post("/api/v1/payments/"+later+"/remove", "").Want(t, http.StatusOK)
	person.Press(p, "Remove refund").Want(t, http.StatusSeeOther)
	b.Page(person.Get(at)).Says("Refund removed. All invoices", "Open 95.77 EUR 40.00 of 135.77 paid.", "Refund removed 10.00 EUR",
		"Refund (removed later) RF 1 −10.00 EUR", "Refund of 10.00 EUR removed", "10.00 EUR refunded", "Remove payment of 40.00 EUR")
	b.Page(person.Get(path + "?key=again")).Says("This refund was already removed.")
}

// TestMethodsAreDescribed: the methods of payments equal the enum in the OpenAPI document.
func TestMethodsAreDescribed(t *testing.T) {
	b := sitetest.Setup(t)
	for _, name := range []string{"PaymentInput", "Payment"} {
		var described []string
		for _, value := range b.OpenAPI().Components.Schemas[name].Value.Properties["method"].Value.Enum {
			described = append(described, fmt.Sprint(value))
		}
		assert.Thatf(t, slices.Equal(described, payment.Methods()), "%s has the methods %v, want %v", name, described, payment.Methods())
	}
}

// TestLeftOfThePaymentChanged: if the refundable amount has decreased since the form was opened, the form asks again and
// suggests the rest.
func TestLeftOfThePaymentChanged(t *testing.T) {
	b := sitetest.Setup(t)
	x := b.Case(invoicecases.Refunds(), sitetest.HTML{})
	p := b.Page(x.Caller.Get(x.Caller.Get(x.Resource.List() + "/new").Location())).
		Says("Payment of 40.00 EUR on 22 Nov 2026, for 2026-0001.")
	typed := p.Typed()
	assert.Equal(t, typed.Get("amount"), "40.00", "suggested")
	b.Prepared(b.Acme, "meanwhile", x.Resource, x.Other)
	x.Before, x.Transactions = x.Rows(), x.Written()
	x.Forget()

	typed.Set("amount", "5.00")
	asked := x.Caller.Submit(x.Resource.List(), typed)
	x.Format.Refused(x, asked, "open-amount-changed", nil)
	p = b.Page(asked).Says("The refundable amount has changed since you opened this form.", "Refundable: 29.00 EUR")
	typed.Set("seen_left", "29.00")
	sitetest.Keeps(b, p, typed)
	x.WantRows(sitetest.Rows{})

	made := x.Caller.Press(p, "Record refund")
	x.Format.Done(x, made)
	b.Page(x.Caller.Get(x.Resource.PageOf(""))).
		Says("Paid 24.00 Open EUR 111.77", "Refund 24.00 EUR of it", "Remove refund of 5.00 EUR −5.00 EUR",
			"Remove refund of 11.00 EUR RF 1 −11.00 EUR")
	x.Format.Replayed(x, x.Caller.Press(p, "Record refund"), made) // although the rest has changed again
	x.WantRows(x.Leaves)
	x.WantOutcomes("conflict", "created", "replayed")
}
