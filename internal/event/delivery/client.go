package delivery

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// errPrivate means that an address leads to a machine that is not on the public internet.
var errPrivate = errors.New("not a public address")

// newClient returns a client that neither follows redirects nor uses a proxy, and connects to public addresses only, unless private is set.
// The address is checked after the name was resolved, immediately before the connection, so no later answer of DNS replaces it.
func newClient(private bool, timeout time.Duration) *http.Client {
	dialer := &net.Dialer{Timeout: timeout}
	if !private {
		dialer.Control = func(_, address string, _ syscall.RawConn) error {
			if at, err := netip.ParseAddrPort(address); err != nil || !isPublic(at.Addr()) {
				return errPrivate
			}
			return nil
		}
	}
	return &http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext: dialer.DialContext, MaxIdleConnsPerHost: atOnce, IdleConnTimeout: time.Minute, TLSHandshakeTimeout: timeout,
			MaxResponseHeaderBytes: maxHeader, ForceAttemptHTTP2: true,
		},
	}
}

// isPublic reports whether an address belongs to a machine on the public internet. Of IPv6, only the global unicast addresses that are
// allocated may do so, except ranges that contain an IPv4 address.
func isPublic(at netip.Addr) bool {
	at = at.Unmap()
	if at.Is6() && !globalUnicast.Contains(at) {
		return false
	}
	for _, special := range specials {
		if special.Contains(at) {
			return false
		}
	}
	return at.IsValid() && at.Zone() == ""
}

var (
	globalUnicast = netip.MustParsePrefix("2000::/3")
	// specials are the networks of https://www.iana.org/assignments/iana-ipv4-special-registry, and of its twin for IPv6 within 2000::/3.
	specials = prefixes(
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
		"192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
		"2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
	)
)

func prefixes(texts ...string) (all []netip.Prefix) {
	for _, text := range texts {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}
