package site_test

import (
	"net/url"
	"slices"
	"testing"

	"onlyonce/internal/idempotency"
)

// TestFormsChangeNothingByThemselves: an edit form that is sent as it was opened leaves the record as it is. A field missing
// from the form, or from the values it is filled with, would be erased, or revert a concurrent change.
func TestFormsChangeNothingByThemselves(t *testing.T) {
	t.Parallel()
	var parts []part
	for _, of := range setupHere(t).casesOf(resources()...) {
		if of.kind == idempotency.Change {
			parts = append(parts, part{of.resource, of.operation, func(b *bundle) {
				x := b.caseRunOf(of, htmlFormat{})
				x.sendsWhatItShows("one field changed", x.command) // the other fields have their first values
				x.sendsWhatItShows("every field changed", x.allChanged())
				x.putsNothingBack()
			}})
		}
	}
	walk(t, parts)
}

// sendsWhatItShows saves a command, opens the form again and sends that.
func (x *caseRun) sendsWhatItShows(key string, command url.Values) {
	x.Helper()
	to := *x
	to.seen = get[int](x.bundle, `SELECT version FROM `+x.table+` WHERE id = $1`, x.id)
	htmlFormat{}.shown(x, x.caller.must(x.format.send(x.Context(), x.caller, to, key, command)))
	tables := slices.DeleteFunc(x.tenantTables(), func(table string) bool { return table == "intents" })
	before := x.digest(append(tables, "users"))
	form := x.page(x.caller.get(x.caller.get(x.at(x.form)).location()))
	sent := x.caller.press(form, "Save changes")
	changes := get[string](x.bundle, `SELECT COALESCE((SELECT changes::text FROM intents WHERE record_id = $1 AND key = $2), 'none')`,
		x.id, form.typed().Get("idempotency_key"))
	if changes != "none" {
		x.Errorf("%s: sent as it was, the form changed %s", key, changes)
	}
	wantUnchanged(x.bundle, "the form of "+x.resource.name, before, x.digest(append(tables, "users")))
	htmlFormat{}.shown(x, sent).says("Nothing to save")
}

// putsNothingBack sends an old form after a concurrent change: the refused form has the same values as a new one.
func (x *caseRun) putsNothingBack() {
	x.Helper()
	open := func() page { return x.page(x.caller.get(x.caller.get(x.at(x.form)).location())) }
	old := open()
	x.changeMeanwhile("theirs")
	refused, fresh := x.page(x.caller.press(old, "Save changes")).typed(), open().typed()
	for name, values := range fresh {
		if name != "idempotency_key" && !slices.Equal(refused[name], values) {
			x.Errorf("%s was not touched, and would be put back from %q to %q", name, values, refused[name])
		}
	}
}
