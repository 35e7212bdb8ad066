package e2e

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
)

// proxy is a reverse proxy between browser and app. It forwards requests unchanged, but can cut connections and hold back posted
// forms.
type proxy struct {
	posts    atomic.Int32        // since cutNextAnswer
	cut      atomic.Bool         // cut the next answer to a form
	arrived  func(*http.Request) // called for each posted form
	carrier  *httputil.ReverseProxy
	upstream *url.URL

	mu   sync.Mutex
	half bool          // hold back the second half of each form, in place of the whole
	gate chan struct{} // closed to release the held forms; nil if none are held
	last chan struct{} // closed when the last held form has been answered
	held int
}

var errCut = errors.New("the connection is cut")

// throughProxy connects the browser to the app by a proxy from now on.
func (s *session) throughProxy() *proxy {
	s.t.Helper()
	if s.wire != nil {
		return s.wire
	}
	return s.newProxy(func(*http.Request) {})
}

func (s *session) newProxy(arrived func(*http.Request)) *proxy {
	s.t.Helper()
	upstream, err := url.Parse(s.origin)
	s.check(err, "read the address of the app")
	path := upstream.Path
	upstream.Path = ""
	p := &proxy{upstream: upstream, arrived: arrived}
	p.carrier = &httputil.ReverseProxy{
		Rewrite: p.forth, ModifyResponse: p.back, Transport: http.DefaultTransport,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { reset(w) },
	}
	server := httptest.NewServer(p)
	s.t.Cleanup(server.Close)
	s.origin = server.URL + path
	return p
}

// cutNextAnswer resets the connection of the next posted form after the app has answered, before any byte of the answer reaches the
// browser.
func (p *proxy) cutNextAnswer() {
	p.posts.Store(0)
	p.cut.Store(true)
}

// hold holds back all posted forms until release is called. Then they continue in the order of arrival, each after the previous one
// has been answered.
func (p *proxy) hold() (release func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	gate := make(chan struct{})
	p.gate, p.last = gate, gate
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.gate = nil
		close(gate)
	})
}

// halfway returns the gate before the second half of a form that has arrived; nil if it passes on as a whole.
func (p *proxy) halfway() chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.half || p.gate == nil {
		return nil
	}
	p.posts.Add(1)
	p.held++
	return p.gate
}

// gateReader has no bytes, and ends when it is closed.
type gateReader chan struct{}

func (g gateReader) Read([]byte) (int, error) {
	<-g
	return 0, io.EOF
}

// holding returns the number of forms held back now.
func (p *proxy) holding() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held
}

// ServeHTTP forwards a request. A form continues after the browser has gone, as on a real network.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		p.carrier.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the form was not sent completely
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), 2*patience)
	defer cancel()
	r = r.WithContext(ctx)
	r.Body = io.NopCloser(bytes.NewReader(body))
	if gate := p.halfway(); gate != nil {
		half := len(body) / 2
		r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body[:half]), gateReader(gate), bytes.NewReader(body[half:])))
		p.carrier.ServeHTTP(w, r)
		return
	}
	answered := p.wait(r)
	defer answered()
	p.carrier.ServeHTTP(w, r)
}

// wait waits for the turn of a held form.
func (p *proxy) wait(r *http.Request) (answered func()) {
	p.mu.Lock()
	p.posts.Add(1)
	p.arrived(r)
	if p.gate == nil {
		p.mu.Unlock()
		return func() {}
	}
	gate, before, mine := p.gate, p.last, make(chan struct{})
	p.last = mine
	p.held++
	p.mu.Unlock()
	for _, turn := range []chan struct{}{gate, before} {
		select {
		case <-turn:
		case <-r.Context().Done():
		}
	}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.held--
		close(mine)
	}
}

// forth rewrites a request for the app.
func (p *proxy) forth(r *httputil.ProxyRequest) {
	r.SetURL(p.upstream)
	own := "http://" + r.In.Host
	for _, name := range []string{"Origin", "Referer"} {
		if value := r.In.Header.Get(name); strings.HasPrefix(value, own) {
			r.Out.Header.Set(name, p.upstream.String()+strings.TrimPrefix(value, own))
		}
	}
}

// back rewrites an answer for the proxy, which has no TLS: browsers treat loopback as secure.
func (p *proxy) back(response *http.Response) error {
	if response.Request.Method == http.MethodPost && p.cut.CompareAndSwap(true, false) {
		return errCut
	}
	if location, found := strings.CutPrefix(response.Header.Get("Location"), p.upstream.String()); found {
		response.Header.Set("Location", location)
	}
	return nil
}
