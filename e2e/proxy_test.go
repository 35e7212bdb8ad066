package e2e

import (
	"bytes"
	"io"
	"net"
	"strings"
	"sync/atomic"
)

// proxy is the wire between browser and app. It knows no HTTP beyond the first
// words of a request, so that it can be cut like a wire.
type proxy struct {
	upstream string       // host:port of the app
	posts    atomic.Int32 // since cutNextAnswer
	cut      atomic.Bool
}

// throughProxy makes the browser reach the app over a proxy from now on.
func (s *session) throughProxy() *proxy {
	s.t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	s.check(err, "listen for the browser")
	s.t.Cleanup(func() { listener.Close() })
	p := &proxy{upstream: strings.TrimPrefix(s.origin, "http://")}
	s.origin = "http://" + listener.Addr().String()
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // the test is over
			}
			go p.carry(client)
		}
	}()
	return p
}

// cutNextAnswer resets the connection on which the next form is posted, when
// the app has answered and before any byte of the answer reaches the browser.
func (p *proxy) cutNextAnswer() {
	p.posts.Store(0)
	p.cut.Store(true)
}

func (p *proxy) carry(client net.Conn) {
	defer client.Close()
	app, err := net.Dial("tcp", p.upstream)
	if err != nil {
		return
	}
	var posting atomic.Bool
	go func() {
		defer app.Close()
		p.requests(app, client, &posting)
	}()
	p.answers(client, app, &posting)
}

// requests carries the browser's bytes. A browser sends the next request on a
// connection only after the answer to the last, so a request starts a read.
func (p *proxy) requests(app io.Writer, client io.Reader, posting *atomic.Bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := client.Read(buffer)
		if bytes.HasPrefix(buffer[:n], []byte("POST /")) {
			p.posts.Add(1)
			posting.Store(true)
		}
		if _, broken := app.Write(buffer[:n]); err != nil || broken != nil {
			return
		}
	}
}

func (p *proxy) answers(client, app net.Conn, posting *atomic.Bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := app.Read(buffer)
		if n > 0 && posting.Swap(false) && p.cut.CompareAndSwap(true, false) {
			// Without lingering, closing sends a reset.
			_ = client.(*net.TCPConn).SetLinger(0)
			app.Close()
			return
		}
		if _, broken := client.Write(buffer[:n]); err != nil || broken != nil {
			return
		}
	}
}
