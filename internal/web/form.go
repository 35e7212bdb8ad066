package web

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"onlyonce/internal/file"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
	"onlyonce/internal/record/search"
	"onlyonce/templates"
)

// ParseForm reads a form body within its bounds: of bytes, of fields, and of fields with one name. A body
// that could not be read stays so. It returns ErrMalformed, errTooLarge, or what reading the body returned.
func ParseForm(r *http.Request) error {
	if r.PostForm != nil {
		return nil
	}
	if broken, is := r.Body.(brokenBody); is {
		return broken.err
	}
	whole, stranger := r.Body, isStranger(r)
	if stranger {
		if err := toStrangers(r); err != nil {
			return err
		}
		r.Body = http.MaxBytesReader(nil, r.Body, maxStranger)
	}
	var err error
	if u := uploadIn(r); u != nil && isMultipart(r) {
		r.PostForm, err = u.parse(r, stranger)
		r.Form = r.PostForm
	} else {
		r.Body = &formBody{r.Body, maxFields}
		err = r.ParseForm()
	}
	for name, values := range r.PostForm {
		if err == nil && len(values) > maxRepeats {
			err = fmt.Errorf("%w: more than %d fields %.100q", errTooLarge, maxRepeats, name)
		}
	}
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(*http.MaxBytesError)), errors.Is(err, errTooLarge), errors.Is(err, errCrowded):
	default:
		err = fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	r.Form, r.PostForm, r.Body = nil, nil, whole
	finish(r)
	r.Body = brokenBody{whole, err}
	return err
}

// formBody bounds the fields of a form while it is read: each costs memory, and can be as short as a byte.
type formBody struct {
	io.ReadCloser

	fields int // left
}

func (b *formBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.fields -= bytes.Count(p[:n], []byte("&")); b.fields < 0 {
		return 0, fmt.Errorf("%w: more than %d fields", errTooLarge, maxFields)
	}
	return n, err //nolint:wrapcheck // an io.EOF must stay one
}

// brokenBody keeps the error of a body that was read in part: reading on would take the rest for a form.
type brokenBody struct {
	io.ReadCloser

	err error
}

func (b brokenBody) Read([]byte) (int, error) { return 0, b.err }

// eachOnce returns an [*invalid.Error] with the fields that came more than once: which one was meant is not
// for us to decide. It passes over those that may come several times; keys are looked after by formKey.
func eachOnce(form url.Values, repeated []string) error {
	var problems invalid.Error
	for _, name := range sortedNames(form) {
		if len(form[name]) > 1 && !slices.Contains(repeated, name) {
			problems.Add("/"+name, name+" was sent twice. Check it and send the form again.")
		}
	}
	return problems.Err()
}

// formKey finds the key of a posted form of the tenant that is logged in.
func formKey(r *http.Request) (idempotency.Key, error) {
	if err := ParseTenantForm(r); err != nil {
		return idempotency.Key{}, err
	}
	return postedKey(r)
}

// ParseTenantForm is [ParseForm] for a form of a tenant. It returns errOtherTenant for one of another tenant than the one logged in.
func ParseTenantForm(r *http.Request) error {
	if err := ParseForm(r); err != nil {
		return err
	}
	if formOwner(r) != Tenant(r) {
		return errOtherTenant
	}
	return nil
}

// Tenant returns the tenant that is logged in, as forms carry it.
func Tenant(r *http.Request) templates.Owner {
	who := Principal(r)
	return templates.Owner{ID: who.Tenant.String(), Name: who.TenantName}
}

// formOwner returns the tenant that a form belongs to: the one logged in for a new form, and the one in the fields of a posted form, unless
// the user chose the one logged in.
func formOwner(r *http.Request) templates.Owner {
	here, tenant := Tenant(r), r.PostForm.Get(templates.TenantField)
	if tenant == "" || tenant == here.ID || r.PostForm.Get(templates.UseTenantField) == here.ID {
		return here
	}
	return templates.Owner{ID: tenant, Name: r.PostForm.Get(templates.TenantNameField)}
}

// postedKey is the key that a form carries: the hidden field, or the fresh one that a button carries
// when the person decided for a new record. A header is ignored: Firefox can send one with each POST, which is new each time.
func postedKey(r *http.Request) (idempotency.Key, error) {
	if err := ParseForm(r); err != nil {
		return idempotency.Key{}, err
	}
	if len(r.PostForm[templates.KeyField]) > 1 || len(r.PostForm[templates.FreshKeyField]) > 1 {
		return idempotency.Key{}, fmt.Errorf("%w: two keys in one form", idempotency.ErrMalformedKey)
	}
	return idempotency.ParseKey(cmp.Or(r.PostForm.Get(templates.FreshKeyField), r.PostForm.Get(templates.KeyField)))
}

func sortedNames(form url.Values) []string { return slices.Sorted(maps.Keys(form)) }

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
		case templates.Day:
			form.Readable[f.Name] = TypedDay
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
