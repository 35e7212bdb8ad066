package apiverdict

import (
	"context"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"onlyonce/internal/app"
	"onlyonce/internal/app/apptest"
	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// TestThisAppDoesAll checks this app, with two replicas in this process. They cannot be restarted.
func TestThisAppDoesAll(t *testing.T) {
	t.Setenv("API_TOKEN", "oo_demo_acme")
	t.Setenv("OTHER_TOKEN", "oo_demo_globex")
	d, err := Read("apis/this_app.json")
	must.OK(t, err)
	db := apptest.Demo.New(t)
	for _, address := range []*string{&d.Address, &d.Replica} {
		a, err := app.Start(t.Context(), app.Config{
			Addr: "127.0.0.1:0", MetricsAddr: "off", DatabaseURL: db.URL, Demo: true, Site: apptest.Site(),
			Wait: 10 * time.Second, ExpireEvery: time.Hour, Log: slog.New(slog.DiscardHandler),
		})
		must.OK(t, err)
		t.Cleanup(func() { _ = a.Close(context.WithoutCancel(t.Context())) })
		*address = a.URL()
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 10}
	defer transport.CloseIdleConnections()
	found, code, text := verdicts(t, d, transport)
	assert.Thatf(t, code == AsWanted && len(found[does]) == len(questions())-1, "exit code %d\n%s", code, text)
}
