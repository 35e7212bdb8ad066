package idempotency_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
)

// remembering returns a store that has done "known" twice and can't reach the database any more.
func remembering(t *testing.T, spec idempotency.Spec[order, item]) (b *bundle, create idempotency.Operation[order, item], made item) {
	t.Helper()
	b, create = setup(t), idempotency.Define(spec)
	b.Store.Pool = b.pool(single)
	for range 2 {
		done, err := create.Do(t.Context(), b.Store, b.Intent("known"), order{"a"})
		must.OK(t, err)
		made = done.Value
	}
	b.Store.Pool.Close()
	return b, create, made
}

// TestWithoutTheDatabase checks that copies answer without the database while they may be used. Everything else fails.
func TestWithoutTheDatabase(t *testing.T) {
	t.Parallel()
	deletes := spec()
	deletes.Deletes = true
	for name, c := range map[string]struct {
		spec  idempotency.Spec[order, item]
		since time.Duration // the database answered
		key   string
		name  string
		want  error
	}{
		"known":               {spec(), 0, "known", "a", nil},
		"known for minutes":   {spec(), 59 * time.Minute, "known", "a", nil},
		"known too long":      {spec(), 61 * time.Minute, "known", "a", idempotency.ErrUnavailable},
		"another command":     {spec(), 0, "known", "b", &idempotency.MismatchError{}},
		"another key":         {spec(), 0, "another", "b", idempotency.ErrUnavailable},
		"records are deleted": {deletes, 0, "known", "a", idempotency.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			b, create, made := remembering(t, c.spec)
			b.Store.Age(c.since)
			done, err := create.Do(t.Context(), b.Store, b.Intent(c.key), order{c.name})
			var mismatch *idempotency.MismatchError
			switch {
			case c.want == nil && (err != nil || !done.Replayed || done.Value != made):
				t.Errorf("%+v, %v", done, err)
			case errors.As(c.want, &mismatch) && (!errors.As(err, &mismatch) || mismatch.Record != made.ID):
				t.Errorf("want a mismatch: %v", err)
			case c.want != nil && !errors.As(c.want, &mismatch) && !errors.Is(err, c.want):
				t.Errorf("want %v: %v", c.want, err)
			}
		})
	}
}

// TestRestoredDatabase checks that a restore of the database invalidates all copies. The intent is carried out again, once.
func TestRestoredDatabase(t *testing.T) {
	b := setup(t)
	b.DB.Spoil(t)
	create := idempotency.Define(spec())
	do := func(key string) bool {
		t.Helper()
		done, err := create.Do(t.Context(), b.Store, b.Intent(key), order{key})
		must.OK(t, err)
		return done.Replayed
	}
	for _, key := range []string{"a", "b"} {
		must.Thatf(t, !do(key) && do(key), "not done once")
	}
	b.Exec(`TRUNCATE items, intents CASCADE`)
	b.Store.Age(6 * time.Second) // longer than believed, as a restore takes
	for _, key := range []string{"a", "b"} {
		assert.Thatf(t, !do(key) && do(key), "%s: the restored database was not asked, or not remembered", key)
	}
	b.want(2, `SELECT count(*) FROM items`)
}

// TestOnlyWhatIsCommittedIsRemembered checks that neither refused nor unconfirmed intents leave a copy.
func TestOnlyWhatIsCommittedIsRemembered(t *testing.T) {
	b := setup(t)
	b.hold("taken")
	for _, s := range []idempotency.Spec[order, item]{spec(), interactive()} {
		_, err := idempotency.Define(s).Do(t.Context(), b.Store, b.Intent("k"), order{"taken"})
		assert.Thatf(t, err != nil, "not refused")
	}
	for _, s := range []idempotency.Spec[order, item]{failing(), failingInteractive()} {
		_, err := idempotency.Define(s).Do(t.Context(), b.Store, b.Intent("k"), order{"free"})
		assert.Thatf(t, err != nil, "did not fail")
	}
	intents, bytes := b.Store.Remembered()
	assert.Thatf(t, intents == 0 && bytes == 0, "%d are remembered, in %d bytes", intents, bytes)
}

// TestCopiesHoldNothingElse checks that a copy keeps neither the command nor its buffers in memory, because their size is not counted.
func TestCopiesHoldNothingElse(t *testing.T) {
	b := setup(t)
	command := &order{"a"}
	made := weak.Make(command)
	create := idempotency.Define(idempotency.Spec[*order, item]{
		Name: "item.create", Table: items,
		Statements: func(tx *idempotency.Tx, o *order) idempotency.Result { return spec().Statements(tx, *o) },
	})
	b.OK(create.Do(t.Context(), b.Store, b.Intent("k"), command))
	if runtime.GC(); made.Value() != nil {
		t.Error("the command is kept")
	}
	intents, _ := b.Store.Remembered()
	assert.Thatf(t, intents == 1, "%d are remembered", intents)
}

// TestMemoryInARush runs creates, repeats, other commands and Forget concurrently. There must be one item for each key, and each answer
// must be for its key.
func TestMemoryInARush(t *testing.T) {
	b := setup(t)
	b.Store.Memory = 4 << 10 // too small for all copies
	create := idempotency.Define(spec())
	const keys, repeats = 20, 20
	done, errs := make([]idempotency.Done[item], keys*repeats), make([]error, keys*repeats)
	rush(keys*repeats, func(i int) {
		if i%50 == 0 {
			b.Store.Forget()
		}
		key := fmt.Sprint("k", i%keys)
		done[i], errs[i] = create.Do(context.Background(), b.Store, b.Intent(key), order{key})
		var mismatch *idempotency.MismatchError
		_, err := create.Do(context.Background(), b.Store, b.Intent(key), order{"another"})
		assert.Thatf(t, errors.As(err, &mismatch), "another command: %v", err)
	})()
	b.firsts(done, errs, keys)
	b.want(keys, `SELECT count(*) FROM items`)
}

// kept returns a bundle whose store keeps the answer to a repeat of the returned intent.
func kept(t *testing.T, spec idempotency.Spec[order, item]) (*bundle, idempotency.Operation[order, item], idempotency.Intent) {
	t.Helper()
	b := setup(t)
	spec.Fields = func(o order) []slog.Attr { return []slog.Attr{slog.String("name", o.Name)} }
	create, intent := idempotency.Define(spec), b.Intent("k")
	intent.Request = idempotency.Request{1}
	for _, answer := range []string{"the first answer, which nobody needs", "answer"} {
		done, err := create.Do(t.Context(), b.Store, intent, order{"a"})
		must.OK(t, err)
		done.Keep([]byte(answer))
	}
	return b, create, intent
}

// TestAgain checks that Again returns the kept answer to the same request, and only while its copy may be used.
func TestAgain(t *testing.T) {
	deletes := spec()
	deletes.Deletes = true
	for name, c := range map[string]struct {
		spec   idempotency.Spec[order, item]
		change func(*bundle, *idempotency.Intent)
		want   string
	}{
		"the same":                          {spec(), func(*bundle, *idempotency.Intent) {}, "answer"},
		"another request":                   {spec(), func(_ *bundle, i *idempotency.Intent) { i.Request[1] = 1 }, ""},
		"no request":                        {spec(), func(_ *bundle, i *idempotency.Intent) { i.Request = idempotency.Request{} }, ""},
		"another key":                       {spec(), func(_ *bundle, i *idempotency.Intent) { i.Key = idempotency.NewKey() }, ""},
		"another tenant":                    {spec(), func(_ *bundle, i *idempotency.Intent) { i.Tenant[0]++ }, ""},
		"the database has not answered now": {spec(), func(b *bundle, _ *idempotency.Intent) { b.Store.Age(6 * time.Second) }, ""},
		"too long ago":                      {spec(), func(b *bundle, _ *idempotency.Intent) { b.Store.Age(61 * time.Minute) }, ""},
		"forgotten":                         {spec(), func(b *bundle, _ *idempotency.Intent) { b.Store.Forget() }, ""},
		"records are deleted":               {deletes, func(*bundle, *idempotency.Intent) {}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b, create, intent := kept(t, c.spec)
			c.change(b, &intent)
			got, ok := create.Definition.Again(t.Context(), b.Store, intent)
			assert.Thatf(t, string(got) == c.want && ok == (c.want != ""), "%q, %v", got, ok)
		})
	}
}

// TestAgainIsAnAttempt checks that Again is observed like Do with the same outcome.
func TestAgainIsAnAttempt(t *testing.T) {
	b, create, intent := kept(t, spec())
	var seen []string
	b.Store.Observe = func(_ context.Context, a idempotency.Attempt) {
		a.Duration = 0
		seen = append(seen, a.LogValue().String())
	}
	_, ok := create.Definition.Again(t.Context(), b.Store, intent)
	_, err := create.Do(t.Context(), b.Store, intent, order{"a"})
	must.Thatf(t, err == nil && ok, "%v %v", err, ok)
	assert.Thatf(t, len(seen) == 2 && seen[0] == seen[1] && strings.Contains(seen[0], "replayed") && strings.Contains(seen[0], "name=a"),
		"%q", seen)
}
