package idempotency_test

import (
	"errors"
	"strings"
	"testing"

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
