package idempotency_test

import (
	"errors"
	"strings"
	"testing"
	"unsafe"

	"onlyonce/internal/idempotency"
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
			if got.String() != c.want || !errors.Is(err, c.err) {
				t.Errorf("got %q, %v, want %q, %v", got, err, c.want, c.err)
			}
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
		if err != nil || key.String() != "6f1c2f5e" {
			t.Fatalf("%s: %q, %v", name, key, err)
		}
		if text := key.String(); unsafe.StringData(text) == unsafe.StringData(body[16:]) {
			t.Errorf("%s: the key keeps the whole body in memory", name)
		}
	}
}
