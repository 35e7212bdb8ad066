package web

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"onlyonce/internal/invalid"
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
			lines = append(lines, of.Next(lines))
			f.Focus = of.Control(of.Columns[0].Name, len(lines)-1)
		case action == templates.RemoveLine && err == nil && i >= 0 && i < len(lines):
			if lines = slices.Delete(lines, i, i+1); len(lines) == 0 {
				lines = append(lines, of.Next(nil))
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
