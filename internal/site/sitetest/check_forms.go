package sitetest

import (
	"fmt"
	"net/http"
	"net/url"
	"path"
	"reflect"
	"slices"
	"strings"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// formsChangeNothingByThemselves: an edit form that is sent as it was opened leaves the record as it is. A field missing
// from the form, or from the values it is filled with, would be erased, or revert a concurrent change.
func formsChangeNothingByThemselves(x *Case) {
	x.sendsWhatItShows("every field changed", x.allChanged())
	x.sendsWhatItShows("one field changed", x.Command) // the other fields have their first values
	x.putsNothingBack()
}

// sendsWhatItShows saves a command, opens the form again and sends that.
func (x *Case) sendsWhatItShows(key string, command url.Values) {
	x.Helper()
	to := *x
	to.Seen = Get[int](x.Bundle, `SELECT version FROM `+x.table+` WHERE id = $1`, x.ID)
	HTML{}.shown(x, x.Caller.Must(x.Format.Send(x.Context(), x.Caller, to, key, command)))
	tables := slices.DeleteFunc(x.TenantTables(), func(table string) bool { return table == "intents" })
	before := x.digest(append(tables, "users"))
	form := x.Page(x.Caller.Get(x.Caller.Get(x.at(x.Form)).Location()))
	sent := x.Caller.Press(form, "Save changes")
	changes := Get[string](x.Bundle, `SELECT COALESCE((SELECT changes::text FROM intents WHERE record_id = $1 AND key = $2), 'none')`,
		x.ID, form.Typed().Get("idempotency_key"))
	assert.Thatf(x, changes == "none", "%s: sent as it was, the form changed %s", key, changes)
	WantUnchanged(x.Bundle, "the form of "+x.Resource.Name, before, x.digest(append(tables, "users")))
	HTML{}.shown(x, sent).Says("Nothing to save")
}

// putsNothingBack sends an old form after a concurrent change: the refused form has the same values as a new one.
func (x *Case) putsNothingBack() {
	x.Helper()
	open := func() Page { return x.Page(x.Caller.Get(x.Caller.Get(x.at(x.Form)).Location())) }
	old := open()
	x.changeMeanwhile("theirs")
	refused, fresh := x.Page(x.Caller.Press(old, "Save changes")).Typed(), open().Typed()
	for name, values := range fresh {
		assert.Thatf(x, name == "idempotency_key" || slices.Equal(refused[name], values),
			"%s was not touched, and would be put back from %q to %q", name, values, refused[name])
	}
}

// fileIsRemoved: the form of a change removes an optional file, and asks first if another one was saved meanwhile.
func fileIsRemoved(x *Case) {
	for name := range x.Command {
		remove := "remove_" + name
		if !slices.Contains(taken("", reflect.TypeOf(x.Resource.API.Input)), "/"+remove) {
			continue
		}
		at := x.at(x.Form)
		open := func() url.Values { return x.Page(x.Caller.Get(x.Caller.Get(at).Location())).Typed() }
		old := Change(open(), remove, "true")
		x.Caller.Submit(at, Change(open(), name, FileValue("newer.txt", "newer")))
		refused := x.Caller.Submit(at, old)
		shown := x.Page(refused).Says("newer.txt", "Changed by both").Typed()
		assert.Thatf(x, refused.Status == http.StatusConflict && shown.Get(remove) == "true",
			"the removal of another %s: %v", name, refused)
		file := x.Resource.RecordAt(x.ID) + "/" + name
		if a := x.Caller.Get(file); a.Body != "newer" {
			x.Errorf("%s: %v", name, a)
		}
		x.Caller.Submit(at, shown)
		if a := x.Caller.Get(file); a.Status != http.StatusNotFound {
			x.Errorf("%s isn't removed: %v", name, a)
		}
		assert.Thatf(x, !strings.Contains(x.Caller.Get(x.Caller.Get(at).Location()).Body, remove), "the form offers to remove no %s", name)
	}
}

// formIsOneWish: the address without a key redirects to a fresh key. With a key it keeps it, and warns once the key is
// used.
func formIsOneWish(x *Case) {
	one, two := x.Caller.Get(x.Resource.List()+"/new"), x.Caller.Get(x.Resource.List()+"/new")
	must.Thatf(x, one.Status == http.StatusSeeOther && one.Location() != two.Location(), "%v\n%v", one, two)
	for range 2 {
		p := x.Page(x.Caller.Get(one.Location()))
		want := x.Resource.List() + "/new?key=" + p.Typed().Get("idempotency_key")
		assert.Thatf(x, want == one.Location(), "the form has another key than its address: %s, %s", one.Location(), want)
	}
	made := x.Ask(x.Command)
	p := x.Page(x.Caller.Get(x.Resource.List()+"/new?key="+Key)).
		Says("This form already "+x.Resource.Words.Past+" "+x.Label+".", "Form already used")
	p.LeadsTo(made.Location())
	p.LeadsTo(x.Resource.List() + "/new")
}

// everyFieldIsShown: a change of any field changes the page of the record, apart from its history, and the version.
func everyFieldIsShown(x *Case) {
	x.Helper()
	person := HTML{}.Caller(x.Bundle, x.Replica, x.Acme)
	facts := func(key string, command url.Values) string {
		x.Seen = Get[int](x.Bundle, `SELECT version FROM `+x.table+` WHERE id = $1`, x.ID)
		a := x.Under(key, command)
		assert.Thatf(x, a.Status == http.StatusOK, "%s: %v", key, a)
		before, _, _ := strings.Cut(x.Page(person.Get(x.Resource.PageOf(x.ID))).Text(), "History")
		return before
	}
	for i, f := range x.Resource.Fields {
		if f.Valid == Key || f.Name == "customer_name" { // an id, or a name that doesn't rename an existing customer
			continue
		}
		before := facts(fmt.Sprintf("before-%d", i), x.Resource.Command)
		if facts(fmt.Sprintf("after-%d", i), f.another(x.Resource, x.Resource.Command)) == before {
			x.Errorf("the page of one of the %s does not show %s", x.Resource.Plural(), f.Name)
		}
		if now := Get[int](x.Bundle, `SELECT version FROM `+x.table+` WHERE id = $1`, x.ID); now == x.Seen {
			x.Errorf("%s changes %s alone, and the record still has version %d, so a change from an older page would overwrite it: update "+
				"the row of the record too", x.Operation, f.Name, now)
		}
	}
}

// everyFieldIsDeclared: the table of cases changes each field of the forms and of the API.
func everyFieldIsDeclared(x *Case) {
	of := x.Resource
	declared := map[string]bool{}
	for _, f := range of.Fields {
		declared[f.Name] = true
	}
	p := x.Page(x.Caller.Get(x.Caller.Get(x.Resource.formAt()).Location()))
	for _, n := range Elements(p.Form(), "input", "textarea", "select") {
		name, _ := Attr(n, "name")
		// The field of a search is not part of the command.
		if kind, _ := Attr(n, "type"); kind != "hidden" && kind != "search" && !declared[name] {
			x.Errorf("the form of %s has a field %q that its declaration lacks", of.Name, name)
		}
	}
	if of.People {
		return
	}
	commands := []url.Values{of.Command}
	for _, f := range of.Fields {
		commands = append(commands, f.another(of, of.Command))
	}
	var sent []string
	for _, command := range commands {
		sent = append(sent, members("", Decode[any](x.Bundle, Answer{Body: of.API.Encode(command)}))...)
	}
	for _, taken := range taken("", reflect.TypeOf(of.API.Input)) {
		switch path.Base(taken) {
		case "source", "external_id": // see externalCases
			continue
		case "same_email", "series": // answers to questions of the form, see TestWhichCustomer and TestTypedAhead
			continue
		}
		if removed, is := strings.CutPrefix(path.Base(taken), "remove_"); is && declared[removed] { // see fileIsRemoved
			continue
		}
		assert.Thatf(x, slices.Contains(sent, taken),
			"the API takes %s of %s, and no declared field sends it: add it to fields and command in %s_test.go", taken, of.Name, of.Name)
	}
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
		if of.Elem().Kind() == reflect.Uint8 { // Base64
			return []string{at}
		}
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
func sameCommandInBothFormats(x *Case) {
	first := x.Done()
	y := *x
	y.Format, y.Caller = HTML{}, x.Person(x.Replica, x.Acme)
	again := y.Ask(x.Command)
	assert.Thatf(x, again.Status == http.StatusSeeOther && again.Location() == x.Resource.PageOf(x.Format.record(x, first)),
		"JSON %v\nHTML %v", first, again)
	x.WantOutcomes(Did, "replayed")
}

// shownWhereReferredTo: the pages of the records that a new one refers to lead to it, and to the form of another one. Its form finds them,
// and doesn't offer the record to itself.
func shownWhereReferredTo(x *Case) {
	first := x.Done()
	id := x.Format.record(x, first)
	for _, option := range Elements(x.Page(x.Caller.Get(x.Caller.Get(x.Resource.RecordAt(id)+"/edit").Location())).Form(), "option") {
		if value, _ := Attr(option, "value"); value == id {
			x.Errorf("the form of one of the %s offers it to itself", x.Resource.Plural())
		}
	}
	for _, r := range x.Routes {
		field, offers := strings.CutPrefix(r.Path, x.Resource.Path+"/choices/")
		if a := x.Caller.Get(r.Path); offers && !strings.Contains(a.Body, x.Command.Get(field)) {
			x.Errorf("the field %s doesn't find %s: %v", field, x.Command.Get(field), a)
		}
	}
	for _, other := range x.Resource.Refers {
		page := x.Page(x.Caller.Get(other.PageOf(Referred)))
		page.LeadsTo(x.Resource.RecordAt(id))
		for _, filter := range x.Resource.Filters {
			name, _, _ := strings.Cut(filter, "=")
			if x.Command.Get(name) != Referred || len(x.Resource.Refers) > 1 {
				continue
			}
			page.LeadsTo(x.Resource.Path + "/new?" + name + "=" + Referred)
			x.Page(x.Caller.Get(x.Resource.Path + "?" + name + "=" + Referred)).LeadsTo(x.Resource.RecordAt(id))
			x.Page(x.Caller.Get(x.Resource.Path + "?" + name + "=" + Nobody)).
				Says("No " + strings.ReplaceAll(x.Resource.Path[1:], "-", " ") + " found")
		}
	}
}

// filtersAreChecked: a filter of a list with another value, or with two, is refused in both formats.
func filtersAreChecked(x *Case) {
	for _, filter := range x.Resource.Filters {
		name, _, _ := strings.Cut(filter, "=")
		for _, query := range []string{name + "=nothing", filter + "&" + filter} {
			list := x.Resource.Path + "?" + query
			person, program := x.Caller.Get(list), x.Program(x.Replica, x.Acme).Get("/api/v1"+list)
			assert.Thatf(x, person.Status == http.StatusUnprocessableEntity && program.Status == http.StatusUnprocessableEntity,
				"%s: %v, %v", query, person.Status, program)
			x.Page(person).Says("Check your filters")
		}
	}
}
