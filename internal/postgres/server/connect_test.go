package server

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// TestParseIgnoresTheEnvironment sets each variable that pgx reads. The URL has the common parameters only.
func TestParseIgnoresTheEnvironment(t *testing.T) { //nolint:paralleltest // it sets variables
	services := filepath.Join(t.TempDir(), "services")
	must.OK(t, os.WriteFile(services, []byte("[other]\nhost=192.0.2.1\n"), 0o600))
	const url = "postgres://role@db.example.com/name"
	seen := func() string {
		c, err := Parse(url)
		if err != nil {
			return err.Error()
		}
		tls := c.ConnConfig.TLSConfig
		return fmt.Sprintln(c.ConnConfig.Host, c.ConnConfig.Port, c.ConnConfig.Database, c.ConnConfig.User, c.ConnConfig.Password,
			c.ConnConfig.RuntimeParams, c.ConnConfig.ConnectTimeout, len(c.ConnConfig.Fallbacks), c.ConnConfig.ValidateConnect == nil,
			c.ConnConfig.SSLNegotiation, c.ConnConfig.SSLCertMode, c.ConnConfig.ChannelBinding, c.ConnConfig.RequireAuth,
			c.ConnConfig.MinProtocolVersion, c.ConnConfig.MaxProtocolVersion, tls.ServerName, tls.RootCAs == nil, len(tls.Certificates))
	}
	want := seen()
	for variable := range strings.SplitSeq("PGHOST PGPORT=1 PGDATABASE PGUSER PGPASSWORD PGPASSFILE PGAPPNAME PGCONNECT_TIMEOUT=1 "+
		"PGSSLMODE=disable PGSSLKEY PGSSLCERT PGSSLCERTMODE=disable PGSSLSNI=0 PGSSLROOTCERT PGSSLPASSWORD PGSSLNEGOTIATION=direct "+
		"PGTARGETSESSIONATTRS=standby PGSERVICE=other PGSERVICE=none PGTZ=Asia/Tokyo PGOPTIONS PGMINPROTOCOLVERSION=3.2 "+
		"PGMAXPROTOCOLVERSION=3.2 PGCHANNELBINDING=require PGREQUIREAUTH=none PGLATER", " ") {
		name, value, given := strings.Cut(variable, "=")
		if !given {
			value = "other"
		}
		t.Run(variable, func(t *testing.T) { //nolint:paralleltest // as above
			t.Setenv("PGSERVICEFILE", services)
			t.Setenv(name, value)
			got := seen()
			assert.Thatf(t, got == want, "got %swant %s", got, want)
			if value, there := os.LookupEnv(name); there {
				t.Errorf("programs that we start get %s", value)
			}
		})
	}
}

// TestPasswordFile checks that ~/.pgpass is used: unlike a variable, each of its lines names a server.
func TestPasswordFile(t *testing.T) { //nolint:paralleltest // it sets a variable
	home := t.TempDir()
	must.OK(t, os.WriteFile(filepath.Join(home, ".pgpass"), []byte("db.example.com:5432:name:role:kept\n"), 0o600))
	t.Setenv("HOME", home)
	for url, want := range map[string]string{
		"postgres://role@db.example.com/name":       "kept",
		"postgres://role:typed@db.example.com/name": "typed",
		"postgres://role@another.example.com/name":  "",
	} {
		c, err := Parse(url)
		assert.Thatf(t, err == nil && c.ConnConfig.Password == want, "%s: %v", url, err)
	}
}

// Ready waits, like [Start], for the server whose socket is in socketDir, with another patience.
func Ready(ctx context.Context, socketDir string, patience time.Duration) error {
	return (&Process{}).ready(ctx, socketDir, patience)
}
