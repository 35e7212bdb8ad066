package idempotency_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
)

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
			if got, ok := create.Again(t.Context(), b.Store, intent); string(got) != c.want || ok != (c.want != "") {
				t.Errorf("%q, %v", got, ok)
			}
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
	_, ok := create.Again(t.Context(), b.Store, intent)
	if _, err := create.Do(t.Context(), b.Store, intent, order{"a"}); err != nil || !ok {
		t.Fatal(err, ok)
	}
	if len(seen) != 2 || seen[0] != seen[1] || !strings.Contains(seen[0], "replayed") || !strings.Contains(seen[0], "name=a") {
		t.Errorf("%q", seen)
	}
}
