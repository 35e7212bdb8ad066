package sitetest

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"

	"github.com/google/uuid"
)

type row struct {
	name string // as in docs/idempotency.md
	run  func(*Case)
	// outcomes are the outcomes in order, where did is replaced by the outcome of the operation. If nil, the case checks them
	// itself.
	outcomes []idempotency.Outcome
	// of lists the kinds for which every operation is run. If nil, one operation of each kind is run: the others differ only in
	// fields, statements and pages, on which the case doesn't depend.
	of []idempotency.Kind
	// ofOne is set if the case needs operations whose URL has the id of a record.
	ofOne bool
}

// Did is a placeholder for the outcome of the first success of an operation.
const Did idempotency.Outcome = "did"

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
		{"first success", firstSuccess, Outcomes(Did), allKinds, false},
		{"same key, same command, already done", alreadyDone, Outcomes(Did, "replayed", "replayed"), allKinds, false},
		{"same, but the caller may no longer see the record", noLongerVisible, nil, allKinds, false},
		{"same key, first still running", stillRunning, Outcomes(Did, "replayed"), nil, false},
		{"same key, first still running, past the bound", stillRunningPastTheBound, Outcomes("in_progress", Did, "replayed"), nil, false},
		{"work waits for something else, past the bound", busy, Outcomes("failed", Did), nil, false},
		{"same key, other command", otherCommand, nil, ofCommands, false},
		{"same key, other record", otherRecord, Outcomes("mismatch"), allKinds, true},
		{"no key", noKey, nil, nil, false},
		{"malformed key", malformedKey, Outcomes("rejected", "rejected", "rejected", "rejected"), nil, false},
		{"two keys", twoKeys, nil, nil, false},
		{"a browser's own key", browsersKey, nil, nil, false},
		{"invalid command", invalidCommand, nil, ofCommands, false},
		{"upsert hit", upsertHit, Outcomes("created", "reused", "replayed"), upserts, false},
		{"unique value taken", valueTaken, nil, notReusing, false},
		{"same command, new key, minutes apart", wantedRepeat, nil, creates, false},
		{"change, same key again", changedSince, Outcomes(Did, "changed", "replayed"), changes, false},
		{"change without version", withoutVersion, nil, changes, false},
		{"change with stale version", staleVersion, Outcomes("changed", "conflict", Did), changes, false},
		{"change without a key, sent again", keylessAgain, nil, changes, false},
		{"change behind a proxy that compresses", weakTags, nil, changes, false},
		{"change that changes nothing", changesNothing, Outcomes("unchanged", "replayed"), changes, false},
		{"no such record", noSuchRecord, nil, allKinds, true},
		{"transition made already", madeAlready, Outcomes(Did, "unchanged", "replayed"), transitions, false},
		{"transition that the state doesn't allow", notAllowed, nil, transitions, false},
		{"transition undone since, same key again", undoneSince, nil, transitions, false},
		{"connection lost before commit", backendTerminated, Outcomes(Did, "replayed"), nil, false},
		{"answer lost after commit", answerLost, Outcomes(Did, "replayed"), nil, false},
		{"COMMIT itself unacknowledged", commitUnacknowledged, Outcomes(Did, "replayed"), nil, false},
		{"COMMIT itself unacknowledged, and nobody to ask", commitUnconfirmed, Outcomes("failed", "replayed"), nil, false},
		{"client went away mid-request", clientGone, Outcomes(Did, "replayed"), nil, false},
		{"result expired, late retry", lateRetry, Outcomes(Did, "replayed"), nil, false},
		{"result expired, late retry with another command", lateOtherCommand, Outcomes(Did, "mismatch"), ofCommands, false},
		{"401", unauthorized, Outcomes(Did), nil, false},
		{"429", tooMany, Outcomes(Did), nil, false},
		{"5xx", internalError, Outcomes("failed", Did), nil, false},
		{"database down", databaseDown, nil, nil, false},
	}
}

// Cases runs each row of the table of cases for the operations of some resources, in each format. A short run of all tests runs each row
// once, for the operations by turns.
func Cases(t *testing.T, resources ...Resource) {
	t.Helper()
	t.Parallel()
	all := setupHere(t).CasesOf(resources...)
	var parts []Part
	for turn, row := range cases() {
		chosen := all
		if row.of == nil {
			chosen = oneOfEachKind(all)
		}
		var ofRow []Part
		for _, of := range chosen {
			if row.of != nil && !slices.Contains(row.of, of.Kind) || row.ofOne && !of.NamesOne() {
				continue
			}
			ofRow = append(ofRow, eachFormat(of, row.name, func(x *Case) {
				row.run(x)
				if row.outcomes != nil {
					x.WantOutcomes(row.outcomes...)
				}
			})...)
		}
		parts = append(parts, unlessShort(ofRow, turn)...)
	}
	for turn, row := range externalCases() {
		var ofRow []Part
		for _, of := range all {
			if of.Resource.external() && !of.Kind.Changes() && (row.of == nil || slices.Contains(row.of, of.Kind)) {
				ofRow = append(ofRow, Part{of.Resource, of.Operation + "/" + row.name, func(b *Bundle) {
					x := b.caseRunOf(of, externalFormat{id: "1"})
					row.run(x)
					x.WantOutcomes(row.outcomes...)
				}})
			}
		}
		parts = append(parts, unlessShort(ofRow, turn)...)
	}
	Walk(t, resources, parts)
}

// unlessShort returns the parts, or the one whose turn it is in a short run of all tests.
func unlessShort(parts []Part, turn int) []Part {
	if !testing.Short() || runFilter() != "" || len(parts) == 0 {
		return parts
	}
	turn %= len(parts)
	return parts[turn : turn+1]
}

// RowNames returns the names of all rows of the table of cases.
func RowNames() (names []string) {
	for _, row := range append(cases(), externalCases()...) {
		names = append(names, row.name)
	}
	return names
}

// Outcomes returns outcomes in order.
func Outcomes(all ...idempotency.Outcome) []idempotency.Outcome { return all }

// WantOutcomes compares the outcomes of all attempts since the case began.
func (x *Case) WantOutcomes(want ...idempotency.Outcome) {
	x.Helper()
	expected := slices.Clone(want)
	for i, outcome := range expected {
		if outcome == Did {
			expected[i] = x.did()
		}
	}
	x.Bundle.WantOutcomes(expected...)
}

func firstSuccess(x *Case) {
	first := x.Ask(x.Command)
	found := Get[bool](x.Bundle, `SELECT EXISTS (SELECT FROM intents WHERE key = $1 AND outcome = 'unchanged')`, Key)
	must.Thatf(x, x.Kind != idempotency.Transition || !found,
		"%s does nothing to a record that was just created: its Made is true for a new record", x.Operation)
	x.Format.Done(x, first)
	x.WantRows(x.Leaves)
	operation := Get[string](x.Bundle, `SELECT operation FROM intents WHERE key = $1`, Key)
	assert.Thatf(x, operation == x.Operation, "%s ran %s", x.Operation, operation)
	by := x.Written(x.Transactions...)
	assert.Thatf(x, len(by) == 1, "written by %d transactions", len(by))
}

func alreadyDone(x *Case) {
	first := x.Done()
	x.Format.Replayed(x, x.Ask(x.Command), first)
	x.Seen++           // the seen version is not part of the command
	other := x.Serve() // any replica answers
	x.Format.Replayed(x, x.AskAs(x.from(other), x.Command), first)
	x.WantRows(x.Leaves)
}

func noLongerVisible(x *Case) {
	x.Done()
	x.empty("intents", "intent_effects")
	again := x.Ask(x.Command)
	x.Format.Refused(x, again, "not-found", nil)
	for _, value := range append(x.Resource.Command["name"], x.Label, x.Resource.Label, "ada@example.com") {
		assert.Thatf(x, !strings.Contains(again.Body, value), "has the stored record: %s", again.Body)
	}
	if x.Resource.Parent != nil && !x.Kind.Changes() || x.State.Command != nil { // the parent, or the link, is looked up before the claim
		x.WantOutcomes(Did, "rejected")
	} else {
		x.WantOutcomes(Did, "replayed")
	}
}

// otherCommand changes each field alone. A field that isn't read, or that the fingerprint leaves out, would replay the first
// answer.
func otherCommand(x *Case) {
	first := x.Done()
	want := Outcomes(Did, "mismatch")
	others := []url.Values{x.Other}
	for _, f := range x.Resource.Fields {
		others, want = append(others, f.another(x.Resource, x.Command)), append(want, "mismatch")
	}
	for _, other := range others {
		again := x.Ask(other)
		x.Format.Refused(x, again, "key-reused", other)
		assert.Thatf(x, strings.Contains(again.Body, x.Format.record(x, first)), "no way to the first record: %s", again.Body)
	}
	x.WantRows(x.Leaves)
	x.WantOutcomes(want...)
}

func noKey(x *Case) {
	refused := x.Under("", x.Command)
	if !x.IsHTML() && x.Kind.Changes() { // safe without a key, and repeatable
		x.Format.Done(x, refused)
		before, again := x.record(), x.Under("", x.Command)
		x.unchanged(again, refused)
		assert.Thatf(x, x.record() == before, "the record was changed")
		x.WantOutcomes(Did, "unchanged")
		return
	}
	x.Format.Refused(x, refused, "key-missing", x.Command)
	x.WantRows(Rows{})
	if x.IsHTML() && !x.IsButton() {
		x.Format.Done(x, x.Caller.Press(x.Page(refused), "Send with a new key"))
	} else {
		x.Done()
	}
	x.WantRows(x.Leaves)
	x.WantOutcomes("rejected", Did)
}

func malformedKey(x *Case) {
	for _, bad := range []string{strings.Repeat("k", 256), "schlüssel", "two\x7fparts", `"quoted" and more`} {
		if x.IsHTML() {
			bad = strings.ReplaceAll(bad, `"`, "\n") // in a form field a quote has no meaning
		}
		bad = strings.ReplaceAll(bad, "\x7f", "é") // no client sends a control character in a header
		x.Format.Refused(x, x.Under(bad, x.Command), "key-malformed", x.Command)
	}
	x.WantRows(Rows{})
}

func twoKeys(x *Case) {
	if x.IsHTML() {
		form := Change(x.Command)
		form["idempotency_key"] = []string{Key, Key}
		x.Format.Refused(x, x.Under("", form), "key-malformed", x.Command)
		x.WantOutcomes("rejected")
	} else {
		for _, lines := range [][]string{{Key, Key}, {Key + ", " + Key}, {`"` + Key + `", "` + Key + `"`}} { // or joined by a proxy
			x.Format.Refused(x, x.withKeys(lines...), "key-malformed", x.Command)
		}
		x.WantOutcomes("rejected", "rejected", "rejected")
	}
	x.WantRows(Rows{})
}

// withKeys sends the command with these values of the Idempotency-Key header.
func (x *Case) withKeys(lines ...string) Answer {
	x.Helper()
	c := x.Caller.With("Idempotency-Key", lines...)
	return c.Must(x.Format.Send(x.Context(), c, *x, "", x.Command))
}

// browsersKey: the key of a form is the one in its field. Firefox can send a header with each POST.
func browsersKey(x *Case) {
	if !x.IsHTML() {
		return
	}
	x.Command = Change(x.Command, "idempotency_key", Key)
	first := x.withKeys(`"` + uuid.NewString() + `"`)
	x.Format.Done(x, first)
	x.Format.Replayed(x, x.withKeys(`"`+uuid.NewString()+`"`), first)
	x.Format.Replayed(x, x.withKeys("no", "key"), first)
	x.WantRows(x.Leaves)
	x.WantOutcomes(Did, "replayed", "replayed")
}

func invalidCommand(x *Case) {
	var want []idempotency.Outcome
	for _, f := range x.Resource.Fields {
		if f.Pointer == "" {
			continue
		}
		wrong := Change(x.Command, f.Name, f.Invalid)
		refused := x.Ask(wrong)
		x.Format.Refused(x, refused, "invalid", wrong, f.Pointer)
		if x.IsHTML() {
			p := x.Page(refused)
			got := p.Typed().Get("idempotency_key")
			assert.Thatf(x, got == Key, "the form has key %q now", got)
			assert.Thatf(x, strings.HasPrefix(p.title(), "Error: "), "title %q", p.title())
		}
		want = append(want, "rejected")
	}
	x.WantRows(Rows{})
	x.Done()
	x.WantRows(x.Leaves)
	x.WantOutcomes(append(want, Did)...)
}

// upsertHit: two intents with one natural key. The existing record stays as it is.
func upsertHit(x *Case) {
	first := x.Done()
	hit := x.Under("another", x.Resource.Repeats.Reused)
	if x.IsHTML() {
		reused := cmp.Or(x.Resource.Words.Found, x.Label+" already exists and was reused.")
		if x.Resource.Strangers { // the page is the same for all
			reused = x.says()
		}
		HTML{}.shown(x, hit).Says(reused)
	} else if JSON.check(JSON{}, x, hit); hit.Status != http.StatusOK || hit.Body != first.Body {
		x.Errorf("want 200 with the existing record: %v", hit)
	}
	assert.Thatf(x, x.Format.record(x, hit) == x.Format.record(x, first), "another record: %v", hit)
	again := x.Under("another", x.Resource.Repeats.Reused)
	assert.Thatf(x, again.Status == hit.Status && again.Location() == hit.Location() && again.Body == hit.Body,
		"first %v\nagain %v", hit, again)
	added := x.added().minus(x.Leaves)
	assert.Thatf(x, added.Equal(Rows{"intents": 1}), "also added rows %v", added)
}

// valueTaken: another record has a value that must be unique. An upsert would find that record.
func valueTaken(x *Case) {
	for i, u := range x.Resource.Uniques {
		if i > 0 { // the earlier records use the other values
			x = setupHere(x.T).caseRunOf(*x, x.Format)
		}
		mine, theirs, command := "mine"+u.Field, x.Resource.Other, x.Command
		if u.Field != "" {
			theirs, command = Change(theirs, u.Field, u.Value), Change(command, u.Field, u.Value)
		}
		if x.Kind == idempotency.Change { // its current value
			theirs, command = Change(theirs, u.Field, u.Free), Change(command, u.Field, u.Free)
		}
		existing := Decode[Created](x.Bundle, x.Program(x.Replica, x.Acme).Create(x.Resource, "theirs"+u.Field, theirs))
		x.Forget()
		before := x.Contents()
		refused := x.Under(mine, command)
		x.Format.Refused(x, refused, u.Slug, command)
		if x.IsHTML() {
			p := x.Page(refused)
			p.LeadsTo(x.Resource.PageOf(existing.ID))
			p.LeadsTo("/rules#" + x.Resource.Path[1:])
			got := p.Typed().Get("idempotency_key")
			assert.Thatf(x, got == mine, "the form has key %q now", got)
			if u.Field != "" {
				invalid, _ := Attr(p.Controls(u.Field)[0], "aria-invalid")
				assert.Thatf(x, invalid == "true", "%s is not marked", u.Field)
			}
		} else if p := Decode[Problem](x.Bundle, refused); p.ExistingID != existing.ID ||
			p.ExistingURL != "/api/v1"+x.Resource.Path+"/"+existing.ID {
			x.Errorf("no way to the other record: %+v", p)
		}
		x.wantContents(before)
		if u.Field == "" {
			x.WantOutcomes("conflict")
			continue
		}
		if again := x.Under(mine, x.Command); again.Status >= http.StatusBadRequest { // the key was not used up
			x.Errorf("%v", again)
		}
		x.WantOutcomes("conflict", Did)
	}
}

func unauthorized(x *Case) {
	if x.Resource.Strangers {
		x.Done()
		return
	}
	outside := x.Stranger(x.Replica)
	outside.Header.Set("Content-Type", "application/json")
	refused := x.AskAs(outside, x.Command)
	x.Format.Refused(x, refused, "unauthorized", x.Command)
	x.WantRows(Rows{})
	if x.IsHTML() {
		x.Page(refused).LeadsTo("/login")
		outside.LogIn(x.Acme, Password)
		x.Caller = outside
		x.Format.Done(x, outside.Press(x.Page(refused), "Try again"))
	} else {
		got := refused.Header.Get("WWW-Authenticate")
		assert.Thatf(x, got == "Bearer", "WWW-Authenticate %q", got)
		x.Done()
	}
	x.WantRows(x.Leaves)
}

func tooMany(x *Case) {
	limited := x.Serve(func(c *Config) { c.RateLimit = 1 })
	x.from(limited).Get("/api/v1" + x.Resource.List())
	x.from(limited).Get(x.Resource.formAt())
	for range 30 {
		if x.Resource.Strangers { // an address is limited, because their tenant has everybody
			x.from(limited).Submit(x.Form, nil)
		}
	}
	x.Forget()
	x.Format.Refused(x, x.AskAs(x.from(limited), x.Command), "too-many", x.Command)
	x.WantRows(Rows{})
	x.Done()
}

// internalError: a bug of the server inside the transaction.
func internalError(x *Case) {
	x.DB.Spoil(x.T)
	x.Exec(`
		CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a mistake of ours'; END $$`)
	x.Exec(`CREATE TRIGGER fail BEFORE INSERT ON intents FOR EACH ROW EXECUTE FUNCTION fail()`)
	refused := x.Ask(x.Command)
	x.Format.Refused(x, refused, "internal", x.Command)
	assert.Thatf(x, !strings.Contains(refused.Body, "a mistake of ours"), "has internal details: %s", refused.Body)
	x.WantRows(Rows{})
	x.Exec(`DROP TRIGGER fail ON intents`)
	x.tryAgain(x.Caller, refused, x.Format.Done)
	x.WantRows(x.Leaves)
}

// tryAgain sends the same command again; in a browser, by the button of the page.
func (x *Case) tryAgain(c *Client, refused Answer, check func(*Case, Answer)) {
	x.Helper()
	if x.IsHTML() {
		check(x, c.Press(x.Page(refused), "Try again"))
	} else {
		check(x, x.AskAs(c, x.Command))
	}
}
