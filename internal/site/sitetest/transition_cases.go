package sitetest

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"onlyonce/internal/assert"
)

// madeAlready: the record is already in the state. The request succeeds, and changes nothing.
func madeAlready(x *Case) {
	first := x.Done()
	before := x.record()
	again := x.Under("another", x.Command)
	x.unchanged(again, first)
	repeat := x.Under("another", x.Command)
	assert.Thatf(x, repeat.Status == again.Status && repeat.Location() == again.Location() && repeat.Body == again.Body,
		"%v\nthen %v", again, repeat)
	assert.Thatf(x, x.record() == before, "the record was changed")
	outcome := Get[string](x.Bundle, `SELECT concat_ws(' ', outcome, changes) FROM intents WHERE key = 'another'`)
	assert.Thatf(x, outcome == "unchanged", "the history says %s", outcome)
	want := Rows{"intents": 1}
	for table, n := range x.Leaves {
		want[table] += n
	}
	x.WantRows(want)
}

// unchanged checks that an answer reports a record that is already in the state.
func (x *Case) unchanged(a, first Answer) {
	x.Helper()
	if x.IsHTML() {
		called := x.Label
		if x.Resource.onParentsPage() {
			called = "This " + x.Resource.Name
		}
		HTML{}.shown(x, a).Says(cmp.Or(x.State.Told, called+" was already "+x.State.Past+"."))
	} else if JSON.check(JSON{}, x, a); a.Status != http.StatusOK || a.Body != first.Body {
		x.Errorf("first %v\nagain %v", first, a)
	}
}

// record returns the stored row of the record, and the transaction that wrote it.
func (x *Case) record() string {
	x.Helper()
	return Get[string](x.Bundle, `SELECT r.xmin || ' ' || r::text FROM `+x.table+` r WHERE id = $1`, x.ID)
}

// offers checks that the page of an answer has the button of one transition, and not that of another.
func (x *Case) offers(a Answer, verb, not string) {
	x.Helper()
	if !x.IsHTML() {
		return
	}
	page := HTML{}.shown(x, a)
	has := func(verb string) bool { // as a button, or as a link to a question
		return slices.ContainsFunc(Elements(page.Root, "form", "a"), func(n *html.Node) bool {
			action, _ := Attr(n, "action")
			href, _ := Attr(n, "href")
			path, _, _ := strings.Cut(cmp.Or(action, href), "?")
			return path == x.Resource.RecordAt(x.ID)+"/"+verb
		})
	}
	assert.Thatf(x, has(verb) && !has(not), "the page offers %s: %t, and %s: %t", verb, has(verb), not, has(not))
}

// undoneSince: a repeat doesn't apply the transition again after it was undone.
func undoneSince(x *Case) {
	if x.State.Undo == "" {
		return
	}
	first := x.Done()
	x.offers(first, x.State.Undo, x.State.Verb)
	x.meanwhile(http.MethodPost, x.Resource.Path+"/{id}/"+x.State.Undo, "undo", nil)
	before := x.Contents()
	again := x.Ask(x.Command)
	x.Format.Replayed(x, again, first)
	if x.IsHTML() {
		said := (HTML{}).shown(x, x.Ask(x.Command)).flash()
		assert.Thatf(x, said != "" && !strings.Contains(said, x.State.Past), "it was undone, and the page says %q", said)
	}
	assert.Thatf(x, x.Contents() == before, "it was done again")
	x.Seen += 2
	x.Format.Done(x, x.Under("once more", x.Command)) // another key is another intent
}

// notAllowed: another person has brought the record into a state in which the transition isn't possible, since the page was opened.
func notAllowed(x *Case) {
	if x.State.Refused.Slug == "" {
		return
	}
	x.State.From = x.State.Refused.After
	other := x.another(x.Acme, "not allowed", x.Resource.Other)
	other.Seen = 0 // the buttons of people name no version
	x.Forget()
	before := x.Contents()
	refused := other.Ask(x.Command)
	x.Format.Refused(&other, refused, x.State.Refused.Slug, nil)
	if x.IsHTML() {
		x.Page(refused).LeadsTo(x.Resource.RecordAt(other.ID))
	}
	x.wantContents(before)
	x.WantOutcomes("conflict")
}
