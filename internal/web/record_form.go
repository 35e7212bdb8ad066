package web

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/conflict"
	"onlyonce/internal/file"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
	"onlyonce/internal/record/search"
	"onlyonce/internal/value/typed"
	"onlyonce/internal/web/apidoc"
	"onlyonce/templates"
)

// Form describes the form of a record.
type Form[R Entity] struct {
	// Fields are the form's fields with their labels. They have the names of the API. A form with other fields sets Fill and Facts.
	Fields []templates.Field
	// Page returns the page with the form.
	Page func(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error)
	// Readable has, by the names of fields, how people read their values; without one, as they were typed.
	Readable map[string]func(typed string) string
	// References are the fields with the id of another record, such as customer_id. The record has each as a [record.Reference], without
	// the suffix _id.
	References map[string]record.Names
	// Choices are the references whose records the form offers, with a search for all of them.
	Choices map[string]search.Names
	// Fill returns the form fields of an existing record; nil for the API's values.
	Fill func(R) url.Values
	// Facts returns labels and values of the typed fields; nil if each field is one.
	Facts func(typed url.Values) []templates.Fact
	// Control returns the form control for a JSON Pointer; nil if they have the same names.
	Control func(pointer string) string
	// Lines is the table of lines; zero for a form without one.
	Lines templates.LineTable
	// RepeatedFields may come several times, besides those of the lines.
	RepeatedFields []string
	// Files are the rules for the fields with a file, by name. The form sends them last, so that all else is known before.
	Files map[string]file.Rule
	// Example is a command that creates one, for the API's documentation: a value of the decoded type.
	Example any
	// Words is the wording of creates; nil for the usual one.
	Words *Wording
	// Final returns why a record cannot be changed any more, or nil if it can. Without it, all can.
	Final func(R) error
	// OnSuccess is called after each success of an operation in a form, the repeated ones too, and OnConflict after each
	// conflict; nil for neither. They act in memory only: the work of the operation does the rest.
	OnSuccess  func(R)
	OnConflict func(*http.Request, *conflict.Error)
}

// Enter attaches a form to a resource whose commands are not made of its fields one by one; else see [NewForm]. The operations read it
// when they are registered, so it panics after one.
func Enter[R Entity](m *Mounted[R], f Form[R]) {
	m.untyped.enter(untypedForm(f))
}

func (m *resource) enter(f Form[Entity]) {
	if len(m.operations) > 0 {
		panic("web: the form of " + m.many + " comes too late: enter it before the operations")
	}
	for field, names := range f.Choices {
		if _, offered := m.form.Choices[field]; !offered {
			m.offer(field, names)
		}
	}
	m.form = f
	m.form.RepeatedFields = slices.Concat(f.RepeatedFields, f.Lines.Names())
}

// untypedForm returns a form of records without their type.
func untypedForm[R Entity](f Form[R]) Form[Entity] {
	of := Form[Entity]{
		Fields: f.Fields, Page: f.Page, Readable: f.Readable, References: f.References, Choices: f.Choices,
		Fill: ofEntity(f.Fill), Facts: f.Facts,
		Control: f.Control, Lines: f.Lines, RepeatedFields: f.RepeatedFields, Files: f.Files, Example: f.Example, Words: f.Words,
		Final: ofEntity(f.Final), OnConflict: f.OnConflict,
	}
	if f.OnSuccess != nil {
		of.OnSuccess = func(found Entity) { f.OnSuccess(as[R](found)) }
	}
	return of
}

// facts returns labels and values of the typed fields.
func (m *resource) facts(typed url.Values) (facts []templates.Fact) {
	if m.form.Facts != nil {
		return m.form.Facts(typed)
	}
	for _, f := range m.form.Fields {
		value := strings.Join(typed[f.Name], " ")
		if read := m.form.Readable[f.Name]; read != nil {
			value = read(value)
		}
		facts = append(facts, templates.Fact{Label: f.Value, Value: value})
	}
	return append(facts, lineFacts(typed, m.form.Lines)...)
}

// controlOf is the form control for a place in the command.
func (m *resource) controlOf(pointer string) string {
	if control := lineControl(m.form.Lines, pointer); control != "" {
		return control
	}
	if m.form.Control != nil {
		return m.form.Control(pointer)
	}
	return strings.ReplaceAll(strings.TrimPrefix(pointer, "/"), "/", "_")
}

// called is the name of the record with an id; the id if there is none.
func (m *resource) called(r *http.Request, names record.Names, id string) string {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return id
	}
	name, err := names.Of(r.Context(), m.s.Pool, Principal(r).Tenant, parsed)
	if err != nil {
		return id
	}
	return name
}

// Command reads a command C from a parsed form and from JSON.
type Command[C any] struct {
	Form  func(*http.Request) (C, error)
	JSON  func(*http.Request) (C, error)
	Input reflect.Type // the type that the JSON is decoded into; nil if it has no members
}

// NewCommand has a command read from a form by form, and made by check of JSON of the type I. A body whose members may all be left out
// may be left out itself.
func NewCommand[I, C any](form func(*http.Request) (C, error), check func(I) (C, error)) Command[C] {
	return Command[C]{
		Form: form,
		JSON: func(r *http.Request) (command C, err error) {
			var in I
			if err := decodeCommand(r, &in); err != nil {
				return command, err
			}
			return check(in)
		},
		Input: reflect.TypeFor[I](),
	}
}

func decodeCommand(r *http.Request, in any) error {
	if r.ContentLength == 0 && len(apidoc.Required(reflect.TypeOf(in).Elem())) == 0 {
		return nil
	}
	return DecodeJSON(r, in)
}

// NewForm attaches a form to a resource, and returns its commands. Form fields and JSON are decoded into an input of type I, as in
// [NewCommand]; check returns an [*invalid.Error]. It panics if I has no string or bool for one of the fields, or a text of I is no field.
func NewForm[I, C any, R Entity](m *Mounted[R], check func(I) (C, error), f Form[R]) Command[C] {
	return commandOf(m, f, func(*http.Request) (func(I) (C, error), error) { return check, nil })
}

// NewFormUnder is [NewForm] for a record below another one, which check gets.
func NewFormUnder[I, C any, P, R Entity](parent *Mounted[P], m *Mounted[R], check func(I, P) (C, error), f Form[R]) Command[C] {
	return commandOf(m, f, func(r *http.Request) (func(I) (C, error), error) {
		found, err := parent.Find(r)
		return func(in I) (C, error) { return check(in, found) }, err
	})
}

func commandOf[I, C any, R Entity](m *Mounted[R], f Form[R], checkOf func(*http.Request) (func(I) (C, error), error)) Command[C] {
	Enter(m, f)
	checked := func(r *http.Request, decode func(*I) error) (command C, err error) {
		check, err := checkOf(r)
		if err != nil {
			return command, err
		}
		var in I
		if err := decode(&in); err != nil {
			return command, err
		}
		return check(in)
	}
	set, setLines := fieldsInto(reflect.TypeFor[I](), f.Fields), linesInto(reflect.TypeFor[I](), f.Lines)
	m.untyped.mustLabel(reflect.TypeFor[I]())
	return Command[C]{
		Form: func(r *http.Request) (C, error) {
			command, err := checked(r, func(in *I) error {
				set(reflect.ValueOf(in).Elem(), r)
				setLines(reflect.ValueOf(in).Elem(), r.PostForm)
				return nil
			})
			if err != nil && uploadIn(r).tooLarge() {
				err = fmt.Errorf("%w: %w", errTooLarge, err)
			}
			return command, err
		},
		JSON: func(r *http.Request) (C, error) {
			return checked(r, func(in *I) error { return decodeCommand(r, in) })
		},
		Input: reflect.TypeFor[I](),
	}
}

// inputField is a field of an input, and the format of its text in the API.
type inputField struct {
	index  []int
	format string
}

// inputFields returns the fields of an input by their JSON names, and those with a tag "form", which are no part of the JSON, by that.
func inputFields(input reflect.Type) map[string]inputField {
	all := map[string]inputField{}
	for _, f := range reflect.VisibleFields(input) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if hidden := f.Tag.Get("form"); hidden != "" {
			name = hidden
		}
		if name != "" {
			all[name] = inputField{f.Index, f.Tag.Get("format")}
		}
	}
	return all
}

// set sets a field of an input from a typed text. People may write decimals with separators, as [typed.Number] reads them, percentages as
// [typed.Percent] does, and times without a zone, as [typed.UTC] does.
func (f inputField) set(input reflect.Value, text string) {
	switch f.format {
	case "decimal", "number":
		if plain, ambiguous := typed.Number(text, 2); !ambiguous {
			text = plain
		}
	case "percent":
		text = typed.Percent(text)
	case "moment":
		text = typed.UTC(text)
	}
	switch field := input.FieldByIndex(f.index); field.Kind() {
	case reflect.Bool:
		field.SetBool(text == "true")
	default:
		field.SetString(text)
	}
}

// fieldsInto sets the fields of an input from those of a form that have their names. A struct is a [file.Input]. The values of a field that
// came several times have spaces between them.
func fieldsInto(input reflect.Type, fields []templates.Field) func(reflect.Value, *http.Request) {
	all := inputFields(input)
	for _, f := range reflect.VisibleFields(input) {
		if hidden := f.Tag.Get("form"); hidden != "" {
			fields = append(slices.Clip(fields), templates.Field{Name: hidden})
		}
	}
	for _, f := range fields {
		if _, ok := all[f.Name]; !ok {
			panic(fmt.Sprintf("web: %v has no field with the JSON name %q", input, f.Name))
		}
	}
	return func(in reflect.Value, r *http.Request) {
		for _, f := range fields {
			if field := in.FieldByIndex(all[f.Name].index); field.Kind() == reflect.Struct {
				field.Set(reflect.ValueOf(fileIn(r, f.Name)))
			} else {
				all[f.Name].set(in, strings.Join(r.PostForm[f.Name], " "))
			}
		}
	}
}

// mustLabel panics if the form lacks a text of its input, except those of an external id, which only programs send.
func (m *resource) mustLabel(input reflect.Type) {
	for _, f := range reflect.VisibleFields(input) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		external := input.Field(f.Index[0]).Type == reflect.TypeFor[idempotency.External]()
		known := slices.ContainsFunc(m.form.Fields, func(of templates.Field) bool { return of.Name == name })
		if f.Type.Kind() == reflect.String && name != "" && name != "-" && !external && !known {
			panic(fmt.Sprintf("web: the form of %s lacks %q of %v: add {Name: %[2]q, Value: \"its label\"} to Fields of its web.Form",
				m.many, name, input))
		}
	}
}

// Nothing is the command of an operation that needs to know the record only.
func Nothing() Command[struct{}] {
	return Command[struct{}]{
		Form: func(*http.Request) (struct{}, error) { return struct{}{}, nil },
		JSON: func(r *http.Request) (struct{}, error) {
			var none struct{}
			return none, decodeCommand(r, &none)
		},
	}
}
