package torture

import (
	"slices"
	"testing"

	"onlyonce/internal/assert"
)

// held returns an answer with a payment of 4.00 of invoice a.
func held(version int, refunded cents) profile {
	return profile{ID: "p", Version: version, InvoiceID: "a", Amount: 400, Refunded: refunded}
}

func TestRefundable(t *testing.T) {
	t.Parallel()
	paid := event{kind: look, shown: held(1, 0)}
	looked := func(version int, refunded cents) event { return event{kind: look, shown: held(version, refunded)} }
	refunding := func(amount cents) event { return event{kind: refund, amount: amount, outcome: itChanged} }
	refused := func(amount, left cents) event {
		return event{kind: refund, amount: amount, outcome: itExceeds, limit: byPayment, open: left}
	}
	smaller := held(1, 0)
	smaller.Amount = 300
	inOrder(t, nil, []sequence{
		{"refunded in parts", []event{paid, refunding(100), refunding(300), looked(3, 400)}, true},
		{"a refund is lost", []event{paid, refunding(100), refunding(300), looked(3, 300)}, false},
		{"a refund makes no version", []event{paid, refunding(100), looked(1, 100)}, false},
		{"more than was paid", []event{paid, refunding(100), refunding(400)}, false},
		{"more than was paid, which is told at the end", []event{refunding(500), looked(2, 500)}, false},
		{"refused", []event{paid, refunding(100), refused(400, 300)}, true},
		{"refused, and was not more", []event{paid, refunding(100), refused(300, 300)}, false},
		{"refused, with less than was left", []event{paid, refused(500, 300)}, false},
		{"the amount changes", []event{paid, {kind: look, shown: smaller}}, false},
	})
}

func TestCreditedBill(t *testing.T) {
	t.Parallel()
	credited := func(version int, state string, paid, credited cents) event {
		p := billed(version, state, paid)
		p.Credited = credited
		return event{kind: look, shown: p}
	}
	did := func(k kind, amount cents) event { return event{kind: k, amount: amount, outcome: itChanged} }
	became := func(amount, became cents) event {
		return event{kind: credit, amount: amount, became: became, outcome: itChanged}
	}
	refused := func(limit string) event { return event{kind: credit, outcome: itExceeds, limit: limit} }
	issued := []event{{kind: look, shown: billed(1, "draft", 0)}, {kind: issue, outcome: itChanged, shown: billed(2, "issued", 0)}}
	inOrder(t, issued, []sequence{
		{"credited in parts", []event{
			did(credit, 400), credited(3, "issued", 0, 400), did(credit, 600), credited(4, "credited", 0, 1000),
		}, true},
		{"credited the rest", []event{did(credit, 400), {kind: credit, amount: 600, limit: byAll, outcome: itChanged}}, true},
		{"credited less than the rest", []event{did(credit, 400), {kind: credit, amount: 500, limit: byAll, outcome: itChanged}}, false},
		{"paid and credited", []event{did(credit, 400), did(pay, 600), credited(4, "paid", 600, 400)}, true},
		{"a credit note is lost", []event{did(credit, 400), credited(3, "issued", 0, 0)}, false},
		{"a credit note makes no version", []event{did(credit, 400), credited(2, "issued", 0, 400)}, false},
		{"credited and still issued", []event{did(credit, 1000), credited(3, "issued", 0, 1000)}, false},
		{"credited more than was billed", []event{did(credit, 600), did(credit, 600)}, false},
		{"credited what was paid", []event{did(pay, 600), became(600, 200), credited(4, "paid", 400, 600)}, true},
		{"credited what was paid, but no credit", []event{did(pay, 600), did(credit, 600)}, false},
		{"credited what is open, and credit", []event{did(pay, 600), became(400, 1)}, false},
		{"refunded what became credit", []event{did(pay, 600), became(600, 200), did(unpay, 500)}, false},
		{"refunded the rest", []event{did(pay, 600), became(600, 200), did(unpay, 400), credited(5, "issued", 0, 600)}, true},
		{"paid what was credited", []event{did(credit, 600), did(pay, 600)}, false},
		{"refunded and credited", []event{did(pay, 600), did(unpay, 200), did(credit, 600), credited(5, "paid", 400, 600)}, true},
		{"refunded, and the invoice does not know", []event{did(pay, 600), did(unpay, 200), credited(4, "partially_paid", 600, 0)}, false},
		{"refunded more than was paid", []event{did(pay, 600), did(unpay, 700)}, false},
		{"refunded and voided", []event{did(pay, 600), did(unpay, 600), did(void, 0)}, true},
		{"refunded in part and voided", []event{did(pay, 600), did(unpay, 500), did(void, 0)}, false},
		{"credited and voided", []event{did(credit, 0), did(void, 0)}, false},
		{"credited and not voided", []event{did(credit, 0), {kind: void, outcome: itBarred}}, true},
		{"refunded and not voided", []event{did(pay, 600), did(unpay, 600), {kind: void, outcome: itBarred}}, false},
		{"a void one credited", []event{did(void, 0), did(credit, 400)}, false},
		{"an issued one not credited", []event{{kind: credit, outcome: itBarred}}, false},
		{"sent again", []event{{kind: send, outcome: itUnchanged}, credited(2, "issued", 0, 0)}, true},
		{"sending makes a version", []event{{kind: send, outcome: itUnchanged}, credited(3, "issued", 0, 0)}, false},
		{"a void one sent", []event{did(void, 0), {kind: send, outcome: itUnchanged}}, false},
		{"a void one not sent", []event{did(void, 0), {kind: send, outcome: itBarred}}, true},
		{"an issued one not sent", []event{{kind: send, outcome: itBarred}}, false},
		{"more than is left of a line", []event{did(credit, 400), refused(byLine)}, true},
		{"more than is left of a line, and nothing was credited", []event{refused(byLine)}, false},
		{"nothing is left", []event{did(credit, 1000), refused(byAll)}, true},
		{"nothing is left, and something is", []event{did(credit, 900), refused(byAll)}, false},
	})
}

// TestMayPass checks that only a refusal by the open amount may be followed by success, after a refund. Refusals by the rest of a
// payment or a line are final.
func TestMayPass(t *testing.T) {
	t.Parallel()
	for limit, want := range map[string]bool{byOpen: true, byPayment: false, byLine: false, byAll: false} {
		refused := ended(1, 2, conflict, "")
		refused.Limit = limit
		got := linearizable([]attempt{refused, ended(3, 4, created, "a")}, false) == "Ok"
		assert.Thatf(t, got == want, "beyond %s: %t", limit, got)
	}
	for _, k := range []kind{credit, pay} {
		refused := ended(1, 2, conflict, "")
		refused.Limit, refused.Kind = byLine, k
		if got := linearizable([]attempt{refused, other(ended(3, 4, created, "a"))}, false) == "Ok"; got != (k == credit) {
			t.Errorf("the other command of a %v: %t", k, got)
		}
		if got := refusedForEver([]attempt{refused, other(ended(3, 4, lost, ""))}); got == (k == credit) {
			t.Errorf("a %v refused for ever: %t", k, got)
		}
	}
	const refusal = "a refused change is not stored"
	for problem, want := range map[string][]string{"has-payments": nil, "has-credit-notes": {refusal}} {
		refused := attempt{Called: 1, Done: 2, Outcome: barred, Problem: problem, Kind: void, Key: "key", Record: "a"}
		unknown := attempt{Called: 3, Done: 4, Outcome: lost, Kind: void, Key: "key", Record: "a"}
		e := &evidence{
			intents:  []intent{{kind: void, key: "key"}},
			attempts: [][]attempt{{refused, unknown}},
			byKey:    map[origin][]stored{{0, "invoice.void", "key"}: {{origin{0, "invoice.void", "key"}, "a", true, ""}}},
		}
		e.changes(0)
		var got []string
		for _, v := range e.found {
			got = append(got, v.Rule)
		}
		assert.Thatf(t, slices.Equal(got, want), "%s: %q", problem, got)
	}
}

// TestJudgeRefundsAndCreditNotes checks that a refund belongs to its payment and invoice, and that a credit note has the requested
// lines.
func TestJudgeRefundsAndCreditNotes(t *testing.T) {
	t.Parallel()
	given := row{origin: origin{0, "refund.create", "refund"}, id: "f", total: 100, invoice: "a", payment: "p"}
	note := row{
		origin: origin{0, "credit_note.create", "credit"}, id: "n", number: "CN-2026-0001", total: 200, invoice: "a", lines: "1:500",
	}
	twice, elsewhere, more, otherLines, unasked := given, given, given, note, note
	twice.id, elsewhere.payment, more.total, otherLines.lines, unasked.key = "g", "q", 300, "1:400", "nobody's"
	const (
		model = "the changes of a record are linearizable"
		agree = "what was answered is what is stored"
		once  = "an acknowledged intent has exactly one record"
	)
	invoiced := func(version int, state string, paid, credited cents) profile {
		p := billed(version, state, paid)
		p.Credited = credited
		return p
	}
	for _, c := range []struct {
		name    string
		stored  []row
		invoice profile
		payment profile
		want    []string
	}{
		{"all is there", []row{given, note}, invoiced(5, "partially_paid", 300, 200), held(2, 100), nil},
		{"the refund is missing", []row{note}, invoiced(4, "partially_paid", 400, 200), held(1, 0), []string{once}},
		{"the credit note is missing", []row{given}, invoiced(4, "partially_paid", 300, 0), held(2, 100), []string{once}},
		{"refunded twice", []row{given, twice, note}, invoiced(6, "partially_paid", 200, 200), held(3, 200),
			[]string{once, model, model}},
		{"the payment does not know", []row{given, note}, invoiced(5, "partially_paid", 300, 200), held(1, 0), []string{model}},
		{"the invoice does not know of the refund", []row{given, note}, invoiced(4, "partially_paid", 400, 200), held(2, 100),
			[]string{model}},
		{"the invoice does not know of the credit note", []row{given, note}, invoiced(4, "partially_paid", 300, 0), held(2, 100),
			[]string{model}},
		{"of another payment", []row{elsewhere, note}, invoiced(5, "partially_paid", 300, 200), held(1, 0), []string{agree}},
		{"another amount", []row{more, note}, invoiced(5, "partially_paid", 100, 200), held(2, 300), []string{agree}},
		{"other lines", []row{given, otherLines}, invoiced(5, "partially_paid", 300, 200), held(2, 100), []string{agree}},
		{"nobody asked", []row{given, note, unasked}, invoiced(5, "partially_paid", 300, 200), held(2, 100),
			[]string{"every record has an intent"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			paid := attempt{
				Called: 5, Done: 6, Outcome: created, Kind: pay, Key: "pay", Record: "a", ID: "p", Asked: 400, Total: 400,
				Shown: held(1, 0),
			}
			refunded := attempt{
				Called: 7, Done: 8, Outcome: created, Kind: refund, Key: "refund", Record: "p", ID: "f", Asked: 100, Total: 100,
			}
			credited := attempt{
				Called: 9, Done: 10, Outcome: created, Kind: credit, Key: "credit", Record: "a", ID: "n", Number: "CN-2026-0001",
				Total: 200, Lines: "1:500",
			}
			payment := row{origin: origin{0, "payment.create", "pay"}, id: "p", total: 400, invoice: "a"}
			e := afterIssue(append(c.stored, payment), map[string]profile{"a": c.invoice, "p": c.payment, "q": {}})
			e.did(intent{kind: pay, key: "pay"}, paid)
			e.did(intent{kind: refund, key: "refund"}, refunded)
			e.did(intent{kind: credit, key: "credit"}, credited)
			e.finds(t, c.want)
		})
	}
}
