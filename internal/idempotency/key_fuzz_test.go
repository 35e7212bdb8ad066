package idempotency_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/postgres/pgtest"
)

// FuzzParseHeaderKey checks that every header value is a valid key or returns an error with a reason.
func FuzzParseHeaderKey(f *testing.F) {
	for _, seed := range []string{
		"", "k", "  k  ", `"k"`, `""`, `"a\"b\\c"`, `"a\n"`, `"k";q=1`, `"k`, "a b", "schlüssel", "a\x00b", `"k "`,
		strings.Repeat("k", 255), strings.Repeat("k", 256), `"` + strings.Repeat("k", 255) + `"`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		key, err := idempotency.ParseHeaderKey(header)
		if err != nil {
			if key != (idempotency.Key{}) || !errors.Is(err, idempotency.ErrNoKey) && !errors.Is(err, idempotency.ErrMalformedKey) {
				t.Fatalf("%q: key %q and error %v", header, key, err)
			}
			return
		}
		if same, err := idempotency.ParseKey(key.String()); same != key || err != nil {
			t.Errorf("%q: a form would take %q as %q, %v", header, key, same, err)
		}
		for name, again := range map[string]string{
			"quoted": `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key.String()) + `"`,
			"padded": " \t" + header + "\t ",
		} {
			if same, err := idempotency.ParseHeaderKey(again); same != key || err != nil {
				t.Errorf("%q, %s: got %q, %v, want %q", header, name, same, err, key)
			}
		}
	})
}

// FuzzParseKey checks that the program and the database accept the same keys.
func FuzzParseKey(f *testing.F) {
	for _, seed := range []string{
		"", "k", " ", " k", "k ", "a b", "~", "\x7f", "\x1f", "a\x00b", "a\n", "\xff", "é",
		strings.Repeat("k", 255), strings.Repeat("k", 256),
	} {
		f.Add(seed)
	}
	db := pgtest.New(f)
	f.Fuzz(func(t *testing.T, field string) {
		key, err := idempotency.ParseKey(field)
		_, asked := db.Pool.Exec(context.Background(), `SELECT $1::text::idempotency_key`, field)
		var refused *pgconn.PgError
		if asked != nil && !errors.As(asked, &refused) {
			t.Fatal(asked)
		}
		if (err == nil) != (asked == nil) || (err == nil && key.String() != field) {
			t.Errorf("%q: key %q, %v, and the database says %v", field, key, err, asked)
		}
	})
}
