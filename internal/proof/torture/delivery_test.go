package torture

import (
	"testing"

	"onlyonce/internal/assert"
)

// delivered returns an answer to a delivery of intent 0, an event of 4.00 for invoice a.
func delivered(from, to int, o outcome, id string) attempt {
	a := ended(from, to, o, id)
	a.Kind, a.Record, a.Asked, a.Number, a.Total, a.Digest = paid, "a", 400, "", 0, ""
	return a
}

// otherContent returns an answer to another content under the same id.
func otherContent(from, to int, o outcome, id string) attempt {
	a := other(delivered(from, to, o, id))
	a.Asked = 401
	return a
}

// kept returns the row of the event, and apart that of the other content.
func kept(id, state, reason string) row {
	return row{
		origin: origin{0, "webhook.receive", "key"}, id: id, total: 400, notes: "R-1", invoice: "a",
		event: happened{kind: "payment", state: state, reason: reason},
	}
}

func apart(id string) row {
	r := kept(id, "apart", "")
	r.total, r.event.apart = 401, true
	return r
}

func TestDeliveries(t *testing.T) {
	t.Parallel()
	applied, anotherAmount := kept("e", "applied", ""), kept("e", "applied", "")
	anotherAmount.total = 500
	anotherReference := kept("e", "undecided", "no-invoice")
	anotherReference.notes = "R-2"
	issued, partly := billed(2, "issued", 0), billed(3, "partially_paid", 400)
	once := []attempt{delivered(11, 12, created, "e")}
	for _, c := range []struct {
		name     string
		attempts []attempt
		rows     []row
		now      profile
		want     []string
	}{
		{"applied, and delivered again", append(once, delivered(13, 14, replayed, "e")), []row{applied}, partly, nil},
		{"another content kept apart", append(once, otherContent(13, 14, created, "f"), otherContent(15, 16, replayed, "f")),
			[]row{applied, apart("f")}, partly, nil},
		{"nobody knows", []attempt{delivered(11, 12, lost, "")}, []row{applied}, partly, nil},
		{"never arrived", []attempt{delivered(11, 12, lost, "")}, nil, issued, nil},
		{"lost", once, nil, issued, []string{"an acknowledged intent has exactly one record"}},
		{"kept twice", once, []row{applied, applied}, issued, []string{"an acknowledged intent has exactly one record"}},
		{"told twice that it was first", append(once, delivered(13, 14, created, "e")), []row{applied}, partly,
			[]string{"one attempt carries an intent out", "the answers to a key are linearizable"}},
		{"another content is not kept", append(once, otherContent(13, 14, created, "f")), []row{applied}, partly,
			[]string{"an acknowledged intent has exactly one record"}},
		{"another content is taken for the first", append(once, otherContent(13, 14, replayed, "e")), []row{applied}, partly,
			[]string{"an acknowledged intent has exactly one record", "the answers to a key are linearizable"}},
		{"another amount", once, []row{anotherAmount}, partly, []string{
			"what was answered is what is stored", "the changes of a record are linearizable"}},
		{"another reference", once, []row{anotherReference}, issued, []string{"the record is what was asked for"}},
		{"nobody sent it", nil, []row{kept("e", "undecided", "no-invoice")}, issued, []string{"every record has an intent"}},
		{"applied, and the invoice is not paid", once, []row{applied}, issued, []string{"the changes of a record are linearizable"}},
		{"paid, and the event was not applied", once, []row{kept("e", "undecided", "other-payment")}, partly,
			[]string{"the changes of a record are linearizable"}},
		{"refused for an invoice that was issued", once, []row{kept("e", "undecided", "not-issued")}, issued,
			[]string{"the changes of a record are linearizable"}},
		{"more than is open, and was not", once, []row{kept("e", "undecided", "more-than-open")}, issued,
			[]string{"the changes of a record are linearizable"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := afterIssue(c.rows, map[string]profile{"a": c.now})
			e.did(intent{kind: paid, key: "key", reference: "R-1"}, c.attempts...)
			e.finds(t, c.want)
		})
	}
}

// TestWaitingRefund checks that a refund that arrives before its payment is recorded with it.
func TestWaitingRefund(t *testing.T) {
	t.Parallel()
	for _, waited := range []bool{true, false} {
		a := delivered(1, 2, created, "e")
		a.Kind, a.Record = returned, ""
		r := kept("e", "applied", "")
		r.invoice = ""
		r.event = happened{kind: "refund", state: "applied", payment: "p", refunded: 100, refundOf: "a", waited: waited}
		e := &evidence{
			intents: []intent{{kind: returned, key: "key", reference: "R-1"}}, attempts: [][]attempt{{a}},
			rows: rows{byOrigin: map[origin][]row{r.origin: {r}}},
		}
		all := map[string]*timeline{"p": {}, "a": {}}
		all["p"].add(5, 6, event{kind: look, shown: held(1, 0)})
		e.recordDelivery(0, func(record string) *timeline { return all[record] })
		all["p"].add(lastLook, never, event{kind: look, shown: held(2, 100)})
		got := all["p"].linearizable(1) == "Ok"
		assert.Thatf(t, got == waited, "waited %t: linearizable %t", waited, got)
	}
}
