package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"mime"
	"net/http"
	"slices"
	"time"

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
		sum := sha256.Sum256(made.Content)
		return served{made.Name, contentType, hex.EncodeToString(sum[:]), bytes.NewReader(made.Content)}, err
	}, conflicts)
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
