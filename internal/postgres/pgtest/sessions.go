package pgtest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// sessions keeps the connections of a database that tests have closed, and answers the next startup that is the same with one
// of them: a new process of PostgreSQL spends more time on the catalog than on the queries of a test.
//
// It does what a connection pooler does for its clients. DISCARD ALL comes in between, which leaves nothing of a session:
// neither plans nor settings, locks or temporary tables. A connection that was in a transaction or in trouble is not kept.
type sessions struct {
	mu   sync.Mutex
	off  bool                  // nothing is kept any more
	idle map[string][]*session // by wishes
}

// session is a connection to the server.
type session struct {
	net.Conn

	wishes   string // see there
	greeting []byte // what the server answered, up to ReadyForQuery
}

// wishes is what the client sends first, the user, the database and settings, in an order: pgx sends them in any.
func wishes(startup []byte) string {
	var pairs []string
	for pair := range slices.Chunk(strings.Split(string(startup), "\x00"), 2) {
		pairs = append(pairs, strings.Join(pair, "\x00"))
	}
	slices.Sort(pairs)
	return strings.Join(pairs, "\x00\x00")
}

// take returns a session with these wishes, or nil.
func (s *sessions) take(wishes string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.idle[wishes]) > 0 {
		idle := s.idle[wishes]
		last := len(idle) - 1
		one := idle[last]
		s.idle[wishes] = idle[:last]
		if one.silent() {
			return one
		}
		_ = one.Close() // the server has said that it ended
	}
	return nil
}

// keep keeps a session for others, or closes it.
func (s *sessions) keep(one *session) error {
	if !s.keeps() || !one.discard() {
		return one.end()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.off {
		return one.end()
	}
	s.idle[one.wishes] = append(s.idle[one.wishes], one)
	return nil
}

func (s *sessions) keeps() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.off
}

// end closes all sessions that nobody uses, and keeps none from now on.
func (s *sessions) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.off = true
	for _, idle := range s.idle {
		for _, one := range idle {
			_ = one.end() // its database is dropped
		}
	}
	s.idle = nil
}

// pids are the processes of the server that nobody uses.
func (s *sessions) pids() []int32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	pids := []int32{}
	for _, idle := range s.idle {
		for _, one := range idle {
			for kind, body := range messages(one.greeting) {
				if kind == 'K' {
					pids = append(pids, int32(binary.BigEndian.Uint32(body)))
				}
			}
		}
	}
	return pids
}

// silent reports whether the server has neither said anything since the session was kept nor ended it.
func (s *session) silent() bool {
	conn, ok := s.Conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return false
	}
	var peek error
	err = raw.Read(func(fd uintptr) bool {
		_, _, peek = syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		return true
	})
	return err == nil && errors.Is(peek, syscall.EAGAIN)
}

// terminate is the message that ends a session.
const terminate = "X\x00\x00\x00\x04"

// end ends the session as a client does that goes.
func (s *session) end() error {
	_, _ = s.Write([]byte(terminate)) // which may be over, or in the middle of something
	return s.Close()
}

// query is the message that asks for sql.
func query(sql string) []byte {
	const overhead = 5 // the length itself, and the final zero
	return append(binary.BigEndian.AppendUint32([]byte("Q"), uint32(overhead+len(sql))), sql+"\x00"...)
}

// discard reports whether the session is as it was when it began. What it has counted is in the server's statistics then: it
// would be found among those of a later test.
func (s *session) discard() bool {
	const (
		patience = 5 * time.Second
		want     = "C:DISCARD ALL Z:I T D C:SELECT 1 Z:I "
	)
	if s.SetDeadline(time.Now().Add(patience)) != nil {
		return false
	}
	if _, err := s.Write(slices.Concat(query("DISCARD ALL"), query("SELECT pg_stat_force_next_flush()"))); err != nil {
		return false
	}
	var answer []byte
	for chunk := make([]byte, 4096); ; {
		n, err := s.Read(chunk)
		if err != nil {
			return false
		}
		answer = append(answer, chunk[:n]...)
		var said strings.Builder
		for kind, body := range messages(answer) {
			switch kind {
			case 'S', 'N', 'A': // settings are back, and what anybody may say at any time
			case 'C', 'Z':
				fmt.Fprintf(&said, "%c:%s ", kind, strings.TrimSuffix(string(body), "\x00"))
			default:
				fmt.Fprintf(&said, "%c ", kind)
			}
		}
		if said.String() == want {
			return s.SetDeadline(time.Time{}) == nil
		}
		if !strings.HasPrefix(want, said.String()) || len(answer) > len(chunk) { // an error, or the answer to something else
			return false
		}
	}
}

// messages goes through those that stream has in full.
func messages(stream []byte) func(yield func(kind rune, body []byte) bool) {
	return func(yield func(rune, []byte) bool) {
		const head = 5 // the kind, and the length without it
		for len(stream) >= head {
			end := 1 + int(binary.BigEndian.Uint32(stream[1:]))
			if end < head || len(stream) < end || !yield(rune(stream[0]), stream[head:end]) {
				return
			}
			stream = stream[end:]
		}
	}
}

// client is what pgx takes for a connection. What it is connected to is settled when it says what it wants.
type client struct {
	sessions *sessions
	dial     func() (net.Conn, error)

	mu       sync.Mutex
	deadline time.Time
	session  *session // nil before the first Write
	greeting []byte   // what is left to read of the one that the session has got before
	greeted  bool     // the session has got it
	reading  int      // calls of Read that have not returned
	failed   bool     // a call of Read or Write has
	ended    bool     // the client said goodbye
	closed   bool
}

// open is a [pgconn.DialFunc].
func (s *sessions) open(ctx context.Context, network, address string) (net.Conn, error) {
	return &client{sessions: s, dial: func() (net.Conn, error) { return new(net.Dialer).DialContext(ctx, network, address) }}, nil
}

func (c *client) connect(startup []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	const head = 8 // the length, and the version of the protocol
	wanted := wishes(startup[min(head, len(startup)):])
	if c.session = c.sessions.take(wanted); c.session != nil {
		c.greeting, c.greeted = c.session.greeting, true
		return c.session.SetDeadline(c.deadline)
	}
	conn, err := c.dial()
	if err != nil {
		return err
	}
	c.session = &session{Conn: conn, wishes: wanted}
	if err := conn.SetDeadline(c.deadline); err != nil {
		return err
	}
	_, err = conn.Write(startup)
	return err
}

func (c *client) Write(p []byte) (int, error) {
	if c.session == nil {
		if err := c.connect(p); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	if string(p) == terminate {
		c.ended = true
		return len(p), nil
	}
	n, err := c.session.Write(p)
	c.note(0, err)
	return n, err
}

func (c *client) Read(p []byte) (int, error) {
	if len(c.greeting) > 0 {
		n := copy(p, c.greeting)
		c.greeting = c.greeting[n:]
		return n, nil
	}
	c.note(1, nil)
	n, err := c.session.Read(p)
	c.note(-1, err)
	if !c.greeted {
		c.session.greeting = slices.Concat(c.session.greeting, p[:n])
		for kind := range messages(c.session.greeting) {
			c.greeted = c.greeted || kind == 'Z'
		}
	}
	return n, err
}

func (c *client) note(reading int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reading += reading
	c.failed = c.failed || err != nil
}

func (c *client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == nil || c.closed {
		return nil
	}
	c.closed = true
	if !c.ended || c.failed || c.reading > 0 || !c.greeted || len(c.greeting) > 0 {
		return c.session.Close()
	}
	return c.sessions.keep(c.session)
}

func (c *client) SetDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
	if c.session == nil || c.closed {
		return nil
	}
	return c.session.SetDeadline(t)
}

// SetReadDeadline and the others are not called by pgx before it has written something.
func (c *client) SetReadDeadline(t time.Time) error  { return c.session.SetReadDeadline(t) }
func (c *client) SetWriteDeadline(t time.Time) error { return c.session.SetWriteDeadline(t) }
func (c *client) LocalAddr() net.Addr                { return c.session.LocalAddr() }
func (c *client) RemoteAddr() net.Addr               { return c.session.RemoteAddr() }
