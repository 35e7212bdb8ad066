package proxy

import (
	"net"
	"sync"
)

// chunk is how much one read takes: more than any request that our clients send, so that a cut inside
// of a request has all of it in hand.
const chunk = 64 << 10

// link is one connection through the proxy.
type link struct {
	proxy          *Proxy
	client, server net.Conn
	once           sync.Once
	done           chan struct{} // closed when the link has ended

	mu     sync.Mutex
	asking bool // the client spoke last
	cut    Cut  // of the exchange that runs
}

// carry hands on what one side says, until either side ends.
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
		_, _ = l.server.Write(said[:cut.part(len(said))]) // it is about to break anyway
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
		// Without the reset, so that the beginning does arrive: a reset may overtake it.
		l.proxy.count(cut.Point)
		return false
	default:
		_, err := l.client.Write(said)
		return err == nil
	}
}

// begin returns the cut of the exchange that the client's words belong to.
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

// end closes both sides, once: with a reset that the client notices at once, or in peace, which lets
// arrive what was written.
func (l *link) end(abruptly bool) {
	l.once.Do(func() {
		close(l.done)
		l.proxy.forget(l)
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
		_ = tcp.SetLinger(0) // the worst that can happen is an ordinary close
	}
	_ = conn.Close()
}
