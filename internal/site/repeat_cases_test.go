package site_test

import "net/http"

// wantedRepeat: a form asks about a likely repeat, and one more click creates it. The API adds a note.
func wantedRepeat(x *caseRun) {
	if (x.resource.repeats.alike != nil) != x.looksAlike {
		x.Fatalf("%s looks for repeats: %v. Declare for the tests two commands that are alike, or none", x.operation, x.looksAlike)
	}
	if x.resource.repeats.alike == nil {
		return
	}
	first := x.ask(x.resource.repeats.alike[0])
	x.format.done(x, first)
	added := x.added()
	again := x.under("another", x.resource.repeats.alike[1])
	if !x.isHTML() {
		if again.status != http.StatusCreated || decode[created](x.bundle, again).PossibleDuplicateOf != x.format.record(x, first) {
			x.Errorf("first %v\nagain %v", first, again)
		}
		x.format.replayed(x, x.under("another", x.resource.repeats.alike[1]), again)
		x.wantOutcomes(did, "created", "replayed")
		return
	}
	x.format.refused(x, again, "looks-like-repeat", x.resource.repeats.alike[1])
	x.wantRows(added)
	p := x.page(again).says("Create anyway?")
	p.leadsTo(x.resource.pageOf(x.format.record(x, first)))
	for range 2 {
		if created := x.caller.press(p, "Create anyway"); created.status != http.StatusSeeOther {
			x.Errorf("%v", created)
		}
	}
	x.wantOutcomes(did, "conflict", "created", "replayed")
}
