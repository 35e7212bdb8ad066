package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
	"onlyonce/internal/record/search"
	"onlyonce/templates"
)

// EditLines returns what [Redisplay] does to a form with lines, without JavaScript: it adds a line or removes one.
func EditLines(of templates.LineTable) func(*templates.Form) error {
	return func(f *templates.Form) error {
		lines := of.Lines(f.Typed)
		action, index, _ := strings.Cut(f.Typed.Get(templates.RedisplayField), ":")
		switch i, err := strconv.Atoi(index); {
		case action == templates.AddLine && len(lines) >= of.Most:
			var full invalid.Error
			full.Add("/"+of.Name, of.TooMany)
			return full.Err()
		case action == templates.AddLine:
			lines = append(lines, of.Next())
			f.Focus = of.Control(of.Columns[0].Name, len(lines)-1)
		case action == templates.RemoveLine && err == nil && i >= 0 && i < len(lines):
			if lines = slices.Delete(lines, i, i+1); len(lines) == 0 {
				lines = append(lines, of.Next())
			}
			f.Focus = of.Control(of.Columns[0].Name, min(i, len(lines)-1))
		}
		of.SetLines(f.Typed, lines)
		return nil
	}
}

// linesInto sets the lines of an input from those of a form, without the blank ones, which it also removes from the form. A line is a
// struct with a field for each column.
func linesInto(input reflect.Type, of templates.LineTable) func(reflect.Value, url.Values) {
	if of.Name == "" {
		return func(reflect.Value, url.Values) {}
	}
	member, ok := inputFields(input)[of.Name]
	if !ok {
		panic(fmt.Sprintf("web: %v has no field with the JSON name %q", input, of.Name))
	}
	line := input.FieldByIndex(member.index).Type.Elem()
	columns := inputFields(line)
	for name := range columns {
		if !slices.ContainsFunc(of.Columns, func(c templates.Control) bool { return c.Name == name }) {
			panic(fmt.Sprintf("web: the lines %s lack the column %q of %v", of.Name, name, line))
		}
	}
	return func(in reflect.Value, form url.Values) {
		typed := of.WithoutBlank(of.Lines(form))
		of.SetLines(form, typed)
		lines := reflect.MakeSlice(reflect.SliceOf(line), len(typed), len(typed))
		for i, texts := range typed {
			for n, c := range of.Columns {
				columns[c.Name].set(lines.Index(i), texts[n])
			}
		}
		in.FieldByIndex(member.index).Set(lines)
	}
}

// fillLines puts the lines of a record into its form, from their JSON in the API.
func fillLines(form url.Values, of templates.LineTable, shown json.RawMessage) {
	var lines [][]string
	for _, line := range Decoded[[]map[string]json.RawMessage](shown) {
		var texts []string
		for _, c := range of.Columns {
			texts = append(texts, plain(line[c.Name]))
		}
		lines = append(lines, texts)
	}
	of.SetLines(form, lines)
}

// lineFacts returns each line of a form as a fact.
func lineFacts(form url.Values, of templates.LineTable) (facts []templates.Fact) {
	for i, line := range of.Lines(form) {
		var texts []string
		for n, c := range of.Columns {
			text := line[n]
			if c.Kind == templates.Percent {
				text = PercentText(text)
			}
			if c.Kind == templates.Day {
				text = TypedDay(text)
			}
			switch {
			case text == "":
			case n == 0:
				texts = append(texts, text)
			default:
				texts = append(texts, c.Label+" "+text)
			}
		}
		facts = append(facts, templates.Fact{Label: lineName(i), Value: strings.Join(texts, " · ")})
	}
	return facts
}

// lineName returns the name of the line at index, from 0, as static/form-lines.js does.
func lineName(index int) string { return "Line " + strconv.Itoa(index+1) }

// lineControl returns the form control for a place in lines, or "" for another place.
func lineControl(of templates.LineTable, pointer string) string {
	parts := strings.Split(pointer, "/")
	if of.Name == "" || len(parts) < 2 || parts[1] != of.Name {
		return ""
	}
	if len(parts) < 4 {
		return of.Control(of.Columns[0].Name, 0)
	}
	index, _ := strconv.Atoi(parts[2]) // the decoder's own index
	return of.Control(parts[3], index)
}

// Numbers of records that a form offers for a reference: in the page, and in a response while a person types.
const (
	offeredAtOnce  = 100
	offeredOnTyped = 20
)

// offer registers the search for the records of a reference: GET /choices/<field> below the list.
func (m *resource) offer(field string, names search.Names) {
	m.pages.read(m.choicesPath(field), func(w http.ResponseWriter, r *http.Request) error {
		text, err := Searched(r)
		if err != nil {
			return err
		}
		query := r.URL.Query()
		if id := query.Get("id"); id != "" { // a kept form has the id of its choice only
			named := templates.Option{Value: id, Text: m.called(r, names.Names, id)}
			return m.s.Render(w, r, http.StatusOK, templates.ChoicesPage(templates.Found{All: []templates.FoundRecord{{Option: named}}}))
		}
		options, more, err := m.options(r, names, text, offeredOnTyped, query.Get("except"))
		if err != nil {
			return err
		}
		found := templates.Found{More: more}
		for _, o := range options {
			found.All = append(found.All, templates.FoundRecord{Option: o})
		}
		return m.s.Render(w, r, http.StatusOK, templates.ChoicesPage(found))
	})
}

func (m *resource) choicesPath(field string) string { return m.collectionPath() + "/choices/" + field }

// options returns the records of a choice, except one, and whether there are more.
func (m *resource) options(
	r *http.Request, names search.Names, text string, limit int, except string,
) (options []templates.Option, more bool, err error) {
	list, err := names.Offer(r.Context(), m.s.Pool, Principal(r).Tenant, text, limit)
	for _, each := range list.Rows {
		if id := each.ID.String(); id != except {
			options = append(options, templates.Option{Value: id, Text: each.Name})
		}
	}
	return options, list.After != record.Key{}, err
}

// choices returns the records that a form offers for a reference: the newest, or those that a search without JavaScript finds, and the
// chosen one. A record isn't offered to itself.
func (m *resource) choices(r *http.Request, f templates.Form, field string, names search.Names) (of templates.Choices, err error) {
	of = templates.Choices{
		URL: m.choicesPath(field), FormURL: f.LinesHref, Search: FormSearch(f, field),
	}
	itself := chi.URLParam(r, "id")
	if itself != "" {
		of.URL += "?" + url.Values{"except": {itself}}.Encode()
	}
	if of.Options, _, err = m.options(r, names, of.Search, offeredAtOnce, itself); err != nil {
		return of, err
	}
	chosen := f.Typed.Get(field)
	known := slices.ContainsFunc(of.Options, func(o templates.Option) bool { return o.Value == chosen })
	if _, err := uuid.Parse(chosen); err == nil && !known {
		of.Options = append(of.Options, templates.Option{Value: chosen, Text: m.called(r, names.Names, chosen)})
	}
	return of, nil
}

// FormSearch returns the text of the search for a reference in a form without JavaScript; "" if it is too long.
func FormSearch(f templates.Form, field string) string {
	var tooLong invalid.Error
	text := SearchOf(url.Values{"q": f.Typed[templates.SearchField(field)]}, &tooLong)
	if tooLong.Err() != nil {
		return ""
	}
	return text
}
