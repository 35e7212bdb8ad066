package proxy

import (
	"net"
	"sync"
)

// chunk is the size of a read. It is larger than any request from our clients, so that a cut inside a request has the whole
// request.
const chunk = 64 << 10

// link is a connection through the proxy.
type link struct {
	proxy          *Proxy
	client, server net.Conn
	once           sync.Once
	done           chan struct{} // closed when the link has ended

	mu     sync.Mutex
	asking bool // the client sent last
	cut    Cut  // of the current exchange
}

// carry forwards the data from one side until either side ends.
func (l *link) carry(from net.Conn, on func(said []byte) bool) {
	defer l.end(false)
	buffer := make([]byte, chunk)
	for {
		n, err := from.Read(buffer)
		if n > 0 && !on(buffer[:n]) {
			return
		}
		if err != nil {
			return
		}
	}
}

func (l *link) forward(said []byte) bool {
	cut := l.begin(said)
	if !l.proxy.hold(l.done) {
		return false
	}
	switch cut.Point {
	case BeforeRequest:
		l.sever(cut)
		return false
	case InsideRequest:
		_, _ = l.server.Write(said[:cut.part(len(said))]) // an error does not matter, since the connection is cut
		l.sever(cut)
		return false
	default:
		_, err := l.server.Write(said)
		return err == nil
	}
}

func (l *link) back(said []byte) bool {
	cut := l.answered()
	if !l.proxy.hold(l.done) {
		return false
	}
	switch cut.Point {
	case BeforeAnswer:
		l.sever(cut)
		return false
	case InsideAnswer:
		_, _ = l.client.Write(said[:cut.part(len(said))])
		// Close without a reset, because a reset may overtake the data.
		l.proxy.count(cut.Point)
		return false
	default:
		_, err := l.client.Write(said)
		return err == nil
	}
}

// begin returns the cut for the exchange that the client's data belongs to.
func (l *link) begin(said []byte) Cut {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.asking {
		l.asking = true
		l.cut = l.proxy.nextCut(said)
	}
	return l.cut
}

func (l *link) answered() Cut {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asking = false
	return l.cut
}

func (l *link) sever(cut Cut) {
	l.proxy.count(cut.Point)
	l.end(true)
}

// end closes both sides, once: abruptly with a reset, otherwise normally, so that written data arrives.
func (l *link) end(abruptly bool) {
	l.once.Do(func() {
		close(l.done)
		l.proxy.mu.Lock()
		delete(l.proxy.links, l)
		l.proxy.mu.Unlock()
		if abruptly {
			reset(l.client)
		} else {
			_ = l.client.Close()
		}
		_ = l.server.Close()
	})
}

// reset closes a connection so that the other side sees "connection reset by peer".
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // on an error, the connection is closed normally
	}
	_ = conn.Close()
}
