package command

import (
	"net"
	"strings"
	"testing"

	"onlyonce/internal/must"
)

func TestHealth(t *testing.T) {
	b := setup(t)
	at, _ := b.serve()
	address := strings.TrimPrefix(at, "http://")
	_, port, err := net.SplitHostPort(address)
	must.OK(t, err)
	want := func(code int, addr, say string) {
		t.Helper()
		got, out, errors := ran(t, map[string]string{"ADDR": addr}, "health")
		if got != code || !strings.Contains(out+errors, say) {
			t.Errorf("%s: code %d, want %d: %s%s", addr, got, code, out, errors)
		}
	}
	for _, addr := range []string{address, ":" + port, "0.0.0.0:" + port} {
		want(done, addr, "ready")
	}
	want(failed, "127.0.0.1:1", "refused")
	b.Spoil(t)
	must.Exec(t, b.Pool, `DELETE FROM goose_db_version`)
	want(failed, address, "503")
}
