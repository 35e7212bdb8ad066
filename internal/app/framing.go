package app

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"sync/atomic"
)

// A request that has both a Content-Length and chunked framing can be one request here and two to a proxy
// in front (RFC 9112, sections 6.3 and 11.2). net/http takes it as chunked, and removes the other header
// before anybody can see it. So the headers of that name are counted where they arrive: when a chunked
// request is handled, there must not have been more of them than the requests up to then have shown.
//
// A body with such a line in it, or a request that was sent before the answer to a chunked one, can make the
// count too high, never too low. Then a chunked request is refused that was in order; on a new connection it is
// taken.

// framingConn counts the Content-Length headers that it reads.
type framingConn struct {
	*net.TCPConn

	matched int // bytes of lengthHeader that were read just now
	lengths atomic.Int64
	shown   int64 // of them, those of requests that were handled
}

// lengthHeader begins with the end of the line before. Letters are in lower case.
const lengthHeader = "\ncontent-length:"

func (c *framingConn) Read(p []byte) (int, error) {
	n, err := c.TCPConn.Read(p)
	c.count(p[:n])
	return n, err //nolint:wrapcheck // an io.EOF must stay one
}

func (c *framingConn) count(read []byte) {
	for len(read) > 0 {
		switch {
		case c.matched == 0:
			end := bytes.IndexByte(read, '\n')
			if end < 0 {
				return
			}
			c.matched, read = 1, read[end+1:]
		case read[0]|0x20 != lengthHeader[c.matched]: // the bit makes letters small
			c.matched = 0
		default:
			c.matched, read = c.matched+1, read[1:]
			if c.matched == len(lengthHeader) {
				c.matched = 0
				c.lengths.Add(1)
			}
		}
	}
}

// framingListener makes a [framingConn] of each connection.
type framingListener struct{ net.Listener }

func (l framingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if tcp, ok := conn.(*net.TCPConn); ok {
		return &framingConn{TCPConn: tcp}, nil
	}
	return conn, err //nolint:wrapcheck // the server knows these errors
}

type framingKey struct{}

// withConn lets refuseTwoLengths find the connection.
func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, framingKey{}, conn)
}

// refuseTwoLengths answers 400 to a request with two framings, and ends the connection.
func refuseTwoLengths(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if conn, ok := r.Context().Value(framingKey{}).(*framingConn); ok {
			conn.shown += int64(len(r.Header["Content-Length"])) // requests of a connection come one by one
			if len(r.TransferEncoding) > 0 && conn.lengths.Load() > conn.shown {
				w.Header().Set("Connection", "close")
				http.Error(w, "both Content-Length and Transfer-Encoding", http.StatusBadRequest)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}
