package site_test

import (
	"fmt"
	"net/http"
	"net/url"
	"path"
	"reflect"
	"slices"
	"strings"
)

// formsChangeNothingByThemselves: an edit form that is sent as it was opened leaves the record as it is. A field missing
// from the form, or from the values it is filled with, would be erased, or revert a concurrent change.
func formsChangeNothingByThemselves(x *caseRun) {
	x.sendsWhatItShows("one field changed", x.command) // the other fields have their first values
	x.sendsWhatItShows("every field changed", x.allChanged())
	x.putsNothingBack()
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

// formIsOneWish: the address without a key redirects to a fresh key. With a key it keeps it, and warns once the key is
// used.
func formIsOneWish(x *caseRun) {
	one, two := x.caller.get(x.resource.list()+"/new"), x.caller.get(x.resource.list()+"/new")
	if one.status != http.StatusSeeOther || one.location() == two.location() {
		x.Fatalf("%v\n%v", one, two)
	}
	for range 2 {
		p := x.page(x.caller.get(one.location()))
		if want := x.resource.list() + "/new?key=" + p.typed().Get("idempotency_key"); want != one.location() {
			x.Errorf("the form has another key than its address: %s, %s", one.location(), want)
		}
	}
	made := x.ask(x.command)
	p := x.page(x.caller.get(x.resource.list()+"/new?key="+key)).says("This form already "+x.resource.words.past+" "+x.label+".", "Form already used")
	p.leadsTo(made.location())
	p.leadsTo(x.resource.list() + "/new")
}

// everyFieldIsShown: a change of any field changes the page of the record, apart from its history.
func everyFieldIsShown(x *caseRun) {
	x.Helper()
	person := htmlFormat{}.caller(x.bundle, x.replica, x.acme)
	facts := func(key string, command url.Values) string {
		x.seen = get[int](x.bundle, `SELECT version FROM `+x.table+` WHERE id = $1`, x.id)
		if a := x.under(key, command); a.status != http.StatusOK {
			x.Errorf("%s: %v", key, a)
		}
		before, _, _ := strings.Cut(x.page(person.get(x.resource.pageOf(x.id))).text(), "History")
		return before
	}
	for i, f := range x.resource.fields {
		if f.valid == key || f.name == "customer_name" { // an id, or a name that doesn't rename an existing customer
			continue
		}
		before := facts(fmt.Sprintf("before-%d", i), x.resource.command)
		if facts(fmt.Sprintf("after-%d", i), f.another(x.resource, x.resource.command)) == before {
			x.Errorf("the page of one of the %s does not show %s", x.resource.plural(), f.name)
		}
	}
}

// everyFieldIsDeclared: the table of cases changes each field of the forms and of the API.
func everyFieldIsDeclared(x *caseRun) {
	of := x.resource
	declared := map[string]bool{}
	for _, f := range of.fields {
		declared[f.name] = true
	}
	p := x.page(x.caller.get(x.caller.get(x.resource.formAt()).location()))
	for _, n := range all(p.form(), "input", "textarea", "select") {
		name, _ := attr(n, "name")
		// The field of a search is not part of the command.
		if kind, _ := attr(n, "type"); kind != "hidden" && kind != "search" && !declared[name] {
			x.Errorf("the form of %s has a field %q that its declaration lacks", of.name, name)
		}
	}
	if of.people {
		return
	}
	var sent []string
	for _, command := range append(of.variants(), of.command) {
		sent = append(sent, members("", decode[any](x.bundle, answer{body: of.api.encode(command)}))...)
	}
	for _, taken := range taken("", reflect.TypeOf(of.api.input)) {
		switch path.Base(taken) {
		case "source", "external_id": // see externalCases
			continue
		case "same_email", "series": // answers to questions of the form, see TestWhichCustomer and TestTypedAhead
			continue
		}
		if !slices.Contains(sent, taken) {
			x.Errorf("the API takes %s of %s, and no declared field sends it: add it to fields and command in %s_test.go",
				taken, of.name, of.name)
		}
	}
}

// variants returns the commands that differ in one field.
func (r resource) variants() (all []url.Values) {
	for _, f := range r.fields {
		all = append(all, f.another(r, r.command))
	}
	return all
}

// members returns the paths of the strings in a JSON value.
func members(at string, v any) (all []string) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			all = append(all, members(at+"/"+name, member)...)
		}
	case []any:
		for _, element := range v {
			all = append(all, members(at+"/-", element)...)
		}
	default:
		all = []string{at}
	}
	return all
}

// taken returns the paths of the strings that are decoded from JSON into a type.
func taken(at string, of reflect.Type) (all []string) {
	switch of.Kind() {
	case reflect.Pointer:
		return taken(at, of.Elem())
	case reflect.Slice:
		return taken(at+"/-", of.Elem())
	case reflect.Struct:
		for f := range of.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" {
				name = f.Name
			}
			if f.Anonymous {
				all = append(all, taken(at, f.Type)...)
			} else if name != "-" {
				all = append(all, taken(at+"/"+name, f.Type)...)
			}
		}
		return all
	default:
		return []string{at}
	}
}

// sameCommandInBothFormats compares the decoded command, not its bytes.
func sameCommandInBothFormats(x *caseRun) {
	first := x.ask(x.command)
	x.format.done(x, first)
	y := *x
	y.format, y.caller = htmlFormat{}, x.person(x.replica, x.acme)
	again := y.ask(x.command)
	if again.status != http.StatusSeeOther || again.location() != x.resource.pageOf(x.format.record(x, first)) {
		x.Errorf("JSON %v\nHTML %v", first, again)
	}
	x.wantOutcomes(did, "replayed")
}
