package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/google/uuid"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/templates"
)

// format is how one operation is spoken of in HTML forms or in JSON.
type format[C, R any] struct {
	// intent reads key, record and version.
	intent func(*http.Request) (idempotency.Intent, error)
	// decode reads the command.
	decode func(*http.Request) (C, error)
	// respond answers a success, the first and every later one alike.
	respond func(http.ResponseWriter, *http.Request, idempotency.Done[R]) error
	// late answers the repeat of an intent whose result has expired, with the id of its record.
	late func(http.ResponseWriter, *http.Request, uuid.UUID) error
	// refuse answers everything else.
	refuse func(http.ResponseWriter, *http.Request, error) error
}

// operate is the handler of every route that carries out an operation: read the intent, decode the command, do
// it once, respond.
func operate[C, R any](s *Server, op idempotency.Operation[C, R], f format[C, R]) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		intent, err := f.intent(r)
		intent.Tenant, intent.Actor = principal(r).Tenant, principal(r).Name
		if err != nil {
			op.Reject(r.Context(), s.store, intent, err)
			return f.refuse(w, r, err)
		}
		command, err := f.decode(r)
		if err != nil {
			op.Reject(r.Context(), s.store, intent, err)
			return f.refuse(w, r, err)
		}

		done, err := op.Do(r.Context(), s.store, intent, command)

		if expired, ok := errors.AsType[*idempotency.AlreadyDoneError](err); ok {
			return f.late(w, r, expired.Record)
		}
		if err != nil {
			return f.refuse(w, r, err)
		}
		return f.respond(w, r, done)
	}
}

// command is how a command C is read from a form, which was parsed, and from JSON.
type command[C any] struct {
	form  func(*http.Request) (C, error)
	json  func(*http.Request) (C, error)
	input reflect.Type // what the JSON is decoded into; nil if there is nothing to say
}

// read makes a command of an input of type I, which the fields of a resource's form and JSON are decoded into
// alike. check returns an [*invalid.Error]. It panics if I has no string or bool for one of the fields.
func read[I, C any, R entity](m *mounted[R], check func(I) (C, error)) command[C] {
	set := fieldsInto[I](m.fields)
	return command[C]{
		form: func(r *http.Request) (C, error) {
			var in I
			set(&in, r.PostForm)
			return check(in)
		},
		json: func(r *http.Request) (C, error) {
			var in I
			if err := decodeJSON(r, &in); err != nil {
				var none C
				return none, err
			}
			return check(in)
		},
		input: reflect.TypeFor[I](),
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

// nothing is the command of an operation that needs to know the record only.
func nothing() command[struct{}] {
	return command[struct{}]{
		form: func(*http.Request) (struct{}, error) { return struct{}{}, nil },
		json: func(r *http.Request) (struct{}, error) {
			var none struct{}
			if r.ContentLength == 0 {
				return none, nil
			}
			return none, decodeJSON(r, &none)
		},
	}
}

// creates registers an operation that creates records, or finds those with the same natural key, once per key:
// its form at /new, and POST. fresh gives what stands in a new form; nil leaves it blank. conflicts are those besides the
// rules'.
func creates[C any, R entity](
	m *mounted[R], summary string, op idempotency.Operation[C, R], c command[C],
	fresh func(*http.Request) (url.Values, error), conflicts ...*conflict.Kind,
) {
	if fresh == nil {
		fresh = func(*http.Request) (url.Values, error) { return url.Values{}, nil }
	}
	words := creating(m.one)
	if m.words != nil {
		words = *m.words
	}
	register(m, op, words)
	documentChange(m, op, c, endpoint{
		method: http.MethodPost, path: m.making(), summary: summary, repeats: "replays the first answer",
	}, conflicts)
	m.pages.read(m.making()+"/new", m.openNew(words, op.Used, fresh))
	operation(m.pages, http.MethodPost, m.making(), m.s, op, htmlFormat(m, op, words, c))
	operation(m.api, http.MethodPost, m.making(), m.s, op, jsonFormat(m, op, c))
}

// changes registers an operation that changes a record, once per key and only the version that was seen: its
// form at /{id}/edit, and in the API PUT, which replaces the record, or PATCH.
func changes[C any, R entity](
	m *mounted[R], method, summary string, op idempotency.Operation[C, R], c command[C], conflicts ...*conflict.Kind,
) {
	words := editing(m.one)
	register(m, op, words)
	documentChange(m, op, c, endpoint{
		method: method, path: m.record(), summary: summary + " If-Match names the version that you have seen.",
		repeats: "replays the first answer; without a key, 412",
	}, conflicts)
	m.pages.read(m.record()+"/edit", m.openEdit(words, op.Used))
	operation(m.pages, http.MethodPost, m.record()+"/edit", m.s, op, htmlFormat(m, op, words, c))
	operation(m.api, method, m.record(), m.s, op, jsonFormat(m, op, c))
}

// transitions registers an operation that brings a record into a state: POST /{id}/<verb>. past is the verb's
// participle, such as "archived".
func transitions[C any, R entity](
	m *mounted[R], verb, past, summary string, op idempotency.Operation[C, R], c command[C], conflicts ...*conflict.Kind,
) {
	words := wording{
		title: capital(verb) + " " + m.one, did: past, idle: capital(past) + " again: nothing changed",
		changed: capital(m.one) + " %s " + past + ".", unchanged: "%s was already " + past + ".",
		replayed: capital(m.one) + " " + past + ". We ignored the duplicate submission and kept your first request.",
	}
	register(m, op, words)
	path := m.record() + "/" + verb
	documentChange(m, op, c, endpoint{method: http.MethodPost, path: path, summary: summary, repeats: "does nothing more"}, conflicts)
	operation(m.pages, http.MethodPost, path, m.s, op, htmlFormat(m, op, words, c))
	operation(m.api, http.MethodPost, path, m.s, op, jsonFormat(m, op, c))
}
