package web

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"

	"github.com/a-h/templ"
)

// stripPath removes the path of the outside address from each request, so that routes and stored data don't depend on it. Requests without
// the path are refused, except probes.
func (s *Server) stripPath(next http.Handler) http.Handler {
	if s.Path == "" {
		return next
	}
	stripped := http.StripPrefix(s.Path, next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path+"/", s.Path+"/"):
			stripped.ServeHTTP(w, r)
		case r.URL.Path == "/healthz", r.URL.Path == "/readyz":
			next.ServeHTTP(w, r)
		default:
			http.Error(w, "This app is at "+s.Origin+s.Path+"/. A proxy in front of it must not change the path.", http.StatusNotFound)
		}
	})
}

// renderAtPath renders a page in which the paths of this site begin with that of the outside address.
func (s *Server) renderAtPath(ctx context.Context, to io.Writer, page templ.Component) error {
	if s.Path == "" {
		return page.Render(ctx, to) //nolint:wrapcheck // Render returns what it is about
	}
	html := &pathWriter{to: to, path: s.Path}
	if err := page.Render(ctx, html); err != nil {
		return err //nolint:wrapcheck // Render returns what it is about
	}
	return html.write(len(html.held))
}

// pathWriter writes a page and adds a path before the paths in its attributes.
type pathWriter struct {
	to   io.Writer
	path string
	held []byte // after the last >: an attribute in it may be incomplete
}

// paths matches the beginning of an attribute with a path. Scripts read paths from attributes whose names end in -url. Nothing else in a
// page matches, because templ escapes quotes.
var paths = regexp.MustCompile(` (href|src|action|formaction|data-[a-z-]+-url)="/([^/])`)

func (w *pathWriter) Write(html []byte) (int, error) {
	w.held = append(w.held, html...)
	if end := bytes.LastIndexByte(html, '>'); end >= 0 {
		return len(html), w.write(len(w.held) - len(html) + end + 1)
	}
	return len(html), nil
}

func (w *pathWriter) write(n int) error {
	_, err := w.to.Write(paths.ReplaceAll(w.held[:n], []byte(` $1="`+w.path+`/$2`)))
	w.held = append(w.held[:0], w.held[n:]...)
	if err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}
