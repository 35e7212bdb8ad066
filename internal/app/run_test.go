package app_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"regexp"
	"testing"

	"onlyonce/internal/app"
	"onlyonce/internal/app/apptest"
	"onlyonce/internal/must"
)

// hold keeps every attempt to create the customer Ada waiting until the release.
func (b *bundle) hold() (release func()) {
	b.Helper()
	admin := b.DB.Admin()
	tx, err := admin.Begin(b.Context())
	must.OK(b, err)
	must.Exec(b, tx, `
		INSERT INTO customers (tenant_id, id, email, name)
		SELECT id, gen_random_uuid(), 'ada@example.com', 'Ada' FROM tenants WHERE name = 'Acme Studio'`)
	release = func() { _ = tx.Rollback(context.Background()) }
	b.Cleanup(release)
	return release
}

// waiting waits until a connection of the app waits for a lock of this kind, such as "relation".
func (b *bundle) waiting(kind string) {
	b.Helper()
	admin := b.DB.Admin()
	must.Until(b, "waiting for a lock", func() bool {
		var n int
		err := admin.QueryRow(b.Context(), `
			SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND usename = 'onlyonce' AND wait_event_type = 'Lock' AND wait_event = $1`, kind).
			Scan(&n)
		return err == nil && n == 1
	})
}

// TestStopFinishesWhatIsInFlight: the signal comes while a create runs.
func TestStopFinishesWhatIsInFlight(t *testing.T) {
	t.Parallel()
	b := on(t, apptest.Demo.New(t))
	config, banner := b.Config(), &apptest.Buffer{}
	config.Banner = banner
	ctx, signal := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- app.Run(ctx, config) }()
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	must.Until(b, "ready", func() bool { return address.MatchString(banner.String()) })
	url := address.FindString(banner.String())

	release := b.hold()
	type result struct {
		status int
		err    error
	}
	answered := make(chan result, 1)
	go func() {
		response, err := create(url, key, ada)
		if err != nil {
			answered <- result{0, err}
			return
		}
		_, err = io.Copy(io.Discard, response.Body)
		answered <- result{response.StatusCode, errors.Join(err, response.Body.Close())}
	}()
	b.waiting("transactionid")
	signal()
	must.Until(b, "taking no more", func() bool {
		response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Get(url + "/healthz")
		if err == nil {
			_ = response.Body.Close()
		}
		return err != nil
	})
	select {
	case err := <-ended:
		t.Fatalf("ended before its last answer: %v", err)
	default:
	}
	release()
	if r := <-answered; r.err != nil || r.status != http.StatusCreated {
		t.Errorf("%+v", r)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := b.DB.Pool.Ping(t.Context()); err != nil {
		t.Error(err) // the other database keeps running
	}
}

func TestStartSaysWhatIsInTheWay(t *testing.T) {
	b := setup(t)
	config := b.Config()
	config.Addr = b.URL()[len("http://"):]
	if a, err := app.Start(t.Context(), config); err == nil {
		t.Error("two apps on one address")
		_ = a.Close(t.Context())
	}
	config = b.Config()
	config.DatabaseURL = "postgres://nobody@127.0.0.1:1/nothing?connect_timeout=1"
	if a, err := app.Start(t.Context(), config); err == nil {
		t.Error("an app without a database")
		_ = a.Close(t.Context())
	}
}
