package web

import (
	"mime"
	"net/http"
	"strconv"

	"onlyonce/internal/conflict"
	"onlyonce/internal/text"
)

// file is something to download.
type file struct {
	name    string // with its extension; any characters
	content []byte
}

// reads registers a file that is made of one record: GET /{id}/<name>, for people and in the API.
func reads[R entity](
	m *mounted[R], name, contentType, summary string, of func(*http.Request, R) (file, error), conflicts ...*conflict.Kind,
) {
	path := m.record() + "/" + name
	m.document(endpoint{
		method: http.MethodGet, path: path, name: m.many + "." + name, summary: summary, repeats: "reads", file: contentType,
		conflicts: conflicts,
	})
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
func (f file) write(w http.ResponseWriter, contentType string) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": text.FileName(f.name)}))
	h.Set("Content-Length", strconv.Itoa(len(f.content)))
	h.Set("Cache-Control", "private, no-cache")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(f.content) // the client may be gone
}
