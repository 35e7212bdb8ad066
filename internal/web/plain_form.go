package web

import (
	"net/http"
	"strings"

	"github.com/a-h/templ"

	"onlyonce/internal/file"
	"onlyonce/internal/record"
	"onlyonce/internal/record/search"
	"onlyonce/templates"
)

// PlainField is a field of a form without a template, and of the page of its records.
type PlainField[R Entity] struct {
	Name, Label string
	Optional    bool   // which the form adds to the label
	Hint        string // "" for none
	Kind        templates.ControlKind
	Options     []templates.Option  // of the kind [templates.OneOf]
	Names       search.Names        // of the kind [templates.Offered]
	File        file.Rule           // of the kind [templates.File]
	Lines       templates.LineTable // of the kind [templates.Table]
	// Text returns the value on the page of a record; nil for a field that the page doesn't show.
	Text func(R) string
	// Stored returns the file of a record, in place of Text, and Href its address.
	Stored func(R) file.Stored
	// Href returns the page that the value links to; nil for none.
	Href func(R) string
}

// PlainForm returns a form of fields in the given order, without a template.
func PlainForm[R Entity](fields []PlainField[R]) Form[R] {
	form := Form[R]{
		Readable: map[string]func(string) string{}, Files: map[string]file.Rule{},
		References: map[string]record.Names{}, Choices: map[string]search.Names{},
	}
	var controls []templates.Control
	for _, f := range fields {
		controls = append(controls, templates.Control{
			Name: f.Name, Label: f.Label, Optional: f.Optional, Hint: f.Hint, Kind: f.Kind, Options: f.Options, Lines: f.Lines,
		})
		if f.Kind == templates.Table {
			form.Lines = f.Lines
			continue
		}
		form.Fields = append(form.Fields, templates.Field{Name: f.Name, Value: f.Label})
		switch f.Kind {
		case templates.Percent:
			form.Readable[f.Name] = PercentText
		case templates.Moment:
			form.Readable[f.Name] = TimestampText
		case templates.Offered:
			form.References[f.Name], form.Choices[f.Name] = f.Names.Names, f.Names
		case templates.File:
			form.Files[f.Name] = f.File
			control := &controls[len(controls)-1]
			control.Accept, control.Hint = f.File.Accept(), strings.TrimSpace(f.File.String()+". "+f.Hint)
		default:
		}
	}
	form.Page = func(_ *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
		return templates.PlainForm(p, f, controls), nil
	}
	return form
}

// PlainFacts returns the values of the fields of a record.
func PlainFacts[R Entity](fields []PlainField[R], found R) (facts []templates.Fact) {
	for _, f := range fields {
		fact := templates.Fact{Label: f.Label}
		switch {
		case f.Stored != nil:
			has := f.Stored(found)
			fact.Value, fact.Picture = has.Name, strings.HasPrefix(has.Type, "image/")
		case f.Text != nil:
			fact.Value = f.Text(found)
		default:
			continue
		}
		if f.Href != nil {
			fact.Href = f.Href(found)
		}
		facts = append(facts, fact)
	}
	return facts
}
