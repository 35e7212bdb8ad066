package shared

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// Limits of the client.
const (
	maxConns    = 32      // connections to Redis
	maxLine     = 4 << 10 // bytes, of a reply without a length, such as an error
	maxValue    = 4 << 20 // bytes, of a value
	dialTimeout = time.Second
)

// errReply means that the server does not use Redis's protocol, or that a value is too long.
var errReply = errors.New("not a reply of Redis")

// refusal is an error reply of Redis.
type refusal string

func (r refusal) Error() string { return string(r) }

// client sends commands to Redis in the second version of its protocol, RESP2, which both Redis and Valkey speak. Its commands are answered
// by a line or a value, so the length of replies is bounded. Connections are opened in the background and used again.
type client struct {
	at    address
	slots chan struct{} // holds one for each connection, also while it is opened
	idle  chan *conn
}

func newClient(at address) *client {
	return &client{at, make(chan struct{}, maxConns), make(chan *conn, maxConns)}
}

// Close waits until no connection is in use, and closes all. It must be called once, and no command may follow.
func (c *client) Close() {
	for range maxConns {
		select {
		case c.slots <- struct{}{}:
		case conn := <-c.idle:
			conn.close()
		}
	}
}

// do returns the reply to a command, or nil if there is no value. Its error is a refusal if Redis replied with an error.
func (c *client) do(ctx context.Context, command ...string) ([]byte, error) {
	conn, err := c.take(ctx)
	if err != nil {
		return nil, err
	}
	reply, err := conn.do(ctx, command)
	if _, refused := errors.AsType[refusal](err); err != nil && !refused {
		c.drop(conn)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			c.dropIdle() // a server that restarted has closed them too
		}
		return nil, err
	}
	c.idle <- conn
	return reply, err
}

func (c *client) drop(conn *conn) {
	conn.close()
	<-c.slots
}

func (c *client) dropIdle() {
	for {
		select {
		case conn := <-c.idle:
			c.drop(conn)
		default:
			return
		}
	}
}

// take returns an idle connection. If there is none, it opens one, and returns the first that is idle then.
func (c *client) take(ctx context.Context) (*conn, error) {
	select {
	case conn := <-c.idle:
		return conn, nil
	default:
	}
	slots, failed := c.slots, make(chan error, 1)
	for {
		select {
		case conn := <-c.idle:
			return conn, nil
		case slots <- struct{}{}:
			slots = nil       // one is enough
			go c.open(failed) //nolint:gosec // the connection may outlive the request
		case err := <-failed:
			return nil, err
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for a connection: %w", ctx.Err())
		}
	}
}

// open adds a connection to the idle ones, or sends an error. It may take longer than the request that needs the connection waits.
func (c *client) open(failed chan<- error) {
	ctx, cancel := context.WithTimeout(context.Background(), dialTimeout)
	defer cancel()
	conn, err := c.at.dial(ctx)
	if err == nil {
		c.idle <- conn
		return
	}
	<-c.slots
	failed <- err
}

// conn is a connection to Redis.
type conn struct {
	net.Conn

	replies *bufio.Reader
}

// close closes the connection without a farewell, for which TLS would wait up to five seconds.
func (c *conn) close() {
	raw := c.Conn
	if secure, is := raw.(*tls.Conn); is {
		raw = secure.NetConn()
	}
	_ = raw.Close()
}

// do returns the reply to a command. ctx has a deadline.
func (c *conn) do(ctx context.Context, command []string) ([]byte, error) {
	deadline, _ := ctx.Deadline()
	if err := c.SetDeadline(deadline); err != nil {
		return nil, fmt.Errorf("ask Redis: %w", err)
	}
	request := fmt.Appendf(nil, "*%d\r\n", len(command))
	for _, argument := range command {
		request = fmt.Appendf(request, "$%d\r\n%s\r\n", len(argument), argument)
	}
	if _, err := c.Write(request); err != nil {
		return nil, fmt.Errorf("ask Redis: %w", err)
	}
	return c.reply()
}

func (c *conn) reply() ([]byte, error) {
	line, err := c.replies.ReadSlice('\n')
	if err != nil {
		return nil, fmt.Errorf("read the reply of Redis: %w", err)
	}
	kind, text := line[0], bytes.TrimRight(line[1:], "\r\n")
	switch kind {
	case '+', ':':
		return bytes.Clone(text), nil
	case '-':
		return nil, refusal(text)
	case '$':
		length, err := strconv.Atoi(string(text))
		if length == -1 {
			return nil, nil // there is no value
		}
		if err != nil || length < 0 || length > maxValue {
			return nil, errReply
		}
		value := make([]byte, length+len("\r\n"))
		if _, err := io.ReadFull(c.replies, value); err != nil {
			return nil, fmt.Errorf("read the reply of Redis: %w", err)
		}
		if !bytes.HasSuffix(value, []byte("\r\n")) {
			return nil, errReply
		}
		return value[:length], nil
	default:
		return nil, errReply
	}
}

// address is the parsed URL of a Redis.
type address struct {
	network, at string
	tls         *tls.Config // nil without TLS
	login       []string    // the arguments of AUTH; none without a password
	database    string      // "" for the first
}

// errURL does not repeat the URL, which may contain a password.
var errURL = errors.New("it must be an address such as redis://:password@host:6379/0, rediss:// for TLS, or unix:///path/to/socket?db=0")

// parse parses a URL in the form of the redis-cli: redis://user:password@host:port/database, with rediss for TLS, or
// unix://user:password@/path?db=database.
func parse(text string) (at address, _ error) {
	u, err := url.Parse(text)
	if err != nil {
		return at, errURL
	}
	query := u.Query()
	at.network, at.at, at.database = "tcp", net.JoinHostPort(u.Hostname(), u.Port()), strings.Trim(u.Path, "/")
	switch u.Scheme {
	case "unix":
		at.network, at.at, at.database = "unix", u.Path, query.Get("db")
		query.Del("db")
	case "rediss":
		at.tls = &tls.Config{MinVersion: tls.VersionTLS12}
	case "redis":
	default:
		return at, errURL
	}
	if at.network == "tcp" && u.Port() == "" {
		at.at = net.JoinHostPort(u.Hostname(), "6379")
	}
	if password, is := u.User.Password(); is {
		at.login = []string{"AUTH", password}
		if name := u.User.Username(); name != "" {
			at.login = []string{"AUTH", name, password}
		}
	}
	_, noNumber := strconv.ParseUint(at.database, 10, 16)
	nowhere := u.Scheme != "unix" && u.Hostname() == "" || u.Scheme == "unix" && u.Path == ""
	noPassword := u.User != nil && at.login == nil
	if nowhere || noPassword || u.Fragment != "" || len(query) > 0 || at.database != "" && noNumber != nil {
		return at, errURL
	}
	return at, nil
}

// dial opens a connection. ctx has a deadline.
func (a address) dial(ctx context.Context) (*conn, error) {
	dialer := net.Dialer{}
	dial := dialer.DialContext
	if a.tls != nil {
		dial = (&tls.Dialer{Config: a.tls}).DialContext
	}
	opened, err := dial(ctx, a.network, a.at)
	if err != nil {
		return nil, fmt.Errorf("connect to Redis: %w", err)
	}
	c := &conn{opened, bufio.NewReaderSize(opened, maxLine)}
	for _, command := range [][]string{a.login, {"SELECT", a.database}} {
		if len(command) == 0 || command[len(command)-1] == "" {
			continue
		}
		if _, err := c.do(ctx, command); err != nil {
			c.close()
			return nil, fmt.Errorf("log in to Redis: %v", err) //nolint:errorlint // a wrong password counts as no answer, so it is logged
		}
	}
	return c, nil
}
