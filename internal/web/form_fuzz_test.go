package web

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/web/webtest"
)

// FuzzForm: a form is refused with a reason, or is within its bounds.
func FuzzForm(f *testing.F) {
	for _, seed := range []string{
		"", "%", "a;b", "a=1&b=2", "idempotency_key=a&idempotency_key=b", "fresh_key=a&idempotency_key=b", "idempotency_key=%00",
		"fresh_key=a&fresh_key=b", strings.Repeat("a=&", maxRepeats), strings.Repeat("a=&", maxRepeats+1),
		strings.Repeat("&", maxFields), strings.Repeat("&", maxFields+1),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		r := webtest.Posted("application/x-www-form-urlencoded", body)
		if _, err := formKey(r); err != nil && !errors.Is(err, ErrMalformed) && !errors.Is(err, errTooLarge) &&
			!errors.As(err, new(*http.MaxBytesError)) &&
			!errors.Is(err, idempotency.ErrNoKey) && !errors.Is(err, idempotency.ErrMalformedKey) {
			t.Errorf("%q: %v", body, err)
		}
		if err := ParseForm(r); (err != nil) != (r.PostForm == nil) {
			t.Errorf("%q: a form that could not be read was used: %v", body, err)
		}
		if n := len(fields(r.PostForm)); n > maxFields+1 {
			t.Errorf("%q: %d fields", body, n)
		}
	})
}
