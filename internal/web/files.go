package web

import (
	"mime"
	"net/http"
	"strconv"

	"onlyonce/internal/conflict"
	"onlyonce/internal/invalid/text"
	"onlyonce/internal/web/apidoc"
)

// File is something to download.
type File struct {
	Name    string // with its extension; any characters
	Content []byte
}

// Download registers a file made from one record, in the API and as a link on pages: GET /{id}/<name>.
func Download[R Entity](
	m *Mounted[R], name, contentType, summary string, of func(*http.Request, R) (File, error), conflicts ...*conflict.Kind,
) {
	untyped := func(r *http.Request, found Entity) (File, error) { return of(r, as[R](found)) }
	m.untyped.download(name, contentType, summary, untyped, conflicts)
}

func (m *resource) download(
	name, contentType, summary string, of func(*http.Request, Entity) (File, error), conflicts []*conflict.Kind,
) {
	path := m.recordPath() + "/" + name
	m.document(apidoc.Endpoint{
		Method: http.MethodGet, Path: path, Name: m.many + "." + name, Summary: summary, Repeats: "reads", File: contentType,
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
		made.write(w, contentType)
		return nil
	}
	m.pages.read(path, read)
	m.api.read(path, read)
}

// write answers with the file. It belongs to who asked, and is asked for anew each time.
func (f File) write(w http.ResponseWriter, contentType string) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": text.FileName(f.Name)}))
	h.Set("Content-Length", strconv.Itoa(len(f.Content)))
	h.Set("Cache-Control", "private, no-cache")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(f.Content) // the client may be gone
}
