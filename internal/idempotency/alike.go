package idempotency

import (
	"cmp"
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

// Alike describes when a new record looks like a repeat of an earlier record of the table, from any operation. A user is asked
// ([Intent.AsksAboutRepeat]); for a program, [record.Alike] of the result has the id of the first record. The table stores the likeness
// of its records, with the trigger note_likeness or by calling note_alike in the INSERT.
type Alike[R any] struct {
	// Fields lists the JSON names of the fields that two such records have in common. Each entry has one or more names, separated by
	// spaces, with a dot before a field of an object. Two records look the same if all fields of an entry are equal. Texts are compared
	// ignoring case, width and diacritics. An entry whose fields are all blank matches no record.
	Fields []string
	// Within is the time after the first record in which a second one looks like a repeat. It equals the time in the trigger.
	Within time.Duration
	// Name returns the display name of a record. If it is nil, the question neither names nor links the first record: people without a
	// login must not see the records of others.
	Name func(R) string
	// Verb is the verb of the question, such as "record"; "" for "create". Its participle ends in -ed.
	Verb string
}

// LooksLikeRepeat is the conflict that asks a user about a record that resembles one created minutes ago.
var LooksLikeRepeat = conflict.Kind{
	Slug: "looks-like-repeat", Title: "Looks like a repeat",
	Meaning: "A record with the same content was created a few minutes ago. " +
		"Only forms ask; the API creates the record and returns possible_duplicate_of.",
	ToDo: "Open the earlier record, or confirm that you want another one.",
}

// check panics unless the result type has the fields that Alike names.
func (a Alike[R]) check(operation string, kind Kind) {
	if len(a.Fields) == 0 {
		return
	}
	if kind.Changes() || a.Within <= 0 {
		panic("idempotency: " + operation + ": Alike is for what creates, and needs Within")
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

// fieldType returns the type of a struct's field with the JSON name, or nil if there is none.
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

// LookAlike returns the name of the constraint that tell_repeat reports when it ends a transaction, because a new record of the table
// looks like a repeat.
func LookAlike(table string) string { return table + "_look_alike" }

// AllowRepeatField is the name of the button that creates a record that looks like a repeat anyway.
const AllowRepeatField = "allow_repeat"

// Repeats returns the explanation of [LookAlike], which asks about a new record that looks like a repeat of an earlier record of the
// table. An operation that also creates records of a second table has it in Explain. An operation that refuses some records before it
// asks has another explanation there. It uses the Name and the Verb.
func Repeats[C, R any](table record.Table[R], alike Alike[R]) Explanation[C] {
	verb := cmp.Or(alike.Verb, "create")
	anyway := strings.ToUpper(verb[:1]) + verb[1:] + " anyway"
	return func(ctx context.Context, store *Store, intent Intent, _ C, refused *pgconn.PgError) error {
		id, age, _ := strings.Cut(refused.Detail, " ")
		seconds, err := strconv.Atoi(age)
		if err != nil {
			return fmt.Errorf("age: %w", err)
		}
		like := "one that was"
		question := &conflict.Error{
			Kind: &LooksLikeRepeat, Text: anyway + "?",
			Buttons: []conflict.Button{{Text: anyway, Field: AllowRepeatField, Value: "1"}},
		}
		if alike.Name != nil {
			first, err := record.Find(ctx, store.Pool, table, intent.Tenant, uuid.MustParse(id))
			switch {
			case err == nil:
				like = alike.Name(first) + ","
				question.Existing, question.Name = uuid.MustParse(id), alike.Name(first)
			case !errors.Is(err, record.ErrNotFound): // a deleted record is no reason not to ask
				return err
			}
		}
		question.Title = "Looks like " + like + " " + strings.TrimSuffix(verb, "e") + "ed " + ago(seconds) + "."
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
