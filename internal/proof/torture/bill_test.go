package torture

import (
	"slices"
	"testing"
	"time"

	"onlyonce/internal/assert"
)

// billed returns an answer with an invoice of 10.00.
func billed(version int, status string, paid cents) profile {
	p := profile{ID: "a", Number: "T-1", Version: version, Status: status, Notes: content(0, 0), Total: 1000, Paid: paid}
	if status != "draft" && status != "void" {
		p.IssuedAt, p.BillTo.Name = "2026-11-21T00:00:00Z", "Ada"
	}
	return p
}

func TestBill(t *testing.T) {
	t.Parallel()
	renamed := billed(3, "partially_paid", 400)
	renamed.BillTo.Name = "Grace"
	created := event{kind: look, shown: billed(1, "draft", 0)}
	issued := event{kind: issue, outcome: itChanged, shown: billed(2, "issued", 0)}
	voided := event{kind: void, outcome: itChanged, shown: billed(2, "void", 0)}
	paying := func(amount cents) event { return event{kind: pay, amount: amount, outcome: itChanged} }
	refused := func(k kind, outcome string, amount, open cents) event {
		return event{kind: k, outcome: outcome, amount: amount, open: open}
	}
	looked := func(p profile) event { return event{kind: look, shown: p} }
	redrafted := event{kind: redraft, seen: []int{1}, name: content(1, 0), outcome: itChanged}
	frozen := redrafted
	frozen.seen = []int{2}
	again := event{kind: issue, outcome: itUnchanged, shown: billed(2, "issued", 0)}
	inOrder(t, nil, []sequence{
		{"paid in parts", []event{created, issued, paying(400), paying(600), looked(billed(4, "paid", 1000))}, true},
		{"a payment is lost", []event{created, issued, paying(400), paying(600), looked(billed(4, "partially_paid", 400))}, false},
		{"a payment makes no version", []event{created, issued, paying(400), looked(billed(2, "partially_paid", 400))}, false},
		{"paid and still issued", []event{created, issued, paying(1000), looked(billed(3, "issued", 1000))}, false},
		{"paid twice", []event{created, issued, paying(1000), paying(1000)}, false},
		{"a draft paid", []event{created, paying(400)}, false},
		{"a void one paid", []event{created, voided, paying(400)}, false},
		{"more than is open", []event{created, issued, paying(400), refused(pay, itExceeds, 700, 600)}, true},
		{"more than is open, as others were told before", []event{created, issued, paying(400), refused(pay, itExceeds, 1100, 1000)}, true},
		{"refused, and was not more", []event{created, issued, paying(400), refused(pay, itExceeds, 600, 600)}, false},
		{"refused, with less than was open", []event{created, issued, refused(pay, itExceeds, 1100, 900)}, false},
		{"a draft not paid", []event{created, refused(pay, itBarred, 400, 0)}, true},
		{"an issued one not paid", []event{created, issued, refused(pay, itBarred, 400, 0)}, false},
		{"paid and not voided", []event{created, issued, paying(400), refused(void, itBarred, 0, 0)}, true},
		{"not paid and not voided", []event{created, issued, refused(void, itBarred, 0, 0)}, false},
		{"paid and voided", []event{created, issued, paying(400), {kind: void, outcome: itChanged}}, false},
		{"voided twice", []event{created, voided, {kind: void, outcome: itUnchanged, shown: billed(2, "void", 0)}}, true},
		{"issued twice", []event{created, issued, again}, true},
		{"issued twice, each time anew", []event{created, issued, {kind: issue, outcome: itChanged}}, false},
		{"a void one issued", []event{created, voided, {kind: issue, outcome: itChanged}}, false},
		{"a void one not issued", []event{created, voided, refused(issue, itBarred, 0, 0)}, true},
		{"edited", []event{created, redrafted}, true},
		{"edited after it was issued", []event{created, issued, frozen}, false},
		{"not edited after it was issued", []event{created, issued, refused(redraft, itBarred, 0, 0)}, true},
		{"not edited as a draft", []event{created, refused(redraft, itBarred, 0, 0)}, false},
		{"the customer's name changes behind it", []event{created, issued, paying(400), looked(renamed)}, false},
	})
}

// sequence is a sequence of events, and whether they may follow one another.
type sequence struct {
	name   string
	events []event
	want   bool
}

// inOrder checks sequences that begin with the same events.
func inOrder(t *testing.T, begin []event, sequences []sequence) {
	t.Helper()
	for _, c := range sequences {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var all timeline
			for n, e := range slices.Concat(begin, c.events) {
				all.add(time.Duration(2*n), time.Duration(2*n+1), e)
			}
			got := all.linearizable(1) == "Ok"
			assert.Thatf(t, got == c.want, "got %t", got)
		})
	}
}

func TestJudgePayments(t *testing.T) {
	t.Parallel()
	pays := func(from, to int, o outcome) attempt {
		a := attempt{Called: time.Duration(from), Done: time.Duration(to), Outcome: o, Kind: pay, Key: "key", Record: "a", Asked: 400}
		switch o {
		case created, replayed:
			a.ID, a.Total, a.Digest = "p", 400, "body"
		case current, mismatch:
			a.ID, a.Total = "p", 400
		case conflict:
			a.Limit, a.Open = byOpen, 300
		default:
		}
		return a
	}
	kept := row{origin: origin{0, "payment.create", "key"}, id: "p", total: 400, notes: "R-1", invoice: "a"}
	twice, unasked, more, elsewhere, other := kept, kept, kept, kept, kept
	twice.id, unasked.key, more.total, elsewhere.invoice, other.notes = "q", "nobody's", 500, "b", "R-2"
	const model = "the changes of a record are linearizable"
	for _, c := range []struct {
		name     string
		attempts []attempt
		stored   []row
		paid     cents
		want     []string
	}{
		{"paid and replayed", []attempt{pays(1, 2, created), pays(3, 4, replayed)}, []row{kept}, 400, nil},
		{"lost and paid", []attempt{pays(1, 2, lost), pays(3, 4, replayed), pays(5, 6, current)}, []row{kept}, 400, nil},
		{"lost and not paid", []attempt{pays(1, 2, lost)}, nil, 0, nil},
		{"refused while nothing is open", []attempt{pays(1, 2, conflict)}, nil, 0, []string{model}},
		{"acknowledged and missing", []attempt{pays(1, 2, created)}, nil, 0, []string{"an acknowledged intent has exactly one record"}},
		{"acknowledged and not on the invoice", []attempt{pays(1, 2, created)}, []row{kept}, 0, []string{model}},
		{"on the invoice twice", []attempt{pays(1, 2, created)}, []row{kept}, 800, []string{model}},
		{"paid twice", []attempt{pays(1, 2, created)}, []row{kept, twice}, 400,
			[]string{"an acknowledged intent has exactly one record", model}},
		{"refused and stored", []attempt{pays(1, 2, conflict)}, []row{kept}, 400, []string{model}},
		{"nobody asked", nil, []row{unasked}, 0, []string{"every record has an intent"}},
		{"another amount", []attempt{pays(1, 2, created)}, []row{more}, 500, []string{"what was answered is what is stored"}},
		{"another invoice", []attempt{pays(1, 2, created)}, []row{elsewhere}, 0,
			[]string{"what was answered is what is stored", model}},
		{"another reference", []attempt{pays(1, 2, created)}, []row{other}, 400, []string{"the record is what was asked for"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			state, version := "issued", 2
			if c.paid > 0 {
				state, version = "partially_paid", 3
			}
			e := afterIssue(c.stored, map[string]profile{"a": billed(version, state, c.paid), "b": {}})
			e.did(intent{kind: pay, key: "key", reference: "R-1"}, c.attempts...)
			e.finds(t, c.want)
		})
	}
}

// afterIssue returns evidence of invoice a, which was created and issued, with further rows and the final state of records.
func afterIssue(kept []row, now map[string]profile) *evidence {
	made := row{
		origin: origin{0, "invoice.create", "made"}, id: "a", notes: content(0, 0), email: "a@example.com", number: "2026-0001",
	}
	e := &evidence{rows: rows{
		all:     append(slices.Clone(kept), made),
		changes: []stored{{origin{0, "invoice.issue", "issue"}, "a", true, ""}},
		now:     now,
	}}
	e.did(intent{kind: allocated, key: "made", email: made.email}, attempt{
		Called: -5, Done: -4, Outcome: created, Key: "made", ID: "a", Number: made.number, Shown: billed(1, "draft", 0),
	})
	e.did(intent{kind: issue, key: "issue"}, attempt{
		Called: -3, Done: -2, Outcome: done, Kind: issue, Key: "issue", Record: "a", ID: "a", Shown: billed(2, "issued", 0),
	})
	return e
}

func (e *evidence) did(in intent, attempts ...attempt) {
	in.n = len(e.intents)
	e.intents, e.attempts = append(e.intents, in), append(e.attempts, attempts)
}
