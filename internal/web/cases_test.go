package web_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/web"
)

// TestEveryCase is the table of cases: each row through both faces, for everything that can be created.
// What only one of them knows, and what needs another transaction in the way, has tests of its own.
func TestEveryCase(t *testing.T) {
	t.Parallel()
	rules, err := os.ReadFile("../../docs/idempotency.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name     string
		run      func(*try)
		outcomes []idempotency.Outcome
	}{
		{"first success", firstSuccess, outcomes("created")},
		{"same key, same command, already done", alreadyDone, outcomes("created", "replayed", "replayed")},
		{"same, but the caller may no longer see the record", noLongerVisible, outcomes("created", "replayed")},
		{"same key, first still running", stillRunning, outcomes("created", "replayed")},
		{"same key, first still running, past the bound", stillRunningPastTheBound, outcomes("in_progress", "created", "replayed")},
		{"work waits for something else, past the bound", busy, outcomes("failed", "created")},
		{"same key, other command", otherCommand, outcomes("created", "mismatch", "mismatch")},
		{"no key", noKey, outcomes("rejected", "created")},
		{"malformed key", malformedKey, outcomes("rejected", "rejected", "rejected", "rejected")},
		{"two keys", twoKeys, outcomes("rejected")},
		{"invalid command", invalidCommand, outcomes("rejected", "created")},
		{"upsert hit", upsertHit, outcomes("created", "created")},
		{"connection lost before commit", backendTerminated, outcomes("created", "replayed")},
		{"answer lost after commit", answerLost, outcomes("created", "replayed")},
		{"COMMIT itself unacknowledged", commitUnacknowledged, outcomes("created", "replayed")},
		{"COMMIT itself unacknowledged, and nobody to ask", commitUnconfirmed, outcomes("failed", "replayed")},
		{"client went away mid-request", clientGone, outcomes("created", "replayed")},
		{"401", unauthorized, outcomes("created")},
		{"429", tooMany, outcomes("created")},
		{"5xx", internalError, outcomes("failed", "created")},
		{"database down", databaseDown, nil},
	} {
		if !strings.Contains(string(rules), "\n| "+row.name+" ") {
			t.Errorf("docs/idempotency.md has no row %q", row.name)
		}
		for _, of := range things() {
			t.Run(row.name+"/"+of.name, func(t *testing.T) {
				t.Parallel()
				eachFace(t, of, func(x *try) {
					row.run(x)
					if row.outcomes != nil {
						x.wantOutcomes(row.outcomes...)
					}
				})
			})
		}
	}
}

func outcomes(all ...idempotency.Outcome) []idempotency.Outcome { return all }

func firstSuccess(x *try) {
	x.face.created(x, x.ask(x.command))
	x.wantRows(x.leaves)
	if n := x.transactions(); n != 1 {
		x.Errorf("written by %d transactions", n)
	}
}

func alreadyDone(x *try) {
	first := x.ask(x.command)
	x.face.created(x, first)
	x.face.replayed(x, x.ask(x.command), first)
	other := x.serve() // any replica answers
	x.face.replayed(x, x.askAs(x.at(other), x.command), first)
	x.wantRows(x.leaves)
}

func noLongerVisible(x *try) {
	x.face.created(x, x.ask(x.command))
	x.exec(`DELETE FROM invoice_lines`)
	x.exec(`DELETE FROM invoices`)
	x.exec(`DELETE FROM customers`)
	again := x.ask(x.command)
	x.face.refused(x, again, "not-found", nil)
	if strings.Contains(again.body, "ada@example.com") || strings.Contains(again.body, x.label) {
		x.Errorf("tells what was stored: %s", again.body)
	}
}

func otherCommand(x *try) {
	first := x.ask(x.command)
	x.face.created(x, first)
	for range 2 {
		again := x.ask(x.other)
		x.face.refused(x, again, "key-reused", x.other)
		if !strings.Contains(again.body, x.face.record(x, first)) {
			x.Errorf("no way to the first record: %s", again.body)
		}
	}
	x.wantRows(x.leaves)
}

func noKey(x *try) {
	refused := x.caller.must(x.face.send(x.Context(), x.caller, x.thing, "", x.command))
	x.face.refused(x, refused, "key-missing", x.command)
	x.wantRows(rows{})
	if x.face == (htmlFace{}) {
		x.face.created(x, x.caller.press(x.page(refused), "Send with a new key"))
	} else {
		x.face.created(x, x.ask(x.command))
	}
	x.wantRows(x.leaves)
}

func malformedKey(x *try) {
	for _, bad := range []string{strings.Repeat("k", 256), "schlüssel", "two\x7fparts", `"quoted" and more`} {
		if x.face == (htmlFace{}) {
			bad = strings.ReplaceAll(bad, `"`, "\n") // in a form field a quote is a character like any other
		}
		bad = strings.ReplaceAll(bad, "\x7f", "é") // no client sends a control character in a header
		refused := x.caller.must(x.face.send(x.Context(), x.caller, x.thing, bad, x.command))
		x.face.refused(x, refused, "key-malformed", x.command)
	}
	x.wantRows(rows{})
}

func twoKeys(x *try) {
	var refused answer
	if x.face == (htmlFace{}) {
		form := change(x.command)
		form["idempotency_key"] = []string{key, key}
		refused = x.caller.submit(x.path, form)
	} else {
		refused = x.caller.with("Idempotency-Key", key, key).post("/api/v1"+x.path, x.json(x.command))
	}
	x.face.refused(x, refused, "key-malformed", x.command)
	x.wantRows(rows{})
}

func invalidCommand(x *try) {
	refused := x.ask(x.invalid)
	x.face.refused(x, refused, "invalid", x.invalid)
	x.wantRows(rows{})
	if x.face == (htmlFace{}) {
		p := x.page(refused)
		if got := p.typed().Get("idempotency_key"); got != key {
			x.Errorf("the form has key %q now", got)
		}
		if !strings.HasPrefix(p.title(), "Error: ") {
			x.Errorf("title %q", p.title())
		}
	}
	x.face.created(x, x.ask(x.command))
	x.wantRows(x.leaves)
}

// upsertHit: two intents with one customer. Its name, typed differently the second time, stays.
func upsertHit(x *try) {
	x.face.created(x, x.ask(x.command))
	again := change(x.command, "email", "ADA@example.com", "name", "Ada King")
	if x.name == "invoice" {
		again = change(x.command, "customer_email", "ADA@example.com", "customer_name", "Ada King", "notes", "Second", "line_quantity", "3")
	}
	hit := x.caller.must(x.face.send(x.Context(), x.caller, x.thing, "another "+key, again))
	switch {
	case x.name == "invoice":
		if hit.status >= 400 {
			x.Errorf("not created: %v", hit)
		}
	case x.face == (htmlFace{}):
		htmlFace{}.shown(x, hit).says("Ada Lovelace already exists and was reused.", "ada@example.com")
	default:
		if hit.status != http.StatusOK || !strings.Contains(hit.body, `"Ada Lovelace"`) {
			x.Errorf("want 200 with the existing record: %v", hit)
		}
		jsonFace{}.check(x, hit)
	}
	if ada := get[string](x.bundle, `SELECT concat_ws(' ', email, name, version) FROM customers`); ada != "ada@example.com Ada Lovelace 1" {
		x.Errorf("the customer was changed: %s", ada)
	}
	if n := x.rows().Customers; n != 1 {
		x.Errorf("%d customers", n)
	}
}

func unauthorized(x *try) {
	outside := x.stranger(x.site)
	outside.header.Set("Content-Type", "application/json")
	refused := x.askAs(outside, x.command)
	x.face.refused(x, refused, "unauthorized", x.command)
	x.wantRows(rows{})
	if x.face == (htmlFace{}) {
		x.page(refused).leadsTo("/login")
		outside.logIn(x.acme, password)
		x.caller = outside
		x.face.created(x, outside.press(x.page(refused), "Try again"))
	} else {
		if got := refused.header.Get("WWW-Authenticate"); got != "Bearer" {
			x.Errorf("WWW-Authenticate %q", got)
		}
		x.face.created(x, x.ask(x.command))
	}
	x.wantRows(x.leaves)
}

func tooMany(x *try) {
	limited := x.serve(func(c *web.Config) { c.RateLimit = 1 })
	x.at(limited).get("/api/v1/invoices")
	x.at(limited).get("/invoices")
	x.face.refused(x, x.askAs(x.at(limited), x.command), "too-many", x.command)
	x.wantRows(rows{})
	x.face.created(x, x.ask(x.command))
}

// internalError: a mistake of ours, deep inside of the transaction.
func internalError(x *try) {
	x.exec(`
		CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a mistake of ours'; END $$`)
	x.exec(`CREATE TRIGGER fail BEFORE INSERT ON intents FOR EACH ROW EXECUTE FUNCTION fail()`)
	refused := x.ask(x.command)
	x.face.refused(x, refused, "internal", x.command)
	if strings.Contains(refused.body, "a mistake of ours") {
		x.Errorf("tells strangers about the inside: %s", refused.body)
	}
	x.wantRows(rows{})
	x.exec(`DROP TRIGGER fail ON intents`)
	if x.face == (htmlFace{}) {
		x.face.created(x, x.caller.press(x.page(refused), "Try again"))
	} else {
		x.face.created(x, x.ask(x.command))
	}
	x.wantRows(x.leaves)
}

// TestHeaderAndFieldDisagree is for forms only: JSON has the header alone.
func TestHeaderAndFieldDisagree(t *testing.T) {
	b := setup(t)
	x := &try{bundle: b, thing: invoices(), face: htmlFace{}, caller: b.person(b.site, b.acme)}
	form := change(x.command, "idempotency_key", key)
	x.face.refused(x, x.caller.with("Idempotency-Key", "another").submit("/invoices", form), "key-malformed", x.command)
	x.wantRows(rows{})
	x.face.created(x, x.caller.with("Idempotency-Key", `"`+key+`"`).submit("/invoices", form))
}

// TestQuotedKeyIsTheSame: the draft standard quotes keys, most programs do not.
func TestQuotedKeyIsTheSame(t *testing.T) {
	b := setup(t)
	x := &try{bundle: b, thing: invoices(), face: jsonFace{}, caller: b.program(b.site, b.acme)}
	first := x.ask(x.command)
	again := x.caller.must(x.face.send(x.Context(), x.caller, x.thing, `"`+key+`"`, x.command))
	x.face.replayed(x, again, first)
}

// TestSameCommandIsTheSameThroughBothFaces: what counts is the command, not its bytes.
func TestSameCommandIsTheSameThroughBothFaces(t *testing.T) {
	b := setup(t)
	of := invoices()
	program := b.program(b.site, b.acme)
	first := program.must(jsonFace{}.send(b.Context(), program, of, key, of.command))
	person := b.person(b.site, b.acme)
	again := person.must(htmlFace{}.send(b.Context(), person, of, key, of.command))
	if again.status != http.StatusSeeOther || again.location() != strings.TrimPrefix(first.location(), "/api/v1") {
		t.Errorf("JSON %v\nHTML %v", first, again)
	}
	b.wantOutcomes("created", "replayed")
}

// TestForbidden: a form on another site cannot post here, and uses up no key.
func TestForbidden(t *testing.T) {
	t.Parallel()
	for _, of := range things() {
		t.Run(of.name, func(t *testing.T) {
			b := setup(t)
			x := &try{bundle: b, thing: of, face: htmlFace{}, caller: b.person(b.site, b.acme)}
			x.face.refused(x, x.askAs(x.caller.with("Sec-Fetch-Site", "cross-site"), x.command), "forbidden", nil)
			x.face.refused(x, x.askAs(x.caller.with("Sec-Fetch-Site", "same-site"), x.command), "forbidden", nil)
			old := x.caller.with("Origin", "https://elsewhere.example")
			old.header.Del("Sec-Fetch-Site") // as browsers before 2023 send it
			x.face.refused(x, x.askAs(old, x.command), "forbidden", nil)
			x.wantRows(rows{})
			x.face.created(x, x.ask(x.command))
		})
	}
}
