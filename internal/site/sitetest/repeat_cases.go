package sitetest

import (
	"net/http"
	"strings"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// wantedRepeat: a form asks about a likely repeat, and one more click creates it. The API adds a note.
func wantedRepeat(x *Case) {
	must.Thatf(x, (x.Resource.Repeats.Alike != nil) == x.looksAlike,
		"%s looks for repeats: %v. Declare for the tests two commands that are alike, or none", x.Operation, x.looksAlike)
	if x.Resource.Repeats.Alike == nil {
		return
	}
	first := x.Ask(x.Resource.Repeats.Alike[0])
	x.Format.Done(x, first)
	added := x.added()
	again := x.Under("another", x.Resource.Repeats.Alike[1])
	if !x.IsHTML() {
		if again.Status != http.StatusCreated || Decode[Created](x.Bundle, again).PossibleDuplicateOf != x.Format.record(x, first) {
			x.Errorf("first %v\nagain %v", first, again)
		}
		x.Format.Replayed(x, x.Under("another", x.Resource.Repeats.Alike[1]), again)
		x.WantOutcomes(Did, "created", "replayed")
		return
	}
	x.Format.Refused(x, again, "looks-like-repeat", x.Resource.Repeats.Alike[1])
	x.WantRows(added)
	verb := x.Resource.Words.Verb
	anyway := strings.ToUpper(verb[:1]) + verb[1:] + " anyway"
	p := x.Page(again).Says(anyway + "?")
	p.LeadsTo(x.Resource.PageOf(x.Format.record(x, first)))
	for range 2 {
		created := x.Caller.Press(p, anyway)
		assert.Thatf(x, created.Status == http.StatusSeeOther, "%v", created)
	}
	x.WantOutcomes(Did, "conflict", "created", "replayed")
}
