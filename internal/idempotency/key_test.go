package idempotency_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

func TestKeys(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("k", 255)
	for _, c := range []struct {
		name, header, want string
		err                error
	}{
		{"bare", "abc-1", "abc-1", nil},
		{"quoted", `"abc-1"`, "abc-1", nil},
		{"space around", "  abc ", "abc", nil},
		{"space inside", "a b", "a b", nil},
		{"escapes", `"a\"b\\c"`, `a"b\c`, nil},
		{"longest", long, long, nil},
		{"longest quoted", `"` + long + `"`, long, nil},
		{"none", "", "", idempotency.ErrNoKey},
		{"empty string", `""`, "", idempotency.ErrNoKey},
		{"too long", long + "k", "", idempotency.ErrMalformedKey},
		{"not ASCII", "schlüssel", "", idempotency.ErrMalformedKey},
		{"control character", "a\x00b", "", idempotency.ErrMalformedKey},
		{"not closed", `"abc`, "", idempotency.ErrMalformedKey},
		{"only a quote", `"`, "", idempotency.ErrMalformedKey},
		{"parameters", `"abc";q=1`, "", idempotency.ErrMalformedKey},
		{"joined", `abc, abc`, "", idempotency.ErrMalformedKey},
		{"joined with another", `abc,def`, "", idempotency.ErrMalformedKey},
		{"joined with none", `, abc`, "", idempotency.ErrMalformedKey},
		{"joined, quoted", `"abc", "abc"`, "", idempotency.ErrMalformedKey},
		{"joined, one quoted", `"abc", abc`, "", idempotency.ErrMalformedKey},
		{"joined, the other quoted", `abc, "abc"`, "", idempotency.ErrMalformedKey},
		{"a comma in quotes", `"abc, def"`, "abc, def", nil},
		{"unknown escape", `"a\n"`, "", idempotency.ErrMalformedKey},
		{"space at the end inside", `"abc "`, "", idempotency.ErrMalformedKey},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := idempotency.ParseHeaderKey(c.header)
			assert.Thatf(t, got.String() == c.want && errors.Is(err, c.err), "got %q, %v, want %q, %v", got, err, c.want, c.err)
		})
	}
}

// TestKeyHoldsNoBody checks that a key does not keep the request's body in memory.
func TestKeyHoldsNoBody(t *testing.T) {
	t.Parallel()
	body := "idempotency_key=6f1c2f5e&notes=" + strings.Repeat("x", 1<<20)
	parsers := map[string]func(string) (idempotency.Key, error){"field": idempotency.ParseKey, "header": idempotency.ParseHeaderKey}
	for name, parse := range parsers {
		key, err := parse(body[16:24])
		must.Thatf(t, err == nil && key.String() == "6f1c2f5e", "%s: %q, %v", name, key, err)
		text := key.String()
		assert.Thatf(t, unsafe.StringData(text) != unsafe.StringData(body[16:]), "%s: the key keeps the whole body in memory", name)
	}
}

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
			same, err := idempotency.ParseHeaderKey(again)
			assert.Thatf(t, same == key && err == nil, "%q, %s: got %q, %v, want %q", header, name, same, err, key)
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
		must.Thatf(t, asked == nil || errors.As(asked, &refused), "%v", asked)
		assert.Thatf(t, (err == nil) == (asked == nil) && (err != nil || key.String() == field),
			"%q: key %q, %v, and the database says %v", field, key, err, asked)
	})
}

// TestIDs checks that an intent can make many ids, and that they are the same each time the work is run.
func TestIDs(t *testing.T) {
	b := setup(t)
	var intents []idempotency.Intent
	s := interactive()
	insert := s.Run
	s.Run = func(ctx context.Context, tx pgx.Tx, intent idempotency.Intent, o order) (item, error) {
		intents = append(intents, intent)
		return insert(ctx, tx, intent, o)
	}
	b.OK(idempotency.Define(s).Do(t.Context(), b.Store, b.Intent("k"), order{"a"}))
	intent := intents[0]
	seen := map[uuid.UUID]bool{}
	for n := range uint64(100) {
		id := intent.ID(n)
		if seen[id] || id.Version() != 7 || id.Variant() != uuid.RFC4122 || id.Time() != intent.Record.Time() || id != intent.ID(n) {
			t.Fatalf("%d: %s", n, id)
		}
		seen[id] = true
	}
	assert.Thatf(t, intent.ID(0) == intent.Record, "the first is not the record")
}
