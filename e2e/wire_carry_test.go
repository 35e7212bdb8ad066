package e2e

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func (w *wire) ServeHTTP(answer http.ResponseWriter, r *http.Request) {
	// An event stream stays open as long as the page, and WebKit asks for icons at any time.
	listens := r.Method == http.MethodConnect || r.Header.Get("Upgrade") != "" ||
		strings.Contains(r.Header.Get("Accept"), "event-stream") || inWebKit() && r.Header.Get("Sec-Fetch-Dest") == "image"
	ended := func() {}
	if !listens {
		ended = w.began(isForPage(r))
		defer ended()
	}
	if r.URL.Host == w.host {
		for name, value := range w.headers {
			r.Header.Set(name, value)
		}
	}
	form, err := w.formIn(answer, r)
	if read(w, &w.slow) {
		answer = slowAnswer{answer}
	}
	if form == nil && !isForPage(r) {
		defer time.AfterFunc(longPoll, ended).Stop()
	}
	switch {
	case err != nil || read(w, &w.down):
		reset(answer)
	case r.Method == http.MethodConnect:
		w.tunnel(answer, r)
	case listens:
		w.pipes.ServeHTTP(answer, r)
	case form != nil:
		w.post(answer, r, form)
	case r.Method == http.MethodGet:
		w.lag(r)
		defer w.pass(afterRedirect, r)()
		if page := w.repeated(r); page != nil {
			page.write(answer)
			return
		}
		fallthrough
	default:
		w.pipes.ServeHTTP(answer, r)
	}
}

func (w *wire) forbidScripts(r *http.Response) {
	if w.scriptless {
		r.Header.Add("Content-Security-Policy", "script-src 'none'")
	}
}

// lag is the latency of a slow line.
func (w *wire) lag(r *http.Request) {
	if read(w, &w.slow) {
		select {
		case <-time.After(400 * time.Millisecond):
		case <-r.Context().Done():
		}
	}
}

// slowAnswer writes 50 kB a second.
type slowAnswer struct{ http.ResponseWriter }

func (a slowAnswer) Write(text []byte) (n int, err error) {
	for part := range slices.Chunk(text, 5_000) {
		<-time.After(100 * time.Millisecond)
		written, err := a.ResponseWriter.Write(part)
		if n += written; err != nil {
			return n, err
		}
		_ = http.NewResponseController(a.ResponseWriter).Flush()
	}
	return n, nil
}

func (a slowAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// formIn returns the body of a request if it is the form, which the mark in it shows. Pages may send other requests to the same path.
func (w *wire) formIn(answer http.ResponseWriter, r *http.Request) (form []byte, err error) {
	changes := r.Method == http.MethodPost || r.Method == http.MethodPut || r.Method == http.MethodPatch
	if !changes {
		return nil, nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(answer, r.Body, 10<<20))
	r.Body = io.NopCloser(bytes.NewReader(body))
	if !strings.HasPrefix(r.URL.Path, w.path) || !contains(string(body), w.mark) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.other = append(w.other, r.Method+" "+r.URL.Path)
		return nil, err
	}
	return body, err
}

// tunnel connects the browser with another host, with the app for a WebSocket, or with the wire's own TLS server in place of the app.
func (w *wire) tunnel(answer http.ResponseWriter, r *http.Request) {
	to := r.Host
	if w.inside != "" && strings.TrimSuffix(to, ":443") == strings.TrimSuffix(w.host, ":443") {
		to = w.inside
	}
	app, err := (&net.Dialer{}).DialContext(r.Context(), "tcp", to)
	if err != nil {
		reset(answer)
		return
	}
	defer app.Close()
	client, _, err := http.NewResponseController(answer).Hijack()
	if err != nil {
		return
	}
	defer client.Close()
	_, _ = io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n")
	go func() {
		_, _ = io.Copy(app, client)
		_ = app.Close()
	}()
	if _, err := io.Copy(client, app); err != nil {
		breakOff(client) // as the other end did
	}
}

// overTLS has the browser speak TLS to the wire, with a certificate that the browser has to accept, so that the app's pages, cookies and
// links are as they are without a wire. The wire checks the app's certificate.
func (w *wire) overTLS(t *testing.T) {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		r.URL.Scheme, r.URL.Host = "https", r.Host
		w.ServeHTTP(answer, r)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // a browser that breaks off
	server.StartTLS()
	t.Cleanup(func() {
		w.release()
		_ = server.Config.Close()
	})
	w.inside = server.Listener.Addr().String()
}

// post carries a form. The app gets it and processes it, whether or not the browser still waits.
func (w *wire) post(answer http.ResponseWriter, r *http.Request, body []byte) {
	at, pass := w.comes(r)
	w.lag(r)
	answered := pass()
	defer answered()
	if at == insideRequest {
		sendHalf(r, body)
	}
	if at == beforeRequest || at == insideRequest {
		w.cuts(answer, r, at)
		return
	}
	response, err := w.send(r, body)
	if err != nil {
		reset(answer)
		return
	}
	defer response.Body.Close()
	response.Proto, response.ProtoMajor, response.ProtoMinor = "HTTP/1.1", 1, 1 // which the browser speaks
	whole, err := httputil.DumpResponse(response, true)
	answered()
	defer w.pass(afterTheApp, r)()
	if !isRedirect(response) {
		defer w.pass(afterRedirect, r)() // the page itself is the answer
	}
	_, text, _ := bytes.Cut(whole, []byte("\r\n\r\n"))
	switch {
	case err != nil || at == beforeAnswer || at == insideAnswer && len(text) == 0:
		w.cuts(answer, r, beforeAnswer)
	case at == insideAnswer: // after the header, half of which browsers take over plain HTTP only
		w.tellf(byNetwork, "%s", at.sentence())
		w.loses(r, true)
		writePart(answer, whole[:len(whole)-(len(text)+1)/2])
	default:
		w.forbidScripts(response)
		if r.Context().Err() == nil { // the browser still waits
			w.leads(response)
		}
		copyAnswer(answer, response)
	}
}

// cuts ends an exchange before the browser has received any part of the answer.
func (w *wire) cuts(answer http.ResponseWriter, r *http.Request, at cut) {
	w.tellf(byNetwork, "%s", at.sentence())
	w.loses(r, false)
	reset(answer)
}

// send sends the form to the app, and also to the replica, whose answer is used. A gateway may answer in place of either.
func (w *wire) send(r *http.Request, body []byte) (response *http.Response, err error) {
	hosts, overlap := w.hosts(r)
	if overlap {
		response, err = w.sendTogether(r, body, hosts)
	} else {
		response, err = w.sendInTurn(r, body, hosts)
	}
	if err == nil && w.timesOut() {
		w.tellf(byNetwork, "a gateway drops the app's answer, and answers 504")
		_ = response.Body.Close()
		response = timeout(r)
	}
	return response, err
}

func (w *wire) sendInTurn(r *http.Request, body []byte, hosts []string) (response *http.Response, err error) {
	for _, host := range hosts {
		if response != nil {
			w.tellf(byNetwork, "a balancer drops the app's answer, and sends the form once more")
			_ = response.Body.Close()
		}
		if response, err = http.DefaultTransport.RoundTrip(w.halved(copyOf(r, host, w.keyed(body)))); err != nil {
			return nil, err
		}
	}
	return response, nil
}

// gateReader has no bytes, and ends when it is closed.
type gateReader chan struct{}

func (g gateReader) Read([]byte) (int, error) {
	<-g
	return 0, io.EOF
}

// halved lets the second half of a form wait for the gate, if there is one.
func (w *wire) halved(form *http.Request) *http.Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gate != nil {
		w.held++
		form.Body = io.NopCloser(io.MultiReader(io.LimitReader(form.Body, form.ContentLength/2), w.gate, form.Body))
	}
	return form
}

// sendTogether sends the form to all hosts, and its last byte only when each has the rest, so that all are at work at the same time.
// It is a matter of chance which one an app handles first, so it returns an answer that is an error, or else the last one's.
func (w *wire) sendTogether(r *http.Request, body []byte, hosts []string) (response *http.Response, err error) {
	w.tellf(byNetwork, "a balancer sends the form, and once more while the app is at work")
	var ends []func()
	answers, failures := make([]*http.Response, len(hosts)), make([]error, len(hosts))
	var all sync.WaitGroup
	for i, host := range hosts {
		form := w.keyed(body)
		last := max(len(form)-1, 0)
		reader, writer := io.Pipe()
		out := copyOf(r, host, form)
		out.Body = reader
		all.Go(func() { answers[i], failures[i] = http.DefaultTransport.RoundTrip(out) })
		_, _ = writer.Write(form[:last]) // RoundTrip returns the error
		ends = append(ends, func() {
			_, _ = writer.Write(form[last:])
			_ = writer.Close()
		})
	}
	for _, end := range ends {
		end()
	}
	all.Wait()
	used := len(hosts) - 1
	for i, answer := range answers {
		if answer != nil && answer.StatusCode >= http.StatusBadRequest {
			used = i
		}
	}
	for i, answer := range answers {
		if i != used && answer != nil {
			_ = answer.Body.Close()
		}
	}
	return answers[used], failures[used]
}

// timeout returns the answer of a gateway that has stopped waiting for the app.
func timeout(asked *http.Request) *http.Response {
	const page = "<html><head><title>504 Gateway Time-out</title></head><body><h1>504 Gateway Time-out</h1><hr>nginx</body></html>"
	return &http.Response{
		StatusCode: http.StatusGatewayTimeout, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {"text/html"}},
		Body: io.NopCloser(strings.NewReader(page)), Request: asked,
	}
}

// keyed returns a form with its key, or with a new one.
func (w *wire) keyed(body []byte) []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.forgets {
		return body
	}
	return ownKey.ReplaceAll(body, []byte("${1}"+rand.Text()))
}

// ownKey matches the key of a form.
var ownKey = regexp.MustCompile(`(\bidempotency_key=)[^&]*`)

// hosts returns the destinations of a post, and whether all get it at once.
func (w *wire) hosts(r *http.Request) (all []string, overlap bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.replica == "" {
		return []string{r.URL.Host}, false
	}
	return []string{r.URL.Host, w.replica}, w.overlap
}

// copyOf returns a copy of a request with its body. It is not cancelled with the original.
func copyOf(r *http.Request, host string, body []byte) *http.Request {
	out := r.Clone(context.WithoutCancel(r.Context()))
	out.URL.Host = host
	out.Header.Del("Proxy-Connection")
	out.Body = io.NopCloser(bytes.NewReader(body))
	out.ContentLength = int64(len(body))
	return out
}

// copyAnswer forwards an answer, ignoring errors of the browser's connection.
func copyAnswer(answer http.ResponseWriter, response *http.Response) {
	maps.Copy(answer.Header(), response.Header)
	answer.WriteHeader(response.StatusCode)
	_, _ = io.Copy(answer, response.Body)
}

// sendHalf sends half of a request and breaks off.
func sendHalf(r *http.Request, body []byte) {
	whole, err := httputil.DumpRequest(copyOf(r, r.URL.Host, body), true)
	if err != nil {
		return
	}
	to, dial := r.URL.Host, (&net.Dialer{}).DialContext
	if r.URL.Scheme == "https" {
		dial = (&tls.Dialer{}).DialContext
	}
	if r.URL.Port() == "" {
		to = net.JoinHostPort(to, r.URL.Scheme)
	}
	app, err := dial(r.Context(), "tcp", to)
	if err != nil {
		return
	}
	_, _ = app.Write(whole[:len(whole)-len(body)/2-1])
	breakOff(app)
}

// writePart writes the beginning of an answer and breaks off.
func writePart(answer http.ResponseWriter, part []byte) {
	if client, _, err := http.NewResponseController(answer).Hijack(); err == nil {
		_, _ = client.Write(part)
		_ = client.Close() // no reset, which could overtake the written data
	}
}

// reset ends the browser's connection without an answer.
func reset(answer http.ResponseWriter) {
	if client, _, err := http.NewResponseController(answer).Hijack(); err == nil {
		breakOff(client)
	}
}

func breakOff(conn net.Conn) {
	if encrypted, ok := conn.(*tls.Conn); ok {
		conn = encrypted.NetConn()
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
