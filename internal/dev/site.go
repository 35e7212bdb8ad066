package dev

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

const (
	scriptPath = "/_dev/page.js"
	eventsPath = "/_dev/events"
)

//go:embed page.js
var script []byte

// Site is what a browser sees: the app behind a proxy that adds a script to each page.
type Site struct {
	mux   *http.ServeMux
	proxy *httputil.ReverseProxy

	mu      sync.Mutex
	target  *url.URL // nil until the app runs
	state   state
	changed chan struct{} // closed when the state changes
}

// state is what an open page is told.
type state struct {
	// Version goes up with each change that a page should show.
	Version int `json:"version"`
	// Wrong is why the last change cannot be shown, or empty.
	Wrong string `json:"wrong"`
}

// NewSite makes a site whose assets are the files of a directory as they are now.
func NewSite(static string) *Site {
	s := &Site{mux: http.NewServeMux(), changed: make(chan struct{})}
	s.proxy = &httputil.ReverseProxy{Rewrite: s.rewrite, ModifyResponse: s.addScript, ErrorHandler: s.unreachable}
	s.mux.Handle("/", s.proxy)
	s.mux.HandleFunc("GET /static/{name}", func(w http.ResponseWriter, r *http.Request) { s.asset(w, r, static) })
	s.mux.HandleFunc("GET "+eventsPath, s.events)
	s.mux.HandleFunc("GET "+scriptPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		_, _ = w.Write(script)
	})
	return s
}

// ServeHTTP answers a browser.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Serve sends requests to the app at an address from now on.
func (s *Site) Serve(address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.target = &url.URL{Scheme: "http", Host: address}
}

// Reload has all pages loaded again.
func (s *Site) Reload() { s.tell(func(now state) state { return state{Version: now.Version + 1} }) }

// Fail has all pages show what is wrong.
func (s *Site) Fail(wrong string) {
	s.tell(func(now state) state { return state{Version: now.Version, Wrong: wrong} })
}

func (s *Site) tell(next func(state) state) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = next(s.state)
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *Site) now() (state, *url.URL, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state, s.target, s.changed
}

func (s *Site) rewrite(r *httputil.ProxyRequest) {
	_, target, _ := s.now()
	if target == nil {
		target = &url.URL{Scheme: "http", Host: "127.0.0.1:0"} // where nobody is
	}
	r.SetURL(target)
	r.Out.Host = r.In.Host
	r.Out.Header.Del("Accept-Encoding") // so that the page can be read
}

// addScript puts the script at the end of a page.
func (s *Site) addScript(r *http.Response) error {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") || r.Request.Method == http.MethodHead {
		return nil
	}
	page, err := io.ReadAll(r.Body)
	if err != nil {
		return fmt.Errorf("read the page: %w", err)
	}
	page = append(page, s.script()...)
	r.Body = io.NopCloser(bytes.NewReader(page))
	r.ContentLength = int64(len(page))
	r.Header.Set("Content-Length", strconv.Itoa(len(page)))
	return nil
}

// script is the element that loads the script, with the version of the page that it is on.
func (s *Site) script() string {
	now, _, _ := s.now()
	return fmt.Sprintf("<script src=%q data-version=%q></script>", scriptPath, strconv.Itoa(now.Version))
}

// unreachable answers while there is no app: the script shows what is wrong, and loads the page when it is there.
func (s *Site) unreachable(w http.ResponseWriter, _ *http.Request, _ error) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusServiceUnavailable)
	fmt.Fprintf(w, "<!doctype html><title>Starting</title><p>The app is being built. This page loads when it is ready.</p>%s", s.script())
}

// hashed is the name of an asset as pages give it, with a part of its hash.
var hashed = regexp.MustCompile(`^(.+)\.[0-9a-f]{8}(\.[a-z]+)$`)

// asset serves a file of a directory as it is now, whatever hash the address has.
func (s *Site) asset(w http.ResponseWriter, r *http.Request, dir string) {
	name := hashed.FindStringSubmatch(r.PathValue("name"))
	if name == nil {
		s.proxy.ServeHTTP(w, r)
		return
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer root.Close()
	w.Header().Set("Cache-Control", "no-store")
	http.ServeFileFS(w, r, root.FS(), filepath.Base(name[1]+name[2]))
}

// events tells a page the state, and each change of it.
func (s *Site) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	for {
		now, _, changed := s.now()
		message, err := json.Marshal(now)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if _, err := fmt.Fprintf(w, "data: %s\n\n", message); err != nil {
			return
		}
		if err := http.NewResponseController(w).Flush(); err != nil {
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}
