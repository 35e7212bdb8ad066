package sitetest

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"onlyonce/internal/assert"
	"onlyonce/internal/value/party"
	"onlyonce/internal/web"

	"github.com/google/uuid"
)

// The cases of operations on an existing record: changes, and the cases that they share with transitions.

// theirs returns the command of a concurrent edit: it differs from the case's command in one field.
func (x *Case) theirs() url.Values {
	return x.Resource.Fields[len(x.Resource.Fields)-1].another(x.Resource, x.Command)
}

// changeMeanwhile saves theirs as another client.
func (x *Case) changeMeanwhile(key string) Created {
	x.Helper()
	path := x.Form
	if !x.Resource.People {
		path = strings.TrimPrefix(x.API, "/api/v1")
	}
	return x.meanwhile(x.Method, path, key, x.theirs())
}

func changedSince(x *Case) {
	first := x.Done()
	x.changeMeanwhile("theirs")
	before := x.Contents()
	x.Format.Replayed(x, x.Ask(x.Command), first)
	assert.Thatf(x, x.Contents() == before, "the later edit was overwritten")
}

// withoutVersion: a form without a version shows the saved values, like an outdated one.
func withoutVersion(x *Case) {
	seen := x.Seen
	x.Seen = 0
	refused := x.Ask(x.Command)
	x.Format.Refused(x, refused, "version-missing", x.Command)
	x.WantRows(Rows{})
	if x.Seen = seen; x.IsHTML() {
		p := x.Page(refused) // the version that the form was opened with is unknown, so every difference is attributed to the other edit
		submit, _ := Attr(p.Form(), "action")
		x.Format.Done(x, x.Caller.Submit(submit, p.Typed()))
	} else {
		x.Done()
	}
	x.WantRows(x.Leaves)
	x.WantOutcomes("rejected", Did)
}

func staleVersion(x *Case) {
	theirs := x.theirs()
	now := x.changeMeanwhile("theirs")
	before := x.Contents()
	refused := x.Ask(x.Command)
	both := maps.Clone(theirs)
	for name, typed := range x.Command { // a field that was left unchanged has their value; lines are one field
		if len(typed) > 1 || !slices.Equal(typed, x.Resource.Command[name]) {
			both[name] = typed
		}
	}
	x.Format.Refused(x, refused, "changed-meanwhile", both)
	x.wantContents(before)
	x.Seen = now.Version
	if !x.IsHTML() {
		x.Done()
		return
	}
	p := x.Page(refused)
	p.LeadsTo(x.Resource.PageOf(x.ID)) // the link to keep the saved version
	p.compares(x.Resource, theirs, x.Command)
	assert.Thatf(x, strings.HasPrefix(p.title(), "Error: "), "title %q", p.title())
	submit, _ := Attr(p.Form(), "action")
	form := p.Typed()
	maps.Copy(form, x.Command) // this time on purpose
	x.Format.Done(x, x.Caller.Submit(submit, form))
}

// compares fails unless the page shows both versions of every field, and marks the fields that differ.
func (p Page) compares(of Resource, saved, typed url.Values) {
	p.B.Helper()
	var differ []string
	table := Elements(p.Root, "table")
	if len(table) == 0 {
		p.B.Fatalf("no comparison: %s", p.Excerpt())
	}
	for _, row := range Elements(table[0], "tr") {
		if strings.Contains(Text(row), "Changed by") {
			differ = append(differ, Text(row))
		}
	}
	for _, f := range of.Fields {
		if f.Valid == Key { // an id, which pages don't show
			continue
		}
		was, is := asRead(f.Name, saved.Get(f.Name)), asRead(f.Name, typed.Get(f.Name))
		for _, value := range []string{was, is} {
			assert.Thatf(p.B, strings.Contains(Text(table[0]), value), "%s %q is not shown", f.Name, value)
		}
		_, _, isFile := FileOf(typed.Get(f.Name))
		assert.Thatf(p.B, !isFile || strings.Contains(Text(table[0]), is+" (choose it again)"), "%s is not to be chosen again", f.Name)
		assert.Thatf(p.B, was == is || len(differ) == 1 && strings.Contains(differ[0], was) && strings.Contains(differ[0], is),
			"%s differs, and marked is %q", f.Name, differ)
	}
}

// asRead returns a typed value in the form in which pages show it.
func asRead(field, typed string) string {
	if name, _, ok := FileOf(typed); ok {
		return name
	}
	switch field {
	case "country":
		return party.CountryName(typed)
	case "account_number":
		return party.SpacedAccount(typed)
	default:
		return web.TypedDay(web.TimestampText(strings.Join(strings.Fields(typed), " "))) // also joins lines
	}
}

// keylessAgain: many clients retry a PUT without being asked when the answer is lost. It succeeds as long as the record equals
// the command, and never undoes later changes.
func keylessAgain(x *Case) {
	if x.IsHTML() {
		return // a form has a key
	}
	first := x.Under("", x.Command)
	x.Format.Done(x, first)
	before := x.record()
	x.unchanged(x.Under("", x.Command), first)
	assert.Thatf(x, x.record() == before, "the record was changed")
	x.changeMeanwhile("theirs")
	contents := x.Contents()
	x.Format.Refused(x, x.Under("", x.Command), "changed-meanwhile", nil)
	x.wantContents(contents)
	x.WantOutcomes(Did, "unchanged", "changed", "conflict")
}

// weakTags: a proxy that compresses answers makes a version's ETag weak, or adds the encoding to it.
func weakTags(x *Case) {
	if x.IsHTML() {
		return // a form has the version in a field
	}
	commands := []url.Values{x.Command, x.Resource.Command}
	for n, tag := range []string{
		`W/"v%d"`, `"v%d-gzip"`, `"v%d--gzip"`, `"v%d;gzip"`, `"v%d-br"`, `"v%d-zstd"`, `"v%d-deflate"`, `W/"v%d-gzip"`,
	} {
		c, to := x.Caller.With("If-Match", fmt.Sprintf(tag, x.Seen)), *x
		to.Seen = 0
		x.Format.Done(x, c.Must(x.Format.Send(x.Context(), c, to, fmt.Sprint("change ", n), commands[n%2])))
		x.Seen++
	}
}

// changesNothing: the record already equals the command. It keeps its version.
func changesNothing(x *Case) {
	command := x.Resource.Command
	first := x.Ask(command)
	if x.IsHTML() {
		HTML{}.shown(x, first).Says("Nothing to save: " + x.Resource.Label + " was already like this.")
	} else if version := (JSON{}).check(x, first); version != x.Seen || first.Status != http.StatusOK {
		x.Errorf("%v", first)
	}
	again := x.Ask(command)
	assert.Thatf(x, again.Status == first.Status && again.Location() == first.Location() && again.Body == first.Body,
		"first %v\nagain %v", first, again)
	x.WantRows(Rows{"intents": 1})
}

// otherRecord: one key is for one intent about one record.
func otherRecord(x *Case) {
	x.Done()
	id := x.ID
	if *x = x.another(x.Acme, "second", x.Resource.Other); x.ID == id {
		x.Fatal("it is the same record")
	}
	x.Forget()
	before := x.Contents()
	x.Format.Refused(x, x.Ask(x.Command), "key-reused", nil)
	x.wantContents(before)
}

// noSuchRecord: a missing record takes precedence over all other errors, also if another tenant has the record.
func noSuchRecord(x *Case) {
	foreign := uuid.NewString()
	if !x.Resource.Strangers {
		foreign = x.another(x.Globex, "theirs", x.Resource.Command).ID
	}
	before := x.Contents()
	for _, id := range []string{uuid.NewString(), foreign, "not-an-id"} {
		for what, send := range map[string]func(*Case) Answer{
			"valid":           func(x *Case) Answer { return x.Ask(x.Command) },
			"no key":          func(x *Case) Answer { return x.Under("", x.Command) },
			"malformed key":   func(x *Case) Answer { return x.Under("schlüssel", x.Command) },
			"no version":      func(x *Case) Answer { x.Seen = 0; return x.Ask(x.Command) },
			"another version": func(x *Case) Answer { x.Seen = 7; return x.Ask(x.Command) },
			"invalid command": func(x *Case) Answer { return x.Ask(x.Wrong()) },
			"nothing":         func(x *Case) Answer { x.Seen = 0; return x.Under("", url.Values{}) },
			"field twice":     func(x *Case) Answer { return x.Ask(url.Values{"colour": {"red", "blue"}}) },
		} {
			y := *x
			y.ID = id
			a := send(&y)
			assert.Thatf(x, a.Status == http.StatusNotFound, "%s, %s: %v", id, what, a)
		}
	}
	x.wantContents(before)
	if x.IsHTML() && !x.IsButton() {
		if !x.Kind.Changes() {
			x.Form += "/new"
		}
		for _, id := range []string{uuid.NewString(), foreign} {
			x.ID = id
			for _, query := range []string{"", "?key=" + Key} {
				a := x.Caller.Get(x.at(x.Form) + query)
				assert.Thatf(x, a.Status == http.StatusNotFound, "%s%s: %v", x.Form, query, a)
			}
		}
	}
}

// Wrong returns a command with every field invalid.
func (x *Case) Wrong() url.Values {
	wrong := x.Command
	for _, f := range x.Resource.Fields {
		if f.Pointer != "" {
			wrong = Change(wrong, f.Name, f.Invalid)
		}
	}
	return wrong
}
