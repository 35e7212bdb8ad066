package e2e

import (
	"net"
	"net/http"
	"net/http/httputil"
	"sync"
	"testing"
	"time"
)

// stage is where a wire holds what passes.
type stage int

const (
	nowhere       stage = iota
	beforeTheApp        // the form was sent, and the app has not heard of it
	afterTheApp         // the app has answered, and the browser has not heard of it
	afterRedirect       // the browser was told where to go, and is not there yet
)

func (s stage) String() string {
	return [...]string{
		"lets everything through", "holds the form back, before the app hears of it",
		"holds the app's answer back", "holds the next page back",
	}[s]
}

// cut is where an exchange is cut.
type cut int

const (
	uncut         cut = iota
	beforeRequest     // the app never hears of it
	insideRequest     // the app hears the beginning only
	beforeAnswer      // the app is done and has answered, and the browser never learns
	insideAnswer      // the browser learns the beginning only
)

func (c cut) String() string {
	return [...]string{"nowhere", "before the request", "inside the request", "before the answer", "inside the answer"}[c]
}

// sentence describes the cut in a story.
func (c cut) sentence() string {
	return "cuts the connection " + [...]string{
		"", "before the app hears of the form", "in the middle of the form", "after the app has answered", "in the middle of the answer",
	}[c]
}

// wire is the browser's HTTP proxy. It holds, cuts and repeats the form on its way to an app that it knows nothing
// of. All else passes.
type wire struct {
	addr  string
	path  string // where the form is sent, or "" for anywhere
	pipes *httputil.ReverseProxy

	mu      sync.Mutex
	holding stage
	open    chan struct{} // closed when what is held may go on
	posts   int           // that have come
	held    int           // exchanges that are held
	running int           // exchanges under way, and those that are held
	changed time.Time     // when one last began or ended
	leading bool          // the browser was told where to go, and has not gone
	page    time.Time     // when the browser was last given a page
	cut     cut           // of the next post
	once    bool          // it is followed by no other
	lost    bool          // what was cut was a page, so that the browser shows its own
	down    bool          // nothing passes
	replica string        // where each post is sent a second time, if not ""
	forgets bool          // each post gets a key of its own

	tellf func(who by, format string, args ...any) // tells what it does with the form
}

// newWire starts a proxy for a browser. It ends with the test.
func newWire(t *testing.T, path string) *wire {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{addr: "http://" + listener.Addr().String(), path: path, open: make(chan struct{})}
	close(w.open)
	w.pipes = &httputil.ReverseProxy{
		Rewrite:        func(*httputil.ProxyRequest) {},
		ModifyResponse: func(r *http.Response) error { w.leads(r); return nil },
		ErrorHandler:   func(answer http.ResponseWriter, _ *http.Request, _ error) { reset(answer) },
	}
	server := &http.Server{Handler: w, ReadHeaderTimeout: patience}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() {
		w.release()
		_ = server.Close()
	})
	return w
}

// hold stops posts at a stage from now on, until release.
func (w *wire) hold(at stage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.holding, w.open = at, make(chan struct{})
}

// release lets pass what is held, all at the same instant, and what comes later.
func (w *wire) release() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.holding != nowhere {
		if w.held > 0 {
			w.tellf(byNetwork, "lets through what it holds")
		}
		w.holding = nowhere
		close(w.open)
	}
}

// cutNext cuts the next post, after which nothing passes until heal, so that the browser cannot send it again
// by itself.
func (w *wire) cutNext(at cut) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut, w.once, w.lost = at, false, false
}

// resetNext resets the connection of the next post when the app has answered. What the browser then does by itself
// passes.
func (w *wire) resetNext() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut, w.once = beforeAnswer, true
}

// toReplica has the next posts sent twice: to the app, and then to the replica, whose answer the browser gets.
func (w *wire) toReplica(host string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.replica = host
}

func (w *wire) heal() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tellf(byNetwork, "works again")
	w.down = false
}

// count returns how many posts have come, and how many exchanges are held.
func (w *wire) count() (posts, held int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.posts, w.held
}

// The browser has nothing more to load when nothing has moved for so long, or longer when it was told where to go. Of pages
// that are known to begin nothing later, it is enough that the last one that was given has arrived.
const (
	quiet           = 500 * time.Millisecond
	quietIfKnown    = 50 * time.Millisecond
	quietToRedirect = 3 * time.Second // also long enough to take a page for all that comes of it
	longPoll        = 5 * time.Second // after which what a script asks for is answered only when something happens
)

// moved returns when something last began or ended.
func (w *wire) moved() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changed
}

func (w *wire) isQuiet(enough time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.leading {
		enough = quietToRedirect
	}
	return w.running <= w.held && time.Since(w.changed) > enough
}

// pass waits while this stage is held.
func (w *wire) pass(at stage, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.holding != at {
		return
	}
	if r.Method == http.MethodPost || isForPage(r) {
		w.tellf(byNetwork, "%s", at)
	}
	open := w.open
	w.held++
	w.mu.Unlock()
	<-open
	w.mu.Lock()
	w.held--
}

func (w *wire) came() (at cut) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.posts++
	if w.once && w.cut == uncut {
		w.tellf(byBrowser, "sends the form once more, by itself")
	}
	at, w.cut = w.cut, uncut
	w.down = w.down || at != uncut && !w.once
	return at
}

// leads notes whether an answer sends the browser elsewhere, or is the page that it shows next.
func (w *wire) leads(r *http.Response) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.leading = r.StatusCode >= 300 && r.StatusCode < 400 && r.Header.Get("Location") != ""
	if !w.leading {
		w.gives(r.Request)
	}
}

// gives notes that the browser is given a page, if that is what it has asked for. The caller holds the lock.
func (w *wire) gives(asked *http.Request) {
	if isForPage(asked) {
		w.page = time.Now()
	}
}

// loses notes that an exchange is cut before the browser has anything of its answer, or, with some, in the middle of it.
func (w *wire) loses(asked *http.Request, some bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lost = !some && isForPage(asked)
	if some {
		w.gives(asked)
	}
}

// lostPage reports whether the browser is to show its error page.
func (w *wire) lostPage() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lost
}

// isForPage reports whether a browser wants to show the answer, and no script asks.
func isForPage(r *http.Request) bool { return r.Header.Get("Sec-Fetch-Dest") == "document" }

// given returns when the browser was last given a page, if that is still what it is to show.
func (w *wire) given() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.page
}

// showsAgain is told when the browser shows a page that it had, and that the last one need not arrive any more.
func (w *wire) showsAgain() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.page = time.Time{}
}

func (w *wire) isDown() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.down
}

func (w *wire) began() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running++
	w.leading, w.changed = false, time.Now()
}

func (w *wire) ended() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running--
	w.changed = time.Now()
}
