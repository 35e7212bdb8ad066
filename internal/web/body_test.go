package web

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"golang.org/x/sync/semaphore"

	"onlyonce/internal/assert"
	"onlyonce/internal/file"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
	"onlyonce/internal/web/webtest"
)

// TestLargeBodiesTakeTurns: with all places taken a usual body is read at once, and a large one waits for
// a place as long as its request may. One with files has other places.
func TestLargeBodiesTakeTurns(t *testing.T) {
	t.Parallel()
	large, s := semaphore.NewWeighted(largeAtOnce), &Server{uploads: semaphore.NewWeighted(uploadsAtOnce)}
	read := func(ctx context.Context, size int) (int, error) {
		var got []byte
		var err error
		handler := s.admitLarge(large)(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			got, err = io.ReadAll(r.Body)
			_, again := r.Body.Read(make([]byte, 1))
			assert.Thatf(t, err == nil || errors.Is(again, err), "reading on: %v, after %v", again, err)
		}))
		handler.ServeHTTP(nil, httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(strings.Repeat("x", size))))
		return len(got), err
	}
	large.TryAcquire(largeAtOnce)
	if n, err := read(t.Context(), usualBody); n != usualBody || err != nil {
		t.Errorf("usual: read %d, %v", n, err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := read(over, maxBody); !errors.Is(err, errCrowded) {
		t.Errorf("large, with no place: %v", err)
	}
	if n, err := read(context.WithValue(t.Context(), uploadKey{}, &upload{}), maxBody); n != maxBody || err != nil {
		t.Errorf("with files: read %d, %v", n, err)
	}
	s.uploads.TryAcquire(uploadsAtOnce)
	if _, err := read(context.WithValue(over, uploadKey{}, &upload{}), maxBody); !errors.Is(err, errCrowded) {
		t.Errorf("with files, with no place: %v", err)
	}
	large.Release(1)
	for range 2 { // the first one leaves its place to the second
		n, err := read(t.Context(), maxBody)
		assert.Thatf(t, n == maxBody && err == nil, "large, with a place: read %d, %v", n, err)
	}
}

// TestTimeIsUp checks the answer to a request whose time is up.
func TestTimeIsUp(t *testing.T) {
	t.Parallel()
	s, err := New(Config{Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Mount: func(*Site) {}})
	must.OK(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/customers", strings.NewReader("notes=typed"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	s.FailHTML(w, r, ctx.Err())
	assert.Thatf(t, w.Code == http.StatusServiceUnavailable && strings.Contains(w.Body.String(), "typed"), "%d %s", w.Code, w.Body)
}

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
		n := len(fields(r.PostForm))
		assert.Thatf(t, n <= maxFields+1, "%q: %d fields", body, n)
	})
}

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
		assert.Thatf(t, allocated <= 16<<20, "%s: %d KiB, %.80v", name, allocated>>10, err)
		if isForm {
			allocated, err := webtest.AllocatedBy(func() error { return ParseForm(webtest.Posted(contentType, body)) })
			assert.Thatf(t, allocated <= 1<<20, "%s of a stranger: %d KiB, %v", name, allocated>>10, err)
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
			allocated, err := webtest.AllocatedBy(func() error { return ParseForm(r) })
			assert.Thatf(t, allocated <= bound, "%s of %v: %d KiB, %.80v", name, known, allocated>>10, err)
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
			assert.Thatf(t, allocated <= bound, "%s, %v: %d KiB for a page of %d KiB", name, err, allocated>>10, w.written>>10)
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

// TestFilesOfStrangers: a form without a login is read up to the first file that was chosen.
func TestFilesOfStrangers(t *testing.T) {
	t.Parallel()
	part := func(name, filename string) string {
		return "--x\r\nContent-Disposition: form-data; name=" + name + `; filename="` + filename + "\"\r\n\r\n" + filename + "\r\n"
	}
	for files, want := range map[string]string{
		part("a", "one.txt") + part("b", "two.txt"): "a=one.txt title=",
		part("a", "") + part("b", "two.txt"):        "a= b=two.txt title=",
		part("a", "") + part("b", ""):               "a= b= title=",
	} {
		body := "--x\r\nContent-Disposition: form-data; name=title\r\n\r\n\r\n" + files + "--x--\r\n"
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
		u := &upload{map[string]file.Rule{"a": {MaxBytes: 9}, "b": {MaxBytes: 9}}, map[string]file.Input{}}
		form, err := u.parse(r, true)
		var got []string
		for _, name := range slices.Sorted(maps.Keys(form)) {
			got = append(got, name+"="+form.Get(name))
		}
		assert.Thatf(t, err == nil && strings.Join(got, " ") == want && len(u.files) == 0,
			"%q: %v, %v, %v, want %s", files, got, u.files, err, want)
	}
}
