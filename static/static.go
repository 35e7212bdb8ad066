// Package static holds the stylesheet, scripts and icon of the user interface
// and serves them under content-hashed URLs, so that browsers may keep them
// for ever and a new release is seen at once.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Prefix is the path at which to mount [Assets.Handler].
const Prefix = "/static/"

//go:embed *.css *.js *.svg
var files embed.FS

// Assets is the set of embedded files, hashed and compressed once.
type Assets struct {
	paths  map[string]string // file name → URL path
	byPath map[string]asset  // URL path → content
}

type asset struct {
	contentType string
	plain       []byte
	gzipped     []byte
}

// New returns all embedded files, hashed and compressed. This is done once per process.
func New() (*Assets, error) { return prepared() }

var prepared = sync.OnceValues(prepare)

func prepare() (*Assets, error) {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, fmt.Errorf("list embedded assets: %w", err)
	}
	a := &Assets{paths: map[string]string{}, byPath: map[string]asset{}}
	for _, e := range entries {
		if err := a.add(e.Name()); err != nil {
			return nil, fmt.Errorf("prepare asset %s: %w", e.Name(), err)
		}
	}
	return a, nil
}

// comments matches the lines of a script that hold only a comment. They are not sent to browsers.
var comments = regexp.MustCompile(`(?m)^[ \t]*//.*\n`)

func (a *Assets) add(name string) error {
	content, err := files.ReadFile(name)
	if err != nil {
		return err
	}
	contentType, err := typeOf(name)
	if err != nil {
		return err
	}
	if path.Ext(name) == ".js" {
		content = comments.ReplaceAll(content, nil)
	}
	zipped, err := compress(content)
	if err != nil {
		return err
	}
	url := hashedPath(name, content)
	a.paths[name] = url
	a.byPath[url] = asset{contentType: contentType, plain: content, gzipped: zipped}
	return nil
}

// Path returns the URL path of an embedded file: "app.css" becomes something
// like "/static/app.3f2a91c0.css". It panics for a name that is not embedded,
// which is a typo in the program: ask for every path once, at start.
func (a *Assets) Path(name string) string {
	url, ok := a.paths[name]
	if !ok {
		panic("static: no such asset: " + name)
	}
	return url
}

// Handler serves the assets, gzipped to clients that accept it. It expects
// the whole URL path, so mount it at [Prefix] without stripping. A path whose
// hash is not of this build is 404: wrong bytes must never be cached for ever.
func (a *Assets) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		found, ok := a.byPath[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
			return
		}
		body := found.plain
		h := w.Header()
		h.Set("Vary", "Accept-Encoding")
		if acceptsGzip(r.Header.Get("Accept-Encoding")) {
			h.Set("Content-Encoding", "gzip")
			body = found.gzipped
		}
		h.Set("Content-Type", found.contentType)
		h.Set("Content-Length", strconv.Itoa(len(body)))
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		h.Set("X-Content-Type-Options", "nosniff")
		if r.Method == http.MethodGet {
			_, _ = w.Write(body) // an error means that the client is gone
		}
	})
}

func hashedPath(name string, content []byte) string {
	sum := sha256.Sum256(content)
	ext := path.Ext(name)
	return Prefix + strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:4]) + ext
}

// typeOf does not use package mime, which depends on the machine's configuration.
func typeOf(name string) (string, error) {
	switch path.Ext(name) {
	case ".css":
		return "text/css; charset=utf-8", nil
	case ".js":
		return "text/javascript; charset=utf-8", nil
	case ".svg":
		return "image/svg+xml", nil
	default:
		return "", fmt.Errorf("no content type for %q", path.Ext(name))
	}
}

func compress(content []byte) ([]byte, error) {
	var buf bytes.Buffer
	zw := gzip.NewWriter(&buf)
	if _, err := zw.Write(content); err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	if err := zw.Close(); err != nil {
		return nil, fmt.Errorf("finish compressing: %w", err)
	}
	return buf.Bytes(), nil
}

func acceptsGzip(header string) bool {
	for entry := range strings.SplitSeq(header, ",") {
		coding, weight, weighted := strings.Cut(entry, ";")
		if !strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			continue
		}
		if !weighted {
			return true
		}
		q, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(weight), "q="), 64)
		return err == nil && q > 0
	}
	return false
}
