package idempotency_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
	"onlyonce/internal/record"
)

// alike returns an operation whose items look the same if their names differ only in case.
func alike(s idempotency.Spec[order, item]) idempotency.Operation[order, item] {
	s.Alike = idempotency.Alike[item]{
		Fields: []string{"name"}, Within: time.Hour, Name: func(named item) string { return "the item " + named.Name },
	}
	return idempotency.Define(s)
}

// TestLooksLikeARepeat checks that a likely repeat is a question to users and a note to programs, but only for a while.
func TestLooksLikeARepeat(t *testing.T) {
	inStylesOf(t, spec, interactive, func(b *bundle, spec idempotency.Spec[order, item]) {
		create := alike(spec)
		do := func(key, name string, asks bool) (item, error) {
			intent := b.Intent(key)
			intent.AsksAboutRepeat = asks
			done, err := create.Do(b.Context(), b.Store, intent, order{name})
			return done.Value, err
		}
		first, err := do("first", "Ada", true)
		must.Thatf(b, err == nil && first.PossibleDuplicateOf == uuid.Nil, "%+v, %v", first, err)
		b.Exec(`UPDATE likenesses SET expires_at = expires_at - interval '41 seconds'`)
		_, err = do("second", "ADA", true)
		question, ok := errors.AsType[*conflict.Error](err)
		must.Thatf(b, ok && question.Kind == &idempotency.LooksLikeRepeat && question.Existing == first.ID &&
			question.Title == "Looks like the item Ada, created 41 seconds ago.", "%+v, %v", question, err)
		second, err := do("second", "ADA", false)
		if again, _ := do("second", "ADA", true); err != nil || second.PossibleDuplicateOf != first.ID || again != second {
			b.Errorf("%+v, %v, and again %+v", second, err, again)
		}
		if third, err := do("third", "Ádá", false); err != nil || third.PossibleDuplicateOf != second.ID {
			b.Errorf("the last one counts: %+v, %v", third, err)
		}
		if other, err := do("other", "Grace", true); err != nil || other.PossibleDuplicateOf != uuid.Nil {
			b.Errorf("%+v, %v", other, err)
		}
		b.Exec(`UPDATE likenesses SET expires_at = now()`)
		if late, err := do("late", "ada", true); err != nil || late.PossibleDuplicateOf != uuid.Nil {
			b.Errorf("an hour later: %+v, %v", late, err)
		}
		_, err = idempotency.Expire(b.Context(), b.Store.Pool, b.Tenant)
		kept := b.count(`SELECT count(*) FROM likenesses`)
		assert.Thatf(b, err == nil && kept == 1, "%d are kept, %v", kept, err)
		b.Tenant = uuid.New()
		if elsewhere, err := do("first", "ada", true); err != nil || elsewhere.PossibleDuplicateOf != uuid.Nil {
			b.Errorf("another tenant: %+v, %v", elsewhere, err)
		}
	})
}

// TestRepeatOfAStranger: without a name, the question neither names nor links the first record.
func TestRepeatOfAStranger(t *testing.T) {
	b := setup(t)
	s := spec()
	s.Alike = idempotency.Alike[item]{Fields: []string{"name"}, Within: time.Hour}
	create := idempotency.Define(s)
	for n, name := range []string{"Ada", "ADA"} {
		intent := b.Intent(name)
		intent.AsksAboutRepeat = true
		_, err := create.Do(b.Context(), b.Store, intent, order{name})
		question, asked := errors.AsType[*conflict.Error](err)
		must.Thatf(t, asked == (n == 1), "%s: %v", name, err)
		assert.Thatf(t, !asked || question.Title == "Looks like one that was created a moment ago." && question.Existing == uuid.Nil,
			"%+v", question)
	}
}

// TestRepeatsThatArriveTogether checks likely repeats with different keys that arrive together. Only the first is created without a
// question to the user, or without a note to the program.
func TestRepeatsThatArriveTogether(t *testing.T) {
	for _, asks := range []bool{true, false} {
		t.Run(fmt.Sprint("asks ", asks), func(t *testing.T) {
			b := setup(t)
			create := alike(spec())
			const n = 16
			made, errs := make([]item, n), make([]error, n)
			rush(n, func(i int) {
				intent := b.Intent(fmt.Sprint(i))
				intent.AsksAboutRepeat = asks
				name := []byte("abcd")
				for bit := range name {
					if i>>bit&1 == 1 {
						name[bit] -= 'a' - 'A'
					}
				}
				done, err := create.Do(t.Context(), b.Store, intent, order{string(name)})
				made[i], errs[i] = done.Value, err
			})()
			created, alone := 0, 0
			for i, err := range errs {
				question, asked := errors.AsType[*conflict.Error](err)
				switch {
				case err == nil:
					created++
					if made[i].PossibleDuplicateOf == uuid.Nil {
						alone++
					}
				case !asked || question.Kind != &idempotency.LooksLikeRepeat:
					t.Error(err)
				}
			}
			want := n
			if asks {
				want = 1
			}
			if rows := b.count(`SELECT count(*) FROM items`); created != want || rows != want || alone != 1 {
				t.Errorf("created %d of %d, rows %d, like no other %d", created, want, rows, alone)
			}
		})
	}
}

// TestAlikeIsChecked checks that Define compares Alike with the type of the results.
func TestAlikeIsChecked(t *testing.T) {
	t.Parallel()
	whole := idempotency.Alike[item]{Fields: []string{"name"}, Within: time.Hour, Name: func(item) string { return "" }}
	for want, change := range map[string]func(*idempotency.Spec[order, item]){
		"for what creates":                       func(s *idempotency.Spec[order, item]) { s.Kind = idempotency.Change },
		"Within":                                 func(s *idempotency.Spec[order, item]) { s.Alike.Within = 0 },
		"no field with the JSON name label":      func(s *idempotency.Spec[order, item]) { s.Alike.Fields = []string{"name label"} },
		"no field with the JSON name name.first": func(s *idempotency.Spec[order, item]) { s.Alike.Fields = []string{"name.first"} },
	} {
		s := spec()
		s.Alike = whole
		change(&s)
		wantPanic(t, want, func() { idempotency.Define(s) })
	}
	wantPanic(t, "possible_duplicate_of", func() {
		idempotency.Define(idempotency.Spec[order, order]{
			Name: "order.create", Table: record.Table[order]{Name: "orders"},
			Alike:      idempotency.Alike[order]{Fields: []string{"name"}, Within: time.Hour, Name: func(order) string { return "" }},
			Statements: func(tx *idempotency.Tx, _ order) idempotency.Result { return tx.Record() },
		})
	})
}

// wantPanic fails unless f panics with a text.
func wantPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		got := fmt.Sprint(recover())
		assert.Thatf(t, strings.Contains(got, want), "want %q, got %q", want, got)
	}()
	f()
}
