package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/file"
	"onlyonce/internal/must"
	"onlyonce/internal/web/webtest"
)

// TestBodiesAreBoundedInMemory: a body of 1 MiB may cost a small multiple of itself, and one of a stranger next to nothing. It runs
// alone, as all tests that are not parallel do.
func TestBodiesAreBoundedInMemory(t *testing.T) {
	known := Caller{Tenant: uuid.New()}
	for name, body := range webtest.HostileBodies() {
		contentType, decode := "application/json", func(r *http.Request) error {
			var in struct {
				Notes string `json:"notes"`
				Lines []struct {
					Description string `json:"description"`
					Quantity    string `json:"quantity"`
				} `json:"lines"`
			}
			return DecodeJSON(r, &in)
		}
		isForm := strings.HasPrefix(name, "form")
		if isForm {
			contentType, decode = "application/x-www-form-urlencoded", ParseForm
		}
		allocated, err := webtest.AllocatedBy(func() error { return decode(WithCaller(webtest.Posted(contentType, body), known)) })
		if allocated > 16<<20 {
			t.Errorf("%s: %d KiB, %.80v", name, allocated>>10, err)
		}
		if isForm {
			allocated, err := webtest.AllocatedBy(func() error { return ParseForm(webtest.Posted(contentType, body)) })
			if allocated > 1<<20 {
				t.Errorf("%s of a stranger: %d KiB, %v", name, allocated>>10, err)
			}
		}
	}
}

// TestFilesAreBoundedInMemory: a file costs a small multiple of what its field takes, and one of a stranger next to nothing.
func TestFilesAreBoundedInMemory(t *testing.T) {
	const most = 1 << 20
	for name, content := range map[string]string{
		"a file": strings.Repeat("x", most), "a large file": strings.Repeat("x", 16*most),
		"other fields":  strings.Repeat("--b\r\n\r\n", most),
		"a long header": "--b\r\nX: " + strings.Repeat("x", 8*most),
	} {
		body := "--b\r\nContent-Disposition: form-data; name=file; filename=a\r\n\r\n" + content + "\r\n--b--"
		for known, bound := range map[uuid.UUID]uint64{uuid.New(): 16 * most, uuid.Nil: most} {
			r := WithCaller(webtest.Posted("multipart/form-data; boundary=b", body), Caller{Tenant: known})
			u := &upload{map[string]file.Rule{"file": {MaxBytes: most}}, map[string]file.Input{}}
			r = r.WithContext(context.WithValue(r.Context(), uploadKey{}, u))
			if allocated, err := webtest.AllocatedBy(func() error { return ParseForm(r) }); allocated > bound {
				t.Errorf("%s of %v: %d KiB, %.80v", name, known, allocated>>10, err)
			}
		}
	}
}

// TestPagesAreBoundedInMemory checks that a page with a form takes a small multiple of its size, and one without a login very little.
func TestPagesAreBoundedInMemory(t *testing.T) {
	s, err := New(Config{Log: slog.New(slog.DiscardHandler), Mount: func(*Site) {}})
	must.OK(t, err)
	known := Caller{Tenant: uuid.New()}
	for name, body := range webtest.HostileBodies() {
		for err, bound := range map[error]uint64{
			ErrUnauthorized: 1 << 20, errCrowded: 16 << 20, errors.New("a mistake of ours"): 16 << 20,
		} {
			r := webtest.Posted("application/x-www-form-urlencoded", body)
			if !errors.Is(err, ErrUnauthorized) {
				r = WithCaller(r, known)
			}
			w := &discard{header: http.Header{}}
			allocated, _ := webtest.AllocatedBy(func() error { s.FailHTML(w, r, err); return nil })
			if allocated > bound {
				t.Errorf("%s, %v: %d KiB for a page of %d KiB", name, err, allocated>>10, w.written>>10)
			}
		}
	}
}

// discard is a response writer that keeps nothing.
type discard struct {
	header  http.Header
	written int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(int)             {}
func (d *discard) Write(p []byte) (int, error) { d.written += len(p); return len(p), nil }
