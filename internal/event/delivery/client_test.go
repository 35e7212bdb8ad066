package delivery

import (
	"net/netip"
	"testing"

	"onlyonce/internal/assert"
)

func TestPublicAddresses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"1.1.1.1": true, "93.184.215.14": true, "172.15.255.255": true, "172.32.0.1": true, "100.128.0.1": true,
		"2606:4700:4700::1111": true, "2a00:1450:4001::1": true, "::ffff:1.1.1.1": true,
		"0.0.0.0": false, "0.1.2.3": false, "127.0.0.1": false, "127.255.0.1": false, "10.0.0.1": false, "172.16.0.1": false,
		"172.31.255.255": false, "192.168.1.1": false, "169.254.169.254": false, "100.64.0.1": false, "192.0.0.170": false,
		"192.0.2.1": false, "198.18.0.1": false, "198.51.100.1": false, "203.0.113.1": false, "224.0.0.1": false, "239.1.1.1": false,
		"240.0.0.1": false, "255.255.255.255": false, "192.88.99.1": false,
		"::": false, "::1": false, "::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "::ffff:169.254.169.254": false, "::7f00:1": false,
		"fe80::1": false, "fe80::1%eth0": false, "2606:4700::1%eth0": false, "fc00::1": false, "fd12::1": false, "fec0::1": false,
		"ff02::1": false, "64:ff9b::7f00:1": false, "64:ff9b:1::1": false, "100::1": false, "2001::1": false, "2001:db8::1": false,
		"2002:7f00:1::1": false, "3fff::1": false, "4000::1": false, "5f00::1": false,
	} {
		assert.Equal(t, isPublic(netip.MustParseAddr(text)), want, text)
	}
	assert.Equal(t, isPublic(netip.Addr{}), false)
}
