package web

import (
	"embed"
	"net/http"
	"path"
	"strings"

	"github.com/go-chi/chi/v5"
	swaggerui "github.com/swaggest/swgui/v5/static"

	"onlyonce/templates"
)

// consolePath is the address of the page that sends requests to the API. Its files are below it.
const consolePath = docsPath + "/console"

// consoleFiles start Swagger UI. The page of its own module has scripts inline.
//
//go:embed console.js console.css
var consoleFiles embed.FS

func (s *Server) showConsole(w http.ResponseWriter, r *http.Request) error {
	// The stylesheet of Swagger UI has its icons as data.
	policy := strings.Replace(w.Header().Get("Content-Security-Policy"), "img-src 'self'", "img-src 'self' data:", 1)
	w.Header().Set("Content-Security-Policy", policy)
	return s.Render(w, r, http.StatusOK, templates.ConsolePage(s.Page(w, r)))
}

// sendConsoleFile sends a script or a stylesheet of the console. Those of Swagger UI are compressed.
func sendConsoleFile(w http.ResponseWriter, r *http.Request) error {
	name := chi.URLParam(r, "file")
	contentType := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}[path.Ext(name)]
	if contentType == "" {
		return ErrNotFound
	}
	text, err := consoleFiles.ReadFile(name)
	if err != nil {
		if text, err = swaggerui.FS.ReadFile(name + ".gz"); err != nil {
			return ErrNotFound
		}
		w.Header().Set("Content-Encoding", "gzip")
	}
	sendCached(w, r, contentType, text)
	return nil
}
