package e2e

import (
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"onlyonce/e2e/servers"
)

// TestIncidentsConvictWhoIsGuilty tries all incidents on servers that are known to be protected badly: the catalogue's
// own proof that it can fail.
func TestIncidentsConvictWhoIsGuilty(t *testing.T) {
	t.Parallel()
	var names []string
	var mu sync.Mutex
	found := map[string]map[string]verdict{}
	t.Run("servers", func(t *testing.T) {
		for _, protection := range servers.All() {
			names = append(names, protection.String())
			found[protection.String()] = map[string]verdict{}
			t.Run(protection.String(), func(t *testing.T) {
				t.Parallel()
				app := little(t, protection)
				for _, one := range incidents() {
					t.Run(one.name, func(t *testing.T) {
						began := time.Now()
						v := window(t, app, one)
						one.play(v)
						verdict := v.judge(one)
						t.Logf("%s in %s", verdict, time.Since(began))
						mu.Lock()
						defer mu.Unlock()
						found[app.Name][one.name] = verdict
					})
				}
			})
		}
	})
	t.Log("\n" + table(names, incidents(), found))
}

// little starts one of the servers and describes it.
func little(t *testing.T, protection servers.Protection) *target {
	t.Helper()
	app, err := readTarget("apps/little.json")
	if err != nil {
		t.Fatal(err)
	}
	server := servers.New(protection)
	running := httptest.NewServer(server)
	t.Cleanup(running.Close)
	app.Name, app.Address = protection.String(), running.URL
	app.restart = func() error { server.Restart(); return nil }
	return app
}
