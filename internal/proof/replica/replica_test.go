package replica_test

import (
	"net/netip"
	"testing"

	"onlyonce/internal/proof/replica"
)

// TestFreePort checks that no client can get the port before the replica listens.
func TestFreePort(t *testing.T) {
	t.Parallel()
	for range 100 {
		address, err := replica.FreePort(t.Context())
		if at, invalid := netip.ParseAddrPort(address); err != nil || invalid != nil || at.Port() < 1024 || at.Port() >= 32_768 {
			t.Fatalf("%q, %v, %v", address, err, invalid)
		}
	}
}
