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
