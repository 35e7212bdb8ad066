package e2e

import (
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"onlyonce/internal/must"
)

// stage is a stage at which a wire holds exchanges.
type stage int

const (
	nowhere       stage = iota
	beforeTheApp        // the form was sent, but has not reached the app
	afterTheApp         // the app has answered, but the answer has not reached the browser
	afterRedirect       // the browser has received a redirect, but has not followed it
)

func (s stage) String() string {
	return [...]string{
		"lets everything through", "holds the form back, before the app hears of it",
		"holds the app's answer back", "holds the next page back",
	}[s]
}

// cut is the point at which an exchange is cut.
type cut int

const (
	uncut         cut = iota
	beforeRequest     // the request does not reach the app
	insideRequest     // the app receives only the beginning
	beforeAnswer      // the app has answered, and the browser gets nothing
	insideAnswer      // the browser receives only the beginning
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

// wire is the browser's HTTP proxy. It holds, cuts and repeats the form on its way to any app. All other requests pass. Forms reach the
// app in the order of arrival, so that the outcome is not a matter of chance.
type wire struct {
	addr  string
	path  string // of the form; "" for any
	mark  string // in the body of each form
	pipes *httputil.ReverseProxy

	host    string            // of the app, without its scheme
	inside  string            // the address of its TLS server for the browser, or "" for an app without TLS
	headers map[string]string // of each request to the app

	scriptless bool // forbid the scripts of each page, since Playwright can't switch them off in Firefox

	mu      sync.Mutex
	stage   stage            // at which exchanges are held
	open    chan struct{}    // closed when held exchanges may go on
	last    [4]chan struct{} // by stage, closed when the last exchange there has had its turn; nil if there was none
	atOnce  bool             // forms don't wait for the one before
	posts   int              // number of arrived posts
	other   []string         // requests with a body that were not the form
	held    int              // number of held exchanges
	running int              // number of exchanges under way, including held ones
	loading int              // those of them whose answer is a page
	changed time.Time        // when one last began or ended
	leading bool             // the browser got a redirect and has not followed it
	page    time.Time        // when the browser last got a page
	status  map[string]int   // of each page, by its address
	kept    *keptPage        // the last page that a browser may keep
	repeats bool             // the kept page is the next answer to a request for it
	cut     cut              // of the next post
	once    bool             // only one post is cut
	lost    bool             // a page was cut, so that the browser shows its error page
	down    bool             // nothing passes
	slow    bool             // each exchange waits, and its answer arrives slowly
	late    bool             // a gateway answers the next post in place of the app
	replica string           // if not "", each post is also sent there
	overlap bool             // the replica gets it while the app is at work
	forgets bool             // each post gets a new key

	gate gateReader // before the second half of each form; nil if they pass as a whole

	tellf func(who by, format string, args ...any) // adds the wire's actions to the story
	came  func(form *http.Request)                 // is called for each form
}

// newWire starts a proxy for a browser. It ends with the test.
func newWire(t *testing.T, path string) *wire {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must.OK(t, err)
	w := &wire{addr: "http://" + listener.Addr().String(), path: path, open: make(chan struct{}), status: map[string]int{},
		came: func(*http.Request) {}}
	close(w.open)
	w.pipes = &httputil.ReverseProxy{
		Rewrite:        func(*httputil.ProxyRequest) {},
		ModifyResponse: func(r *http.Response) error { w.forbidScripts(r); w.leads(r); w.keep(r); return nil },
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

func (w *wire) locked(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

func read[T any](w *wire, field *T) T {
	w.mu.Lock()
	defer w.mu.Unlock()
	return *field
}

// newWire starts a wire between the browser and the app.
func (s *session) newWire() *wire {
	s.t.Helper()
	w := newWire(s.t, "")
	w.host, w.tellf, w.came = hostOf(s.origin), s.tellf, s.posted
	if strings.HasPrefix(s.origin, "https:") {
		w.overTLS(s.t)
	}
	return w
}

// hold holds posts at a stage from now on, until release.
func (w *wire) hold(at stage) {
	w.locked(func() { w.stage, w.open, w.atOnce = at, make(chan struct{}), false })
}

// release lets all held exchanges pass, in turn, and all later ones.
func (w *wire) release() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stage != nowhere {
		if w.held > 0 {
			w.tellf(byNetwork, "lets through what it holds")
		}
		w.stage = nowhere
		close(w.open)
	}
}

// releaseAtOnce lets all held exchanges pass at the same instant.
func (w *wire) releaseAtOnce() {
	w.locked(func() { w.atOnce = true })
	w.release()
}

// cutNext cuts the next post. Afterwards nothing passes until heal, so that the browser cannot resend it.
func (w *wire) cutNext(at cut) { w.locked(func() { w.cut, w.once, w.lost = at, false, false }) }

// resetNext resets the connection of the next post after the app has answered. A resend by the browser passes.
func (w *wire) resetNext() { w.locked(func() { w.cut, w.once = beforeAnswer, true }) }

// slowDown makes a slow line of the wire from now on.
func (w *wire) slowDown() {
	w.tellf(byNetwork, "slows down to 50 kB a second, and lets each request wait 0.4 seconds")
	w.locked(func() { w.slow = true })
}

// toReplica sends the next posts twice: to the app, and then, or while the app is still at work, to the replica, whose answer the browser
// gets.
func (w *wire) toReplica(host string, overlap bool) {
	w.locked(func() { w.replica, w.overlap = host, overlap })
}

// timeOutNext has a gateway answer the next post after the app has.
func (w *wire) timeOutNext() { w.locked(func() { w.late = true }) }

// timesOut reports whether a gateway answers this post.
func (w *wire) timesOut() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	late := w.late
	w.late = false
	return late
}

func (w *wire) heal() {
	w.tellf(byNetwork, "works again")
	w.locked(func() { w.down = false })
}

func (w *wire) arrived() int { return read(w, &w.posts) }

// holding returns the number of held exchanges.
func (w *wire) holding() int { return read(w, &w.held) }

// others returns the requests with a body that were not the form, such as "POST /expenses".
func (w *wire) others() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.other)
}

// Periods without traffic after which the browser has nothing more to load. After a redirect the period is longer. For known pages,
// which start no later requests, the arrival of the last one is enough.
const (
	quiet           = 500 * time.Millisecond
	quietIfKnown    = 50 * time.Millisecond
	quietToRedirect = 3 * time.Second // also enough to consider a page complete
	longPoll        = 5 * time.Second // a script's request that takes longer is a long poll
)

// turn is the time after which the next exchange goes on, even if this one has not ended. Before that, an app that looks for an equal
// record and then creates one has no race.
const turn = 500 * time.Millisecond

// moved returns when an exchange last began or ended.
func (w *wire) moved() time.Time { return read(w, &w.changed) }

func (w *wire) isQuiet(enough time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.leading {
		enough = quietToRedirect
	}
	return w.running <= w.held && time.Since(w.changed) > enough
}

// pass waits while this stage is held, and then for its turn, which the returned function ends.
func (w *wire) pass(at stage, r *http.Request) (ended func()) {
	w.mu.Lock()
	mine := w.arrive(at, r)
	w.mu.Unlock()
	return mine()
}

// arrive notes that an exchange has come to a stage. The returned function is the rest of pass. The caller must hold the lock.
func (w *wire) arrive(at stage, r *http.Request) (pass func() (ended func())) {
	held := w.stage == at
	if !held && at != beforeTheApp {
		return func() func() { return func() {} }
	}
	open, before, mine := w.open, w.last[at], make(chan struct{})
	w.last[at] = mine
	if held {
		w.held++
		if r.Method != http.MethodGet || isForPage(r) {
			w.tellf(byNetwork, "%s", at)
		}
	}
	return func() func() {
		if held {
			<-open
		}
		w.mu.Lock()
		if held {
			w.held--
		}
		waits := before != nil && !w.atOnce
		w.mu.Unlock()
		if waits {
			<-before
		}
		ended := sync.OnceFunc(func() { close(mine) })
		time.AfterFunc(turn, ended)
		return ended
	}
}

// comes notes that a form has arrived. The returned function lets it pass to the app.
func (w *wire) comes(r *http.Request) (at cut, pass func() (answered func())) {
	w.came(r)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.posts++
	if w.once && w.cut == uncut {
		w.tellf(byBrowser, "sends the form once more, by itself")
	}
	at, w.cut = w.cut, uncut
	w.down = w.down || at != uncut && !w.once
	return at, w.arrive(beforeTheApp, r)
}

// leads notes whether an answer is a redirect, or the page that the browser shows next.
func (w *wire) leads(r *http.Response) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.leading = isRedirect(r)
	if !w.leading {
		w.delivers(r.Request)
		if isForPage(r.Request) {
			w.status[r.Request.URL.String()] = r.StatusCode
		}
	}
}

// delivers notes that the browser gets a page, if the request was for one. The caller must hold the lock.
func (w *wire) delivers(asked *http.Request) {
	if isForPage(asked) {
		w.page = time.Now()
	}
}

// loses notes that an exchange is cut: in the middle of the answer if some is set, otherwise before it.
func (w *wire) loses(asked *http.Request, some bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lost = !some && isForPage(asked)
	if some {
		w.delivers(asked)
	}
}

// isForPage reports whether the browser will show the answer as a page, also in a frame, as opposed to a script's request. Over plain
// HTTP, browsers name the destination to loopback addresses only.
func isForPage(r *http.Request) bool {
	if destination := r.Header.Get("Sec-Fetch-Dest"); destination != "" {
		return destination == "document" || destination == "iframe"
	}
	return r.Header.Get("Upgrade-Insecure-Requests") != ""
}

func isRedirect(r *http.Response) bool {
	return r.StatusCode >= 300 && r.StatusCode < 400 && r.Header.Get("Location") != ""
}

// given returns when the browser last got a page, or zero if it now shows a kept one.
func (w *wire) given() time.Time { return read(w, &w.page) }

// statusOf returns the status of the last page from an address, or 0.
func (w *wire) statusOf(address string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	page, _, _ := strings.Cut(address, "#")
	return w.status[page]
}

// showsAgain notes that the browser shows a page that it had, so that the last one need not arrive any more.
func (w *wire) showsAgain() { w.locked(func() { w.page = time.Time{} }) }

// began notes that an exchange is under way until ended is called.
func (w *wire) began(forPage bool) (ended func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	pages := 0
	if forPage {
		pages = 1
	}
	w.running++
	w.loading += pages
	w.leading, w.changed = false, time.Now()
	return sync.OnceFunc(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.running--
		w.loading -= pages
		w.changed = time.Now()
	})
}
