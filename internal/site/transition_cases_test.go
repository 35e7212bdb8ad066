package site_test

import (
	"net/http"
	"strings"
)

// madeAlready: the record is already in the state. The request succeeds, and changes nothing.
func madeAlready(x *caseRun) {
	first := x.ask(x.command)
	x.format.done(x, first)
	before := x.record()
	again := x.under("another", x.command)
	x.unchanged(again, first)
	repeat := x.under("another", x.command)
	if repeat.status != again.status || repeat.location() != again.location() || repeat.body != again.body {
		x.Errorf("%v\nthen %v", again, repeat)
	}
	if x.record() != before {
		x.Error("the record was changed")
	}
	outcome := get[string](x.bundle, `SELECT concat_ws(' ', outcome, changes) FROM intents WHERE key = 'another'`)
	if outcome != "unchanged" {
		x.Errorf("the history says %s", outcome)
	}
	want := rows{"intents": 1}
	for table, n := range x.leaves {
		want[table] += n
	}
	x.wantRows(want)
}

// unchanged checks that an answer reports a record that is already in the state.
func (x *caseRun) unchanged(a, first answer) {
	x.Helper()
	if x.isHTML() {
		called := x.label
		if x.resource.parent != nil && !x.resource.parent.ownPage { // the page has the parent's name
			called = "This " + x.resource.name
		}
		htmlFormat{}.shown(x, a).says(called + " was already " + x.state.past + ".")
	} else if jsonFormat.check(jsonFormat{}, x, a); a.status != http.StatusOK || a.body != first.body {
		x.Errorf("first %v\nagain %v", first, a)
	}
}

// record returns the stored row of the record, and the transaction that wrote it.
func (x *caseRun) record() string {
	x.Helper()
	return get[string](x.bundle, `SELECT r.xmin || ' ' || r::text FROM `+x.table+` r WHERE id = $1`, x.id)
}

// undoneSince: a repeat doesn't apply the transition again after it was undone.
func undoneSince(x *caseRun) {
	if x.state.undo == "" {
		return
	}
	first := x.ask(x.command)
	x.format.done(x, first)
	x.meanwhile(http.MethodPost, x.resource.path+"/{id}/"+x.state.undo, "undo", nil)
	before := x.contents()
	again := x.ask(x.command)
	x.format.replayed(x, again, first)
	if x.isHTML() {
		if said := (htmlFormat{}).shown(x, x.ask(x.command)).flash(); said == "" || strings.Contains(said, x.state.past) {
			x.Errorf("it was undone, and the page says %q", said)
		}
	}
	if x.contents() != before {
		x.Error("it was done again")
	}
	x.seen += 2
	x.format.done(x, x.under("once more", x.command)) // another key is another intent
}
