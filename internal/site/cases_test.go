package site_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
)

// row is a row of the table of cases.
type row struct {
	name string // as in docs/idempotency.md
	run  func(*caseRun)
	// outcomes are the outcomes in order, where did is replaced by the outcome of the operation. If nil, the case checks them
	// itself.
	outcomes []idempotency.Outcome
	// of lists the kinds for which every operation is run. If nil, one operation of each kind is run: the others differ only in
	// fields, statements and pages, on which the case doesn't depend.
	of []idempotency.Kind
	// ofOne is set if the case needs operations whose URL has the id of a record.
	ofOne bool
}

const did idempotency.Outcome = "did"

var (
	upserts     = []idempotency.Kind{idempotency.Upsert}
	changes     = []idempotency.Kind{idempotency.Change}
	transitions = []idempotency.Kind{idempotency.Transition}
	ofOneRecord = []idempotency.Kind{idempotency.Change, idempotency.Transition}
	creates     = []idempotency.Kind{idempotency.Create, idempotency.Upsert}
	notReusing  = []idempotency.Kind{idempotency.Create, idempotency.Change}
	allKinds    = []idempotency.Kind{idempotency.Create, idempotency.Upsert, idempotency.Change, idempotency.Transition}
	ofCommands  = []idempotency.Kind{idempotency.Create, idempotency.Upsert, idempotency.Change}
)

// cases is the table of cases. Behavior of a single format has separate tests.
func cases() []row {
	return []row{
		{"first success", firstSuccess, outcomes(did), allKinds, false},
		{"same key, same command, already done", alreadyDone, outcomes(did, "replayed", "replayed"), allKinds, false},
		{"same, but the caller may no longer see the record", noLongerVisible, nil, allKinds, false},
		{"same key, first still running", stillRunning, outcomes(did, "replayed"), nil, false},
		{"same key, first still running, past the bound", stillRunningPastTheBound, outcomes("in_progress", did, "replayed"), nil, false},
		{"work waits for something else, past the bound", busy, outcomes("failed", did), nil, false},
		{"same key, other command", otherCommand, nil, ofCommands, false},
		{"same key, other record", otherRecord, outcomes("mismatch"), allKinds, true},
		{"no key", noKey, nil, nil, false},
		{"malformed key", malformedKey, outcomes("rejected", "rejected", "rejected", "rejected"), nil, false},
		{"two keys", twoKeys, nil, nil, false},
		{"a browser's own key", browsersKey, nil, nil, false},
		{"invalid command", invalidCommand, nil, ofCommands, false},
		{"upsert hit", upsertHit, outcomes("created", "reused", "replayed"), upserts, false},
		{"unique value taken", valueTaken, nil, notReusing, false},
		{"same command, new key, minutes apart", wantedRepeat, nil, creates, false},
		{"change, same key again", changedSince, outcomes(did, "changed", "replayed"), changes, false},
		{"change without version", withoutVersion, nil, changes, false},
		{"change with stale version", staleVersion, outcomes("changed", "conflict", did), changes, false},
		{"change without a key, sent again", keylessAgain, nil, changes, false},
		{"change behind a proxy that compresses", weakTags, nil, changes, false},
		{"change that changes nothing", changesNothing, outcomes("unchanged", "replayed"), changes, false},
		{"no such record", noSuchRecord, nil, allKinds, true},
		{"transition made already", madeAlready, outcomes(did, "unchanged", "replayed"), transitions, false},
		{"transition undone since, same key again", undoneSince, nil, transitions, false},
		{"connection lost before commit", backendTerminated, outcomes(did, "replayed"), nil, false},
		{"answer lost after commit", answerLost, outcomes(did, "replayed"), nil, false},
		{"COMMIT itself unacknowledged", commitUnacknowledged, outcomes(did, "replayed"), nil, false},
		{"COMMIT itself unacknowledged, and nobody to ask", commitUnconfirmed, outcomes("failed", "replayed"), nil, false},
		{"client went away mid-request", clientGone, outcomes(did, "replayed"), nil, false},
		{"result expired, late retry", lateRetry, outcomes(did, "replayed"), nil, false},
		{"result expired, late retry with another command", lateOtherCommand, outcomes(did, "mismatch"), ofCommands, false},
		{"401", unauthorized, outcomes(did), nil, false},
		{"429", tooMany, outcomes(did), nil, false},
		{"5xx", internalError, outcomes("failed", did), nil, false},
		{"database down", databaseDown, nil, nil, false},
	}
}

func TestEveryCase(t *testing.T) { everyCase(t, resources()...) }

// everyCase runs each row of the table of cases for the operations of some resources, in both formats. A short run of all tests
// runs one operation of each kind.
func everyCase(t *testing.T, resources ...resource) {
	t.Helper()
	t.Parallel()
	all := setupHere(t).casesOf(resources...)
	var parts []part
	for _, row := range cases() {
		chosen := all
		if row.of == nil || testing.Short() && runFilter() == "" {
			chosen = oneOfEachKind(all)
		}
		for _, of := range chosen {
			if row.of != nil && !slices.Contains(row.of, of.kind) || row.ofOne && !of.namesOne() {
				continue
			}
			parts = append(parts, eachFormat(of, row.name, func(x *caseRun) {
				row.run(x)
				if row.outcomes != nil {
					x.wantOutcomes(row.outcomes...)
				}
			})...)
		}
	}
	for _, row := range externalCases() {
		for _, of := range all {
			if of.resource.external() && !of.kind.Changes() && (row.of == nil || slices.Contains(row.of, of.kind)) {
				parts = append(parts, part{of.resource, of.operation + "/" + row.name, func(b *bundle) {
					x := b.caseRunOf(of, externalFormat{id: "1"})
					row.run(x)
					x.wantOutcomes(row.outcomes...)
				}})
			}
		}
	}
	walk(t, resources, parts)
}

// rowNames returns the names of all rows of the table of cases.
func rowNames() (names []string) {
	for _, row := range append(cases(), externalCases()...) {
		names = append(names, row.name)
	}
	return names
}

func outcomes(all ...idempotency.Outcome) []idempotency.Outcome { return all }

// wantOutcomes compares the outcomes of all attempts since the case began.
func (x *caseRun) wantOutcomes(want ...idempotency.Outcome) {
	x.Helper()
	expected := slices.Clone(want)
	for i, outcome := range expected {
		if outcome == did {
			expected[i] = x.did()
		}
	}
	x.bundle.wantOutcomes(expected...)
}

func firstSuccess(x *caseRun) {
	first := x.ask(x.command)
	found := get[bool](x.bundle, `SELECT EXISTS (SELECT FROM intents WHERE key = $1 AND outcome = 'unchanged')`, key)
	if x.kind == idempotency.Transition && found {
		x.Fatalf("%s does nothing to a record that was just created: its Made is true for a new record", x.operation)
	}
	x.format.done(x, first)
	x.wantRows(x.leaves)
	if operation := get[string](x.bundle, `SELECT operation FROM intents WHERE key = $1`, key); operation != x.operation {
		x.Errorf("%s ran %s", x.operation, operation)
	}
	if by := x.written(x.transactions...); len(by) != 1 {
		x.Errorf("written by %d transactions", len(by))
	}
}

func alreadyDone(x *caseRun) {
	first := x.ask(x.command)
	x.format.done(x, first)
	x.format.replayed(x, x.ask(x.command), first)
	x.seen++           // the seen version is not part of the command
	other := x.serve() // any replica answers
	x.format.replayed(x, x.askAs(x.from(other), x.command), first)
	x.wantRows(x.leaves)
}

func noLongerVisible(x *caseRun) {
	x.format.done(x, x.ask(x.command))
	x.empty("intents", "intent_effects")
	again := x.ask(x.command)
	x.format.refused(x, again, "not-found", nil)
	for _, value := range append(x.resource.command["name"], x.label, x.resource.label, "ada@example.com") {
		if strings.Contains(again.body, value) {
			x.Errorf("has the stored record: %s", again.body)
		}
	}
	if x.resource.parent != nil && !x.kind.Changes() { // the parent is looked up before the claim
		x.wantOutcomes(did, "rejected")
	} else {
		x.wantOutcomes(did, "replayed")
	}
}

// otherCommand changes each field alone. A field that isn't read, or that the fingerprint leaves out, would replay the first
// answer.
func otherCommand(x *caseRun) {
	first := x.ask(x.command)
	x.format.done(x, first)
	want := outcomes(did, "mismatch")
	others := []url.Values{x.other}
	for _, f := range x.resource.fields {
		others, want = append(others, f.another(x.resource, x.command)), append(want, "mismatch")
	}
	for _, other := range others {
		again := x.ask(other)
		x.format.refused(x, again, "key-reused", other)
		if !strings.Contains(again.body, x.format.record(x, first)) {
			x.Errorf("no way to the first record: %s", again.body)
		}
	}
	x.wantRows(x.leaves)
	x.wantOutcomes(want...)
}

func noKey(x *caseRun) {
	refused := x.under("", x.command)
	if !x.isHTML() && x.kind.Changes() { // safe without a key, and repeatable
		x.format.done(x, refused)
		before, again := x.record(), x.under("", x.command)
		x.unchanged(again, refused)
		if x.record() != before {
			x.Error("the record was changed")
		}
		x.wantOutcomes(did, "unchanged")
		return
	}
	x.format.refused(x, refused, "key-missing", x.command)
	x.wantRows(rows{})
	if x.isHTML() && !x.isButton() {
		x.format.done(x, x.caller.press(x.page(refused), "Send with a new key"))
	} else {
		x.format.done(x, x.ask(x.command))
	}
	x.wantRows(x.leaves)
	x.wantOutcomes("rejected", did)
}

func malformedKey(x *caseRun) {
	for _, bad := range []string{strings.Repeat("k", 256), "schlüssel", "two\x7fparts", `"quoted" and more`} {
		if x.isHTML() {
			bad = strings.ReplaceAll(bad, `"`, "\n") // in a form field a quote has no meaning
		}
		bad = strings.ReplaceAll(bad, "\x7f", "é") // no client sends a control character in a header
		x.format.refused(x, x.under(bad, x.command), "key-malformed", x.command)
	}
	x.wantRows(rows{})
}

func twoKeys(x *caseRun) {
	if x.isHTML() {
		form := change(x.command)
		form["idempotency_key"] = []string{key, key}
		x.format.refused(x, x.under("", form), "key-malformed", x.command)
		x.wantOutcomes("rejected")
	} else {
		for _, lines := range [][]string{{key, key}, {key + ", " + key}, {`"` + key + `", "` + key + `"`}} { // or joined by a proxy
			x.format.refused(x, x.withKeys(lines...), "key-malformed", x.command)
		}
		x.wantOutcomes("rejected", "rejected", "rejected")
	}
	x.wantRows(rows{})
}

// withKeys sends the command with these values of the Idempotency-Key header.
func (x *caseRun) withKeys(lines ...string) answer {
	x.Helper()
	c := x.caller.with("Idempotency-Key", lines...)
	return c.must(x.format.send(x.Context(), c, *x, "", x.command))
}

// browsersKey: the key of a form is the one in its field. Firefox can send a header with each POST.
func browsersKey(x *caseRun) {
	if !x.isHTML() {
		return
	}
	x.command = change(x.command, "idempotency_key", key)
	first := x.withKeys(`"` + uuid.NewString() + `"`)
	x.format.done(x, first)
	x.format.replayed(x, x.withKeys(`"`+uuid.NewString()+`"`), first)
	x.format.replayed(x, x.withKeys("no", "key"), first)
	x.wantRows(x.leaves)
	x.wantOutcomes(did, "replayed", "replayed")
}

func invalidCommand(x *caseRun) {
	var want []idempotency.Outcome
	for _, f := range x.resource.fields {
		if f.pointer == "" {
			continue
		}
		wrong := change(x.command, f.name, f.invalid)
		refused := x.ask(wrong)
		x.format.refused(x, refused, "invalid", wrong, f.pointer)
		if x.isHTML() {
			p := x.page(refused)
			if got := p.typed().Get("idempotency_key"); got != key {
				x.Errorf("the form has key %q now", got)
			}
			if !strings.HasPrefix(p.title(), "Error: ") {
				x.Errorf("title %q", p.title())
			}
		}
		want = append(want, "rejected")
	}
	x.wantRows(rows{})
	x.format.done(x, x.ask(x.command))
	x.wantRows(x.leaves)
	x.wantOutcomes(append(want, did)...)
}

// upsertHit: two intents with one natural key. The existing record stays as it is.
func upsertHit(x *caseRun) {
	first := x.ask(x.command)
	x.format.done(x, first)
	hit := x.under("another", x.resource.repeats.reused)
	if x.isHTML() {
		htmlFormat{}.shown(x, hit).says(x.label + " already exists and was reused.")
	} else if jsonFormat.check(jsonFormat{}, x, hit); hit.status != http.StatusOK || hit.body != first.body {
		x.Errorf("want 200 with the existing record: %v", hit)
	}
	if x.format.record(x, hit) != x.format.record(x, first) {
		x.Errorf("another record: %v", hit)
	}
	again := x.under("another", x.resource.repeats.reused)
	if again.status != hit.status || again.location() != hit.location() || again.body != hit.body {
		x.Errorf("first %v\nagain %v", hit, again)
	}
	if added := x.added().minus(x.leaves); !added.equal(rows{"intents": 1}) {
		x.Errorf("also added rows %v", added)
	}
}

// valueTaken: another record has a value that must be unique. An upsert would find that record.
func valueTaken(x *caseRun) {
	for i, u := range x.resource.uniques {
		if i > 0 { // the earlier records use the other values
			x = setupHere(x.T).caseRunOf(*x, x.format)
		}
		mine, theirs := "mine "+u.field, change(x.resource.other, u.field, u.value)
		command := change(x.command, u.field, u.value)
		if x.kind == idempotency.Change { // its current value
			theirs, command = change(theirs, u.field, u.free), change(command, u.field, u.free)
		}
		existing := decode[created](x.bundle, x.program(x.replica, x.acme).create(x.resource, "theirs "+u.field, theirs))
		x.forget()
		before := x.contents()
		refused := x.under(mine, command)
		x.format.refused(x, refused, u.slug, command)
		if x.isHTML() {
			p := x.page(refused)
			p.leadsTo(x.resource.pageOf(existing.ID))
			p.leadsTo("/rules#" + x.resource.path[1:])
			if got := p.typed().Get("idempotency_key"); got != mine {
				x.Errorf("the form has key %q now", got)
			}
			if invalid, _ := attr(p.controls(u.field)[0], "aria-invalid"); invalid != "true" {
				x.Errorf("%s is not marked", u.field)
			}
		} else if p := decode[problem](x.bundle, refused); p.ExistingID != existing.ID ||
			p.ExistingURL != "/api/v1"+x.resource.path+"/"+existing.ID {
			x.Errorf("no way to the other record: %+v", p)
		}
		wantUnchanged(x.bundle, "what was refused", before, x.contents())
		if again := x.under(mine, x.command); again.status >= http.StatusBadRequest { // the key was not used up
			x.Errorf("%v", again)
		}
		x.wantOutcomes("conflict", did)
	}
}

func unauthorized(x *caseRun) {
	outside := x.stranger(x.replica)
	outside.header.Set("Content-Type", "application/json")
	refused := x.askAs(outside, x.command)
	x.format.refused(x, refused, "unauthorized", x.command)
	x.wantRows(rows{})
	if x.isHTML() {
		x.page(refused).leadsTo("/login")
		outside.logIn(x.acme, password)
		x.caller = outside
		x.format.done(x, outside.press(x.page(refused), "Try again"))
	} else {
		if got := refused.header.Get("WWW-Authenticate"); got != "Bearer" {
			x.Errorf("WWW-Authenticate %q", got)
		}
		x.format.done(x, x.ask(x.command))
	}
	x.wantRows(x.leaves)
}

func tooMany(x *caseRun) {
	limited := x.serve(func(c *config) { c.RateLimit = 1 })
	x.from(limited).get("/api/v1" + x.resource.list())
	x.from(limited).get(x.resource.formAt())
	x.format.refused(x, x.askAs(x.from(limited), x.command), "too-many", x.command)
	x.wantRows(rows{})
	x.format.done(x, x.ask(x.command))
}

// internalError: a bug of the server inside the transaction.
func internalError(x *caseRun) {
	x.db.Spoil(x.T)
	x.exec(`
		CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a mistake of ours'; END $$`)
	x.exec(`CREATE TRIGGER fail BEFORE INSERT ON intents FOR EACH ROW EXECUTE FUNCTION fail()`)
	refused := x.ask(x.command)
	x.format.refused(x, refused, "internal", x.command)
	if strings.Contains(refused.body, "a mistake of ours") {
		x.Errorf("has internal details: %s", refused.body)
	}
	x.wantRows(rows{})
	x.exec(`DROP TRIGGER fail ON intents`)
	x.tryAgain(x.caller, refused, x.format.done)
	x.wantRows(x.leaves)
}

// tryAgain sends the same command again; in a browser, by the button of the page.
func (x *caseRun) tryAgain(c *client, refused answer, check func(*caseRun, answer)) {
	x.Helper()
	if x.isHTML() {
		check(x, c.press(x.page(refused), "Try again"))
	} else {
		check(x, x.askAs(c, x.command))
	}
}
