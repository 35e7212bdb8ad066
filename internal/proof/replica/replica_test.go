package replica_test

import (
	"net/netip"
	"testing"

	"onlyonce/internal/must"
	"onlyonce/internal/proof/replica"
)

// TestFreePort checks that no client can get the port before the replica listens.
func TestFreePort(t *testing.T) {
	t.Parallel()
	for range 100 {
		address, err := replica.FreePort(t.Context())
		at, invalid := netip.ParseAddrPort(address)
		must.Thatf(t, err == nil && invalid == nil && at.Port() >= 1024 && at.Port() < 32_768, "%q, %v, %v", address, err, invalid)
	}
}
