package web

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/account"
	"onlyonce/internal/customer"
)

// hostileBodies are of the largest size, and made to cost as much as possible.
func hostileBodies() map[string]string {
	var names strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&names, `"%x":1,`, i)
	}
	fill := func(head, piece, tail string) string {
		return head + strings.Repeat(piece, (maxBody-len(head)-len(tail)-1)/len(piece)) + tail
	}
	return map[string]string{
		"JSON, empty lines":     fill(`{"lines":[{}`, `,{}`, `]}`),
		"JSON, many lines":      fill(`{"lines":[{}`, `,{"description":"a","quantity":"1"}`, `]}`),
		"JSON, array as text":   fill(`{"notes":[[]`, `,[]`, `]}`),
		"JSON, object as text":  `{"notes":{` + names.String() + `"x":1}}`,
		"JSON, deep":            fill(`{"notes":`, `[`, ``),
		"JSON, deep in unknown": fill(`{"x":`, `{"a":`, ``),
		"JSON, long name":       fill(`{"`, `x`, `":1}`),
		"JSON, escapes":         fill(`{"notes":"`, `\u0022`, `"}`),
		"JSON, blanks":          fill(`{"notes":""}`, ` `, ``),
		"form, many fields":     fill("a=", "&a=", ""),
		"form, many names":      strings.NewReplacer(`"`, "", ":1,", "=&").Replace(names.String()),
		"form, ampersands":      fill("a=", "&", ""),
		"form, quotes":          fill("notes=", `"`, ""),
		"form, escapes":         fill("notes=", "%22", ""),
		"form, long name":       fill("", "x", "="),
		"form, lines of blanks": fill("notes=", "&line_description=+++", ""),
	}
}

// TestDecodersAreBoundedInMemory: a body of 1 MiB may cost a small multiple of itself. It runs alone, as
// all tests that are not parallel do.
func TestDecodersAreBoundedInMemory(t *testing.T) {
	known := account.Principal{Tenant: uuid.New()}
	for name, body := range hostileBodies() {
		decoders := map[string]func(*http.Request) error{
			"a customer": func(r *http.Request) error {
				var in customer.Input
				return decodeJSON(r, &in)
			},
		}
		contentType, isForm := "application/json", strings.HasPrefix(name, "form")
		if isForm {
			contentType = "application/x-www-form-urlencoded"
			decoders = map[string]func(*http.Request) error{
				"a customer": func(r *http.Request) error {
					if err := parseForm(r); err != nil {
						return err
					}
					_, err := customer.Input{Email: r.PostForm.Get("email"), Name: r.PostForm.Get("name")}.Draft()
					return err
				},
			}
		}
		// begin invoices
		maps.Copy(decoders, invoiceDecoders(isForm))
		// end invoices
		for what, decode := range decoders {
			allocated, err := allocatedBy(func() error {
				return decode(withPrincipal(posted(contentType, body), known))
			})
			if allocated > 16<<20 {
				t.Errorf("%s as %s: %d KiB, %.80v", name, what, allocated>>10, err)
			}
		}
		if isForm {
			allocated, err := allocatedBy(func() error { return parseForm(posted(contentType, body)) })
			if allocated > 1<<20 {
				t.Errorf("%s of a stranger: %d KiB, %v", name, allocated>>10, err)
			}
		}
	}
}

// TestPagesAreBoundedInMemory: a page that repeats a form may cost a small multiple of it, and one for
// strangers next to nothing.
func TestPagesAreBoundedInMemory(t *testing.T) {
	s, err := New(Config{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	known := account.Principal{Tenant: uuid.New()}
	for name, body := range hostileBodies() {
		for err, bound := range map[error]uint64{
			errUnauthorized: 1 << 20, errCrowded: 16 << 20, errors.New("a mistake of ours"): 16 << 20,
		} {
			r := posted("application/x-www-form-urlencoded", body)
			if !errors.Is(err, errUnauthorized) {
				r = withPrincipal(r, known)
			}
			w := &discard{header: http.Header{}}
			allocated, _ := allocatedBy(func() error { s.failHTML(w, r, err); return nil })
			if allocated > bound {
				t.Errorf("%s, %v: %d KiB for a page of %d KiB", name, err, allocated>>10, w.written>>10)
			}
		}
	}
}

// discard is a response that nobody reads.
type discard struct {
	header  http.Header
	written int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(int)             {}
func (d *discard) Write(p []byte) (int, error) { d.written += len(p); return len(p), nil }

// allocatedBy counts the bytes that were allocated on the way, garbage included.
func allocatedBy(do func() error) (uint64, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, err
}
