package e2e

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"strings"
)

// keptPage is a page as it came, which a browser shows in a duplicated tab.
type keptPage struct {
	url    string
	header http.Header
	body   bytes.Buffer
}

// keep keeps a page while it passes, unless browsers may not store it.
func (w *wire) keep(r *http.Response) {
	if !isForPage(r.Request) || isForFrame(r.Request) || r.Request.Method != http.MethodGet || r.StatusCode != http.StatusOK {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kept = nil
	if !strings.Contains(r.Header.Get("Cache-Control"), "no-store") {
		w.kept = &keptPage{url: r.Request.URL.String(), header: r.Header.Clone()}
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(r.Body, &w.kept.body), r.Body}
	}
}

func isForFrame(r *http.Request) bool { return r.Header.Get("Sec-Fetch-Dest") == "iframe" }

// repeatPage answers the next request for the kept page with it.
func (w *wire) repeatPage() { w.locked(func() { w.repeats = true }) }

// repeated returns the kept page if it is the answer to a request, or nil.
func (w *wire) repeated(r *http.Request) *keptPage {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.repeats || !isForPage(r) || isForFrame(r) {
		return nil
	}
	w.repeats = false
	if w.kept == nil || w.kept.url != r.URL.String() {
		return nil
	}
	w.delivers(r)
	return w.kept
}

func (p *keptPage) write(answer http.ResponseWriter) {
	maps.Copy(answer.Header(), p.header)
	answer.Header().Del("Set-Cookie")
	_, _ = answer.Write(p.body.Bytes())
}
