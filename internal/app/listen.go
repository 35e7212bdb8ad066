package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
)

// unixPrefix is the prefix of an address that is the path of a Unix socket.
const unixPrefix = "unix:"

// Network returns the arguments of [net.Dial] for a value of ADDR.
func Network(addr string) (network, address string) {
	if path, ok := strings.CutPrefix(addr, unixPrefix); ok {
		return "unix", path
	}
	return "tcp", addr
}

// AddressOf returns the address of a listener in the format of ADDR.
func AddressOf(l net.Listener) string {
	if l.Addr().Network() == "unix" {
		return unixPrefix + l.Addr().String()
	}
	return l.Addr().String()
}

func listen(ctx context.Context, c Config) (net.Listener, error) {
	if c.Listener != nil {
		return c.Listener, nil
	}
	network, address := Network(c.Addr)
	var config net.ListenConfig
	listener, err := config.Listen(ctx, network, address)
	if network == "unix" && errors.Is(err, syscall.EADDRINUSE) && left(ctx, address) {
		if err := os.Remove(address); err != nil {
			return nil, fmt.Errorf("listen at ADDR: %w", err)
		}
		listener, err = config.Listen(ctx, network, address)
	}
	if err == nil && network == "unix" {
		// The proxy runs as another user. The permissions of the directory restrict access to the socket.
		err = os.Chmod(address, 0o666) //nolint:gosec // see above
	}
	if err != nil {
		return nil, fmt.Errorf("listen at ADDR: %w", err)
	}
	return listener, nil
}

// left reports whether a socket was left behind by a killed process.
func left(ctx context.Context, path string) bool {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", path)
	if err == nil {
		_ = conn.Close()
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}

// Two kinds of request heads can have another meaning to a proxy in front, and net/http hides both from handlers:
//
//   - With both a Content-Length and chunked framing, one request here can be two there (RFC 9112, sections 6.3 and 11.2).
//   - A header line that begins with a space is a part of the line before (section 5.2), or a separate header, or nothing. As a part of
//     Idempotency-Key it would be another key.
//
// So heads are checked on the connection.

// stream is a TCP or Unix connection. net/http uses CloseWrite when it ends an answer before the client has sent everything.
type stream interface {
	net.Conn
	CloseWrite() error
}

// framingConn checks the heads of the requests that it reads. A read ends at the end of a head: the rest is held back until net/http has
// determined the length of the body, so that no body is taken for a head.
type framingConn struct {
	stream

	held []byte // read from the connection, and not returned yet

	mu      sync.Mutex // net/http reads one byte ahead while a request is handled
	body    int64      // remaining bytes of a body, -1 in a chunked one
	lines   int        // completed lines of the head
	place   int        // in the line
	matched int        // bytes of lengthHeader at the start of the line
	lengths int        // headers of that name in the head
	folded  bool       // whether a line of the head is folded
}

// lengthHeader is in lower case.
const lengthHeader = "content-length:"

func (c *framingConn) Read(p []byte) (n int, err error) {
	if len(c.held) > 0 {
		n = copy(p, c.held)
	} else {
		n, err = c.stream.Read(p)
		c.held = p[:n]
	}
	n = c.follow(p[:n])
	c.held = append([]byte(nil), c.held[n:]...)
	return n, err //nolint:wrapcheck // io.EOF must stay unwrapped
}

// follow returns the number of bytes up to the end of a head or a body.
func (c *framingConn) follow(read []byte) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.body > 0 {
		n := min(int64(len(read)), c.body)
		c.body -= n
		return int(n)
	}
	for i, b := range read {
		switch {
		case b == '\n' && c.place == 0: // also the end of a chunked body
			c.lines = 0
			return i + 1
		case b == '\n':
			c.lines, c.place, c.matched = c.lines+1, 0, 0
		case b == '\r' && c.place == 0: // an empty line
		default:
			if c.body == 0 {
				c.look(b)
			}
			c.place++
		}
	}
	return len(read)
}

// look handles the next byte of a line of a head.
func (c *framingConn) look(b byte) {
	if c.place == 0 && c.lines > 0 && (b == ' ' || b == '\t') {
		c.folded = true
	}
	if c.matched == c.place && c.place < len(lengthHeader) && b|0x20 == lengthHeader[c.place] { // the bit turns letters into lower case
		if c.matched++; c.matched == len(lengthHeader) {
			c.lengths++
		}
	}
}

// begin records the request of a head, and returns the reason if the head is refused.
func (c *framingConn) begin(r *http.Request) (wrong string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.folded:
		wrong = "a header line that begins with a space"
	case len(r.TransferEncoding) > 0 && c.lengths > 0:
		wrong = "both Content-Length and Transfer-Encoding"
	}
	c.body, c.lengths, c.folded = r.ContentLength, 0, false
	return wrong
}

// onState is notified when a chunked body was read completely.
func onState(conn net.Conn, state http.ConnState) {
	if c, ok := conn.(*framingConn); ok && state == http.StateIdle {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.body = 0
	}
}

type framingListener struct{ net.Listener }

func (l framingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if stream, ok := conn.(stream); ok {
		return &framingConn{stream: stream}, nil
	}
	return conn, err //nolint:wrapcheck // the server compares these errors
}

// RemoteAddr returns the address of the client: 127.0.0.1 for a Unix socket, whose clients are on this machine.
func (c *framingConn) RemoteAddr() net.Addr {
	if _, local := c.stream.(*net.UnixConn); local {
		return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}
	}
	return c.stream.RemoteAddr()
}

type framingKey struct{}

// withConn stores the connection for refuseUnclear.
func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, framingKey{}, conn)
}

// refuseUnclear answers 400 to a request that a proxy may have read in another way, and closes the connection.
func refuseUnclear(log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if conn, ok := r.Context().Value(framingKey{}).(*framingConn); ok {
			if wrong := conn.begin(r); wrong != "" {
				id := rand.Text() // as of package web, which doesn't get the request
				log.WarnContext(r.Context(), "refused a request that a proxy may have read in another way",
					"method", r.Method, "path", r.URL.Path, "reason", wrong, "request_id", id)
				w.Header().Set("X-Request-ID", id)
				w.Header().Set("Connection", "close")
				http.Error(w, wrong, http.StatusBadRequest)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}
