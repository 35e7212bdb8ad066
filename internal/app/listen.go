package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
)

// unixPrefix begins an address that is the path of a Unix socket.
const unixPrefix = "unix:"

// Network returns a network and an address, as [net.Dial] takes them, for the value of ADDR.
func Network(addr string) (network, address string) {
	if path, ok := strings.CutPrefix(addr, unixPrefix); ok {
		return "unix", path
	}
	return "tcp", addr
}

// AddressOf returns the address of a listener, as ADDR names it.
func AddressOf(l net.Listener) string {
	if l.Addr().Network() == "unix" {
		return unixPrefix + l.Addr().String()
	}
	return l.Addr().String()
}

// listen returns the listener of the configuration, or one at its address.
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
		// The proxy is another user. Which ones reach the socket is up to its directory.
		err = os.Chmod(address, 0o666) //nolint:gosec // see above
	}
	if err != nil {
		return nil, fmt.Errorf("listen at ADDR: %w", err)
	}
	return listener, nil
}

// left reports whether no process listens at a socket anymore: it was killed.
func left(ctx context.Context, path string) bool {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", path)
	if err == nil {
		_ = conn.Close()
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}
