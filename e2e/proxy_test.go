package e2e

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
)

// proxy stands between browser and app. It carries everything as it is, but it can be cut like a wire, and hold back the
// forms that are posted.
type proxy struct {
	posts    atomic.Int32        // since cutNextAnswer
	cut      atomic.Bool         // the next answer to a form
	arrived  func(*http.Request) // is told of each form that is posted
	carrier  *httputil.ReverseProxy
	upstream *url.URL

	mu   sync.Mutex
	gate chan struct{} // closed to let go what is held; nil while nothing is
	last chan struct{} // closed when the last one that is held has been answered
	held int
}

var errCut = errors.New("the connection is cut")

// throughProxy makes the browser reach the app over a proxy from now on.
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
	p := &proxy{upstream: upstream, arrived: arrived}
	p.carrier = &httputil.ReverseProxy{
		Rewrite: p.forth, ModifyResponse: p.back, ErrorHandler: p.failed, Transport: http.DefaultTransport,
	}
	server := httptest.NewServer(p)
	s.t.Cleanup(server.Close)
	s.origin = server.URL
	return p
}

// cutNextAnswer resets the connection on which the next form is posted, when the app has answered and before any byte
// of the answer reaches the browser.
func (p *proxy) cutNextAnswer() {
	p.posts.Store(0)
	p.cut.Store(true)
}

// hold keeps back all forms that are posted, until release is called. Then they go on in the order in which they came,
// each when the one before has been answered.
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

// holding is how many forms are held back now.
func (p *proxy) holding() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held
}

// ServeHTTP carries one request. A form goes on when the browser has gone, as it does on the wire.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		p.carrier.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // it was never sent whole
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), 2*patience)
	defer cancel()
	r = r.WithContext(ctx)
	r.Body = io.NopCloser(bytes.NewReader(body))
	answered := p.wait(r)
	defer answered()
	p.carrier.ServeHTTP(w, r)
}

// wait waits for the turn of a form that is held back.
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

// forth makes a request one to the app.
func (p *proxy) forth(r *httputil.ProxyRequest) {
	r.SetURL(p.upstream)
	own := "http://" + r.In.Host
	for _, name := range []string{"Origin", "Referer"} {
		if value := r.In.Header.Get(name); strings.HasPrefix(value, own) {
			r.Out.Header.Set(name, p.upstream.String()+strings.TrimPrefix(value, own))
		}
	}
}

// back makes an answer one of the proxy, which has no TLS: to browsers, loopback is as safe.
func (p *proxy) back(response *http.Response) error {
	if response.Request.Method == http.MethodPost && p.cut.CompareAndSwap(true, false) {
		return errCut
	}
	if location, found := strings.CutPrefix(response.Header.Get("Location"), p.upstream.String()); found {
		response.Header.Set("Location", location)
	}
	return nil
}

// failed resets the connection. Without lingering, closing does.
func (p *proxy) failed(w http.ResponseWriter, _ *http.Request, _ error) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if wire, ok := connection.(*net.TCPConn); ok {
		_ = wire.SetLinger(0)
	}
	connection.Close()
}
