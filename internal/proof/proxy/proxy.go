// Package proxy forwards TCP connections and breaks them on request, at a chosen point of an exchange. It does not parse the
// protocol: an exchange begins when the client sends after it has received, and data from the server is the answer. This holds for
// HTTP/1.1 and for PostgreSQL, where a pipeline is one exchange.
package proxy

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net"
	"strings"
	"sync"
	"time"
)

// Proxy forwards connections from its own address to a server. Its methods may be called concurrently.
type Proxy struct {
	listener net.Listener
	network  string // of the server
	address  string

	mu    sync.Mutex
	links map[*link]struct{} // nil once closed
	armed []Cut
	cuts  map[Point]int
	begun int // exchanges
	delay time.Duration
	away  bool          // all connections are reset
	open  chan struct{} // closed unless paused
}

// Listen starts a proxy on a free loopback port, in front of the server at an address for [net.Dial]. While the server does not
// listen, clients are reset. The proxy outlives ctx, until [Proxy.Close].
func Listen(ctx context.Context, network, address string) (*Proxy, error) {
	return listen(ctx, "tcp", "127.0.0.1:0", network, address)
}

// ListenUnix is [Listen] at the path of a Unix socket. The permissions of its directory limit the clients.
func ListenUnix(ctx context.Context, path, network, address string) (*Proxy, error) {
	return listen(ctx, "unix", path, network, address)
}

func listen(ctx context.Context, ownNetwork, own, network, address string) (*Proxy, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, ownNetwork, own)
	if err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	p := &Proxy{
		listener: listener, network: network, address: address,
		links: map[*link]struct{}{}, cuts: map[Point]int{}, open: make(chan struct{}),
	}
	close(p.open)
	go p.accept(context.WithoutCancel(ctx))
	return p, nil
}

// Addr returns the proxy's address: host:port, or the path of its socket.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Arm cuts the next exchanges, one for each cut, on any connection.
func (p *Proxy) Arm(cuts ...Cut) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed = append(p.armed, cuts...)
}

// Cuts returns the number of cut exchanges by point.
func (p *Proxy) Cuts() map[Point]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.cuts)
}

// Exchanges returns how many exchanges have begun. Those with PostgreSQL are round trips.
func (p *Proxy) Exchanges() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.begun
}

// Slow delays all data from now on, in both directions.
func (p *Proxy) Slow(delay time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = delay
}

// Pause holds all data back until [Proxy.Resume]. Connections stay open.
func (p *Proxy) Pause() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.open:
		p.open = make(chan struct{})
	default: // paused already
	}
}

// Resume ends a pause. The data held back is forwarded, even if the client has given up meanwhile.
func (p *Proxy) Resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.open:
	default:
		close(p.open)
	}
}

// Isolate resets all connections, including paused ones, and every new one until [Proxy.Heal], as if the server were down.
func (p *Proxy) Isolate() {
	p.mu.Lock()
	p.away = true
	links := maps.Clone(p.links)
	p.mu.Unlock()
	for l := range links {
		l.end(true)
	}
}

// Heal ends every disturbance and drops armed cuts.
func (p *Proxy) Heal() {
	p.Resume()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay, p.armed, p.away = 0, nil, false
}

// Close stops listening and ends all connections. It may be called twice.
func (p *Proxy) Close() {
	_ = p.listener.Close()
	p.mu.Lock()
	links := p.links
	p.links = nil
	p.mu.Unlock()
	for l := range links {
		l.end(false)
	}
}

func (p *Proxy) accept(ctx context.Context) {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return // closed
		}
		go p.serve(ctx, client)
	}
}

func (p *Proxy) serve(ctx context.Context, client net.Conn) {
	p.mu.Lock()
	away := p.away
	p.mu.Unlock()
	if away {
		reset(client)
		return
	}
	var dialer net.Dialer
	server, err := dialer.DialContext(ctx, p.network, p.address)
	if err != nil {
		reset(client)
		return
	}
	l := &link{proxy: p, client: client, server: server, done: make(chan struct{})}
	p.mu.Lock()
	closed := p.links == nil || p.away
	if !closed {
		p.links[l] = struct{}{}
	}
	p.mu.Unlock()
	if closed {
		l.end(true)
		return
	}
	go l.carry(server, l.back)
	l.carry(client, l.forward)
}

// hold waits while the proxy is paused or slow. It reports false if done closes first.
func (p *Proxy) hold(done <-chan struct{}) bool {
	p.mu.Lock()
	open, delay := p.open, p.delay
	p.mu.Unlock()
	select {
	case <-open:
	case <-done:
		return false
	}
	if delay == 0 {
		return true
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-done:
		return false
	}
}

// nextCut counts an exchange that begins with a message. It returns and removes the cut for it, or the zero Cut if there is none.
func (p *Proxy) nextCut(said []byte) Cut {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begun++
	if len(p.armed) == 0 || !bytes.Contains(bytes.ToLower(said), []byte(strings.ToLower(p.armed[0].Saying))) {
		return Cut{}
	}
	cut := p.armed[0]
	p.armed = p.armed[1:]
	return cut
}

func (p *Proxy) count(point Point) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cuts[point]++
}
