package site_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"onlyonce/internal/value/party"
)

// The cases of operations on an existing record: changes, and the cases that they share with transitions.

// theirs returns the command of a concurrent edit: it differs from the case's command in one field.
func (x *caseRun) theirs() url.Values {
	return x.resource.fields[len(x.resource.fields)-1].another(x.resource, x.command)
}

// changeMeanwhile saves theirs as another client.
func (x *caseRun) changeMeanwhile(key string) created {
	x.Helper()
	path := x.form
	if !x.resource.people {
		path = strings.TrimPrefix(x.api, "/api/v1")
	}
	return x.meanwhile(x.method, path, key, x.theirs())
}

func changedSince(x *caseRun) {
	first := x.ask(x.command)
	x.format.done(x, first)
	x.changeMeanwhile("theirs")
	before := x.contents()
	x.format.replayed(x, x.ask(x.command), first)
	if x.contents() != before {
		x.Error("the later edit was overwritten")
	}
}

// withoutVersion: a form without a version shows the saved values, like an outdated one.
func withoutVersion(x *caseRun) {
	seen := x.seen
	x.seen = 0
	refused := x.ask(x.command)
	x.format.refused(x, refused, "version-missing", x.command)
	x.wantRows(rows{})
	if x.seen = seen; x.isHTML() {
		p := x.page(refused) // the version that the form was opened with is unknown, so every difference is attributed to the other edit
		submit, _ := attr(p.form(), "action")
		x.format.done(x, x.caller.submit(submit, p.typed()))
	} else {
		x.format.done(x, x.ask(x.command))
	}
	x.wantRows(x.leaves)
	x.wantOutcomes("rejected", did)
}

func staleVersion(x *caseRun) {
	theirs := x.theirs()
	now := x.changeMeanwhile("theirs")
	before := x.contents()
	refused := x.ask(x.command)
	both := maps.Clone(theirs)
	for name, typed := range x.command { // a field that was left unchanged has their value; lines are one field
		if len(typed) > 1 || !slices.Equal(typed, x.resource.command[name]) {
			both[name] = typed
		}
	}
	x.format.refused(x, refused, "changed-meanwhile", both)
	if x.contents() != before {
		x.Error("something was done")
	}
	x.seen = now.Version
	if !x.isHTML() {
		x.format.done(x, x.ask(x.command))
		return
	}
	p := x.page(refused)
	p.leadsTo(x.resource.pageOf(x.id)) // the link to keep the saved version
	p.compares(x.resource, theirs, x.command)
	if !strings.HasPrefix(p.title(), "Error: ") {
		x.Errorf("title %q", p.title())
	}
	submit, _ := attr(p.form(), "action")
	form := p.typed()
	maps.Copy(form, x.command) // this time on purpose
	x.format.done(x, x.caller.submit(submit, form))
}

// compares fails unless the page shows both versions of every field, and marks the fields that differ.
func (p page) compares(of resource, saved, typed url.Values) {
	p.b.Helper()
	var differ []string
	table := all(p.root, "table")
	if len(table) == 0 {
		p.b.Fatalf("no comparison: %s", p.excerpt())
	}
	for _, row := range all(table[0], "tr") {
		if strings.Contains(text(row), "Changed by") {
			differ = append(differ, text(row))
		}
	}
	for _, f := range of.fields {
		if f.valid == key { // an id, which pages don't show
			continue
		}
		was, is := asRead(f.name, saved.Get(f.name)), asRead(f.name, typed.Get(f.name))
		for _, value := range []string{was, is} {
			if !strings.Contains(text(table[0]), value) {
				p.b.Errorf("%s %q is not shown", f.name, value)
			}
		}
		if was != is && (len(differ) != 1 || !strings.Contains(differ[0], was) || !strings.Contains(differ[0], is)) {
			p.b.Errorf("%s differs, and marked is %q", f.name, differ)
		}
	}
}

// asRead returns a typed value in the form in which pages show it.
func asRead(field, typed string) string {
	switch field {
	case "country":
		return party.CountryName(typed)
	case "account_number":
		return party.SpacedAccount(typed)
	default:
		return strings.Join(strings.Fields(typed), " ") // also joins lines
	}
}

// keylessAgain: many clients retry a PUT without being asked when the answer is lost. It succeeds as long as the record equals
// the command, and never undoes later changes.
func keylessAgain(x *caseRun) {
	if x.isHTML() {
		return // a form has a key
	}
	first := x.under("", x.command)
	x.format.done(x, first)
	before := x.record()
	x.unchanged(x.under("", x.command), first)
	if x.record() != before {
		x.Error("the record was changed")
	}
	x.changeMeanwhile("theirs")
	contents := x.contents()
	x.format.refused(x, x.under("", x.command), "changed-meanwhile", nil)
	if x.contents() != contents {
		x.Error("something was done")
	}
	x.wantOutcomes(did, "unchanged", "changed", "conflict")
}

// weakTags: a proxy that compresses answers makes a version's ETag weak, or adds the encoding to it.
func weakTags(x *caseRun) {
	if x.isHTML() {
		return // a form has the version in a field
	}
	commands := []url.Values{x.command, x.resource.command}
	for n, tag := range []string{
		`W/"v%d"`, `"v%d-gzip"`, `"v%d--gzip"`, `"v%d;gzip"`, `"v%d-br"`, `"v%d-zstd"`, `"v%d-deflate"`, `W/"v%d-gzip"`,
	} {
		c, to := x.caller.with("If-Match", fmt.Sprintf(tag, x.seen)), *x
		to.seen = 0
		x.format.done(x, c.must(x.format.send(x.Context(), c, to, fmt.Sprint("change ", n), commands[n%2])))
		x.seen++
	}
}

// changesNothing: the record already equals the command. It keeps its version.
func changesNothing(x *caseRun) {
	command := x.resource.command
	first := x.ask(command)
	if x.isHTML() {
		htmlFormat{}.shown(x, first).says("Nothing to save: " + x.resource.label + " was already like this.")
	} else if version := (jsonFormat{}).check(x, first); version != x.seen || first.status != http.StatusOK {
		x.Errorf("%v", first)
	}
	again := x.ask(command)
	if again.status != first.status || again.location() != first.location() || again.body != first.body {
		x.Errorf("first %v\nagain %v", first, again)
	}
	x.wantRows(rows{"intents": 1})
}

// otherRecord: one key is for one intent about one record.
func otherRecord(x *caseRun) {
	first := x.ask(x.command)
	x.format.done(x, first)
	id := x.id
	if *x = x.another(x.acme, "second", x.resource.other); x.id == id {
		x.Fatal("it is the same record")
	}
	x.forget()
	before := x.contents()
	x.format.refused(x, x.ask(x.command), "key-reused", nil)
	if x.contents() != before {
		x.Error("something was done")
	}
}

// noSuchRecord: a missing record takes precedence over all other errors, also if another tenant has the record.
func noSuchRecord(x *caseRun) {
	foreign := x.another(x.globex, "theirs", x.resource.command).id
	before := x.contents()
	for _, id := range []string{uuid.NewString(), foreign, "not-an-id"} {
		for what, send := range map[string]func(*caseRun) answer{
			"valid":           func(x *caseRun) answer { return x.ask(x.command) },
			"no key":          func(x *caseRun) answer { return x.under("", x.command) },
			"malformed key":   func(x *caseRun) answer { return x.under("schlüssel", x.command) },
			"no version":      func(x *caseRun) answer { x.seen = 0; return x.ask(x.command) },
			"another version": func(x *caseRun) answer { x.seen = 7; return x.ask(x.command) },
			"invalid command": func(x *caseRun) answer { return x.ask(x.wrong()) },
			"nothing":         func(x *caseRun) answer { x.seen = 0; return x.under("", url.Values{}) },
			"field twice":     func(x *caseRun) answer { return x.ask(url.Values{"colour": {"red", "blue"}}) },
		} {
			y := *x
			y.id = id
			if a := send(&y); a.status != http.StatusNotFound {
				x.Errorf("%s, %s: %v", id, what, a)
			}
		}
	}
	if x.contents() != before {
		x.Error("something was done")
	}
	if x.isHTML() && !x.isButton() {
		if !x.kind.Changes() {
			x.form += "/new"
		}
		for _, id := range []string{uuid.NewString(), foreign} {
			x.id = id
			for _, query := range []string{"", "?key=" + key} {
				if a := x.caller.get(x.at(x.form) + query); a.status != http.StatusNotFound {
					x.Errorf("%s%s: %v", x.form, query, a)
				}
			}
		}
	}
}

// wrong returns a command with every field invalid.
func (x *caseRun) wrong() url.Values {
	wrong := x.command
	for _, f := range x.resource.fields {
		if f.pointer != "" {
			wrong = change(wrong, f.name, f.invalid)
		}
	}
	return wrong
}
