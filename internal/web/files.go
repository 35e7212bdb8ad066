package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"golang.org/x/sync/semaphore"

	"onlyonce/internal/conflict"
	"onlyonce/internal/file"
	"onlyonce/internal/invalid/text"
	"onlyonce/internal/web/apidoc"
)

// File is something to download.
type File struct {
	Name    string // with its extension; any characters
	Content []byte
}

// served is a file for an answer.
type served struct {
	name, contentType, digest string
	content                   io.ReadSeeker
}

// Download registers a file made from one record, in the API and as a link on pages: GET /{id}/<name>.
func Download[R Entity](
	m *Mounted[R], name, contentType, summary string, of func(*http.Request, R) (File, error), conflicts ...*conflict.Kind,
) {
	m.untyped.download(name, []string{contentType}, summary, func(r *http.Request, found Entity) (served, error) {
		made, err := of(r, as[R](found))
		return made.served(contentType), err
	}, conflicts)
}

func (f File) served(contentType string) served {
	sum := sha256.Sum256(f.Content)
	return served{f.Name, contentType, hex.EncodeToString(sum[:]), bytes.NewReader(f.Content)}
}

// Stored registers the download of a file that a record has: GET /{id}/<name>. The rule is the field's. A record without the file has no
// such page.
func Stored[R Entity](m *Mounted[R], name, summary string, rule file.Rule, of func(R) file.Stored) {
	m.untyped.download(name, rule.Types, summary, func(r *http.Request, found Entity) (served, error) {
		has := of(as[R](found))
		if has == (file.Stored{}) {
			return served{}, ErrNotFound
		}
		content := file.Open(r.Context(), m.untyped.s.Pool, Principal(r).Tenant, has)
		return served{has.Name, has.Type, has.SHA256, content}, nil
	}, nil)
}

func (m *resource) download(
	name string, contentTypes []string, summary string, of func(*http.Request, Entity) (served, error), conflicts []*conflict.Kind,
) {
	path := m.recordPath() + "/" + name
	m.document(apidoc.Endpoint{
		Method: http.MethodGet, Path: path, Name: m.many + "." + name, Summary: summary, Repeats: "reads", Files: contentTypes,
	}, conflicts...)
	read := func(w http.ResponseWriter, r *http.Request) error {
		found, err := m.find(r)
		if err != nil {
			return err
		}
		made, err := of(r, found)
		if err != nil {
			return err
		}
		made.write(w, r)
		return nil
	}
	m.pages.read(path, read)
	m.api.read(path, read)
}

// fileSecurity keeps a browser from running anything in a file, also when it is opened alone.
const fileSecurity = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

// write answers with the file. It belongs to the caller, and a browser asks each time whether it has changed. Only pictures are shown in
// place of being saved.
func (f served) write(w http.ResponseWriter, r *http.Request) {
	disposition := "attachment"
	if slices.Contains([]string{"image/png", "image/jpeg"}, f.contentType) {
		disposition = "inline"
	}
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": text.FileName(f.name)}))
	h.Set("Content-Security-Policy", fileSecurity)
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "private, no-cache")
	h.Set("ETag", `"`+f.digest+`"`)
	asked := *r
	asked.Header = http.Header{}
	for _, name := range []string{"If-None-Match", "If-Range", "Range"} { // If-Match is for changes
		asked.Header[name] = r.Header[name]
	}
	http.ServeContent(w, &asked, "", time.Time{}, f.content)
}

// Bounds of downloads by [Site.Stream].
const (
	streamTime    = 10 * time.Minute
	streamsAtOnce = 2
)

// Stream registers the download of a file that is sent while it is written, which may take ten minutes. At most two are sent at once. The
// answer is an error if write fails before it writes, and otherwise cut off.
func (s *Site) Stream(
	path, contentType string, name func(*http.Request) string, write func(context.Context, *http.Request, io.Writer) error,
) {
	places := semaphore.NewWeighted(streamsAtOnce)
	s.pages.read(path, func(w http.ResponseWriter, r *http.Request) error {
		if err := TakePlace(r.Context(), places); err != nil {
			return err
		}
		defer places.Release(1)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), streamTime)
		defer cancel()
		defer context.AfterFunc(s.Ending, cancel)()
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(streamTime)) // without it, the usual one applies
		out := &begun{ResponseWriter: w, begin: func() {
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("Content-Disposition", attachment(name(r)))
			w.Header().Set("Cache-Control", NoStore)
		}}
		if r.Method == http.MethodHead {
			out.start()
			return nil
		}
		err := write(ctx, r, out)
		if err != nil && out.begin == nil {
			s.classify(r, err) // logs it
			panic(http.ErrAbortHandler)
		}
		return err
	})
}

// begun calls begin before the first byte is written.
type begun struct {
	http.ResponseWriter

	begin func() // nil afterwards
}

func (b *begun) start() {
	if b.begin != nil {
		b.begin()
		b.begin = nil
	}
}

func (b *begun) Write(p []byte) (int, error) {
	b.start()
	return b.ResponseWriter.Write(p) //nolint:wrapcheck // as a ResponseWriter
}

// attachment returns the Content-Disposition of a file to save.
func attachment(name string) string {
	return mime.FormatMediaType("attachment", map[string]string{"filename": text.FileName(name)})
}

// Bounds of a request with files.
const (
	// maxUpload is the largest form with files, in bytes. What is more than its fields take is read and dropped: a client that still sends
	// would not read the answer.
	maxUpload = 64 << 20
	// uploadTime is the time for such a request to arrive, in addition to that of every request.
	uploadTime = 5 * time.Minute
	// uploadsAtOnce is the maximum number of large requests with files in progress.
	uploadsAtOnce = 16
)

// upload is the part of a request that is about the files of its form.
type upload struct {
	rules map[string]file.Rule // by the names of the fields
	files map[string]file.Input
}

type uploadKey struct{}

// uploadIn returns the upload of a request; nil for one that may have no files, or is as small as others.
func uploadIn(r *http.Request) *upload {
	u, _ := r.Context().Value(uploadKey{}).(*upload)
	return u
}

// boundBody bounds a body. Forms with files may be larger than others, and so may their commands in the API.
func (s *Server) boundBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		bound := int64(maxBody)
		if rules := s.rulesOf(r); len(rules) > 0 {
			r = r.WithContext(context.WithValue(r.Context(), uploadKey{}, &upload{rules, map[string]file.Input{}}))
			bound = maxUpload
			if strings.HasPrefix(r.URL.Path, apiPrefix) { // JSON is held in memory, with files as Base64
				bound = maxBody
				for _, rule := range rules {
					bound += int64(rule.MaxBytes) * 4 / 3
				}
			}
		}
		http.MaxBytesHandler(next, bound).ServeHTTP(w, r)
	})
}

// rulesOf returns the rules for the files of a request that may be larger than others.
func (s *Server) rulesOf(r *http.Request) map[string]file.Rule {
	if r.ContentLength >= 0 && r.ContentLength <= maxBody && !isMultipart(r) {
		return nil
	}
	if reg := s.byPattern[s.Mux.Find(chi.NewRouteContext(), r.Method, r.URL.Path)]; reg != nil {
		return reg.form.Files
	}
	return nil
}

func isMultipart(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/form-data")
}

// allowUpload gives a request with files the time to arrive. It comes after the login, so that strangers don't have it.
func (s *Server) allowUpload(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if uploadIn(r) == nil {
			next.ServeHTTP(w, r)
			return
		}
		bound := uploadTime + s.RequestTime
		connection := http.NewResponseController(w)
		_ = connection.SetReadDeadline(time.Now().Add(bound)) // without it, the usual ones apply
		_ = connection.SetWriteDeadline(time.Now().Add(2 * bound))
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), bound)
		defer cancel()
		defer context.AfterFunc(s.Ending, cancel)()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// parse reads a form of several parts, and keeps its files. The value of a field with a file is the name of the file. Nothing is written to
// disk. With textOnly, it stops at the first file that was chosen.
func (u *upload) parse(r *http.Request, textOnly bool) (url.Values, error) {
	body := &textBody{ReadCloser: r.Body, left: maxBody}
	r.Body = body
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, err //nolint:wrapcheck // ParseForm wraps it
	}
	form := url.Values{}
	for range maxFields {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) && len(form) > 0 {
			return form, nil
		}
		if err != nil {
			return nil, err //nolint:wrapcheck // ParseForm wraps it
		}
		name := part.FormName()
		rule, takesFile := u.rules[name]
		if textOnly && takesFile {
			if form.Add(name, nameOf(part)); nameOf(part) != "" {
				return form, nil
			}
			continue
		}
		if !takesFile {
			value, err := io.ReadAll(part)
			if err != nil {
				return nil, err //nolint:wrapcheck // ParseForm wraps it
			}
			form.Add(name, string(value))
			continue
		}
		body.file = true
		err = u.receive(part, rule)
		body.file = false
		form.Add(name, nameOf(part))
		if errors.As(err, new(*http.MaxBytesError)) { // the fields before it are known, and shown again
			return form, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%w: more than %d fields", errTooLarge, maxFields)
}

// nameOf returns the name of the file in a part; "" if none was chosen.
func nameOf(part *multipart.Part) string {
	if part.FileName() == "" {
		return ""
	}
	return file.Name(part.FileName())
}

// receive reads a file into memory, as far as a rule allows it.
func (u *upload) receive(part *multipart.Part, rule file.Rule) (err error) {
	in := file.Input{Name: part.FileName()}
	if in.Content, err = io.ReadAll(io.LimitReader(part, int64(rule.MaxBytes)+1)); err != nil {
		return err //nolint:wrapcheck // ParseForm wraps it
	}
	if in.TooLarge = len(in.Content) > rule.MaxBytes; in.TooLarge {
		in.Content = nil
		_, err = io.Copy(io.Discard, part)
	}
	u.files[part.FormName()] = in
	return err //nolint:wrapcheck // ParseForm wraps it
}

// textBody bounds the parts of a form that are no files.
type textBody struct {
	io.ReadCloser

	left int64
	file bool // whether a file is being read
}

func (b *textBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if !b.file {
		if b.left -= int64(n); b.left < 0 {
			return 0, fmt.Errorf("%w: its text", errTooLarge)
		}
	}
	return n, err //nolint:wrapcheck // an io.EOF must stay one
}

// fileIn returns the file of a field of a posted form.
func fileIn(r *http.Request, name string) file.Input {
	if u := uploadIn(r); u != nil {
		if in, came := u.files[name]; came {
			return in
		}
	}
	typed := r.PostForm.Get(name)
	return file.Input{Name: typed, Missing: typed != ""}
}

// tooLarge reports whether a file of the form was larger than its field takes.
func (u *upload) tooLarge() bool {
	if u == nil {
		return false
	}
	for _, in := range u.files {
		if in.TooLarge {
			return true
		}
	}
	return false
}
