package idempotency

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/conflict"
	"onlyonce/internal/record"
)

// Alike describes when a new record looks like a repeat of another one, whichever operation created that. A person is asked
// ([Intent.AsksAboutRepeat]), a program finds the first one in [record.Alike] of the result. The table of the records notes what they are
// like, by the trigger note_likeness, or the statement that inserts them does, by note_alike.
type Alike[R any] struct {
	// Fields names what two such records have in common, as the JSON of the result does: with a space between fields, and a dot before
	// a field of an object. Of several lines one is enough. Texts are compared as names are, without capitals, width and marks; a
	// line whose fields are all blank is like no other.
	Fields []string
	// Within is how long after the first one a second looks like a repeat: that of the trigger.
	Within time.Duration
	// Name is what people call one.
	Name func(R) string
}

// LooksLikeRepeat is what people are asked about a record like one of minutes ago.
var LooksLikeRepeat = conflict.Kind{
	Slug: "looks-like-repeat", Title: "Looks like a repeat",
	Meaning: "A record with the same content was created a few minutes ago. " +
		"Only forms ask; the API creates the record and returns possible_duplicate_of.",
	ToDo: "Open the earlier record, or confirm that you want another one.",
}

// check panics if the results of an operation do not have what it says of them.
func (a Alike[R]) check(operation string, kind Kind) {
	if len(a.Fields) == 0 {
		return
	}
	if kind.Changes() || a.Within <= 0 || a.Name == nil {
		panic("idempotency: " + operation + ": Alike is for what creates, and needs Within and Name")
	}
	for _, field := range append(strings.Fields(strings.Join(a.Fields, " ")), "possible_duplicate_of") {
		result := reflect.TypeFor[R]()
		for name := range strings.SplitSeq(field, ".") {
			result = fieldType(result, name)
		}
		if result == nil {
			panic(fmt.Sprintf("idempotency: %s: %s has no field with the JSON name %s, which Alike needs. (record.Alike has "+
				"possible_duplicate_of.)", operation, reflect.TypeFor[R](), field))
		}
	}
}

// fieldType returns the type of the field of a struct with a JSON name; nil if there is none.
func fieldType(t reflect.Type, name string) reflect.Type {
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	for _, field := range reflect.VisibleFields(t) {
		if tag, _, _ := strings.Cut(field.Tag.Get("json"), ","); tag == name {
			return field.Type
		}
	}
	return nil
}

// LookAlike returns the constraint by which tell_repeat ends a transaction, if a new record of a table looks like a repeat.
func LookAlike(table string) string { return table + "_look_alike" }

// Repeats explains [LookAlike]: it asks about a new record that looks like a repeat of one of a table. An operation that creates such
// records besides its own has it in Explain. name returns what people call one.
func Repeats[C, R any](table record.Table[R], name func(R) string) Explanation[C] {
	return func(ctx context.Context, store *Store, intent Intent, _ C, refused *pgconn.PgError) error {
		id, age, _ := strings.Cut(refused.Detail, " ")
		seconds, err := strconv.Atoi(age)
		if err != nil {
			return fmt.Errorf("age: %w", err)
		}
		like := "one that was"
		question := &conflict.Error{
			Kind: &LooksLikeRepeat, Text: "Create anyway?",
			Ways: []conflict.Way{{Text: "Create anyway", Field: "allow_repeat", Value: "1"}},
		}
		first, err := table.Find(ctx, store.Pool, intent.Tenant, uuid.MustParse(id))
		switch {
		case err == nil:
			like = name(first) + ","
			question.Existing, question.Name = uuid.MustParse(id), name(first)
		case !errors.Is(err, record.ErrNotFound): // else it was deleted meanwhile, which is no reason not to ask
			return err
		}
		question.Title = "Looks like " + like + " created " + ago(seconds) + "."
		return question
	}
}

func ago(seconds int) string {
	switch {
	case seconds < 2:
		return "a moment ago"
	case seconds < 120:
		return strconv.Itoa(seconds) + " seconds ago"
	default:
		return strconv.Itoa(seconds/60) + " minutes ago"
	}
}
