package web

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"onlyonce/templates"
)

// Command is how a command C is read from a form, which was parsed, and from JSON.
type Command[C any] struct {
	Form  func(*http.Request) (C, error)
	JSON  func(*http.Request) (C, error)
	Input reflect.Type // what the JSON is decoded into; nil if there is nothing to say
}

// NewForm attaches a form to a resource, and returns the commands that are made of it. An input of type I is what the fields
// of the form and JSON are decoded into alike; check returns an [*invalid.Error]. It panics if I has no string or bool for one of
// the fields.
func NewForm[I, C any, R Entity](m *Mounted[R], check func(I) (C, error), f Form[R]) Command[C] {
	m.Enter(f)
	set := fieldsInto[I](f.Fields)
	return Command[C]{
		Form: func(r *http.Request) (C, error) {
			var in I
			set(&in, r.PostForm)
			return check(in)
		},
		JSON: func(r *http.Request) (C, error) {
			var in I
			if err := DecodeJSON(r, &in); err != nil {
				var none C
				return none, err
			}
			return check(in)
		},
		Input: reflect.TypeFor[I](),
	}
}

// fieldsInto sets the fields of an input from those of a form that have their JSON names, and those with a tag "form",
// which are no part of the JSON, from the fields of that name.
func fieldsInto[I any](fields []templates.Field) func(*I, url.Values) {
	places := map[string][]int{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[I]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		places[name] = f.Index
		if hidden := f.Tag.Get("form"); hidden != "" {
			places[hidden] = f.Index
			fields = append(slices.Clip(fields), templates.Field{Name: hidden})
		}
	}
	for _, f := range fields {
		if _, ok := places[f.Name]; !ok {
			panic(fmt.Sprintf("web: %v has no field with the JSON name %q", reflect.TypeFor[I](), f.Name))
		}
	}
	return func(in *I, typed url.Values) {
		for _, f := range fields {
			switch field := reflect.ValueOf(in).Elem().FieldByIndex(places[f.Name]); field.Kind() {
			case reflect.Bool:
				field.SetBool(typed.Get(f.Name) == "true")
			default:
				field.SetString(typed.Get(f.Name))
			}
		}
	}
}

// Nothing is the command of an operation that needs to know the record only.
func Nothing() Command[struct{}] {
	return Command[struct{}]{
		Form: func(*http.Request) (struct{}, error) { return struct{}{}, nil },
		JSON: func(r *http.Request) (struct{}, error) {
			var none struct{}
			if r.ContentLength == 0 {
				return none, nil
			}
			return none, DecodeJSON(r, &none)
		},
	}
}
