package app_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"onlyonce/internal/app"
	"onlyonce/internal/app/apptest"
	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

// TestWhoAnswersHasStarted checks that a replica answers nothing if one of its parts, such as its jobs, can't start, although it listens
// from the beginning.
func TestWhoAnswersHasStarted(t *testing.T) {
	t.Parallel()
	for what, prevent := range map[string]func(*app.Config){
		"jobs":    func(c *app.Config) { c.MailSender = "no address" },
		"metrics": func(c *app.Config) { c.MetricsAddr = "127.0.0.1:99999" },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			b := on(t, pgtest.New(t))
			config := b.Config()
			config.Demo, config.Addr = false, apptest.FreeAddress(t)
			prevent(&config)
			ended, answered := make(chan struct{}), make(chan bool)
			go func() { answered <- anyAnswer("http://"+config.Addr+"/healthz", ended) }()
			err := apptest.TryStart(t.Context(), config)
			close(ended)
			assert.Thatf(t, err != nil, "it started")
			assert.Thatf(t, !<-answered, "it answered, and then did not start: %v", err)
		})
	}
}

// anyAnswer sends requests until over is closed, and reports whether there was an answer.
func anyAnswer(url string, over <-chan struct{}) bool {
	client := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	for {
		response, err := client.Get(url)
		if err == nil {
			_ = response.Body.Close()
			return true
		}
		select {
		case <-over:
			return false
		default:
		}
	}
}

// TestFillingEnds checks that a start ends with an error if its demo data waits for a locked table, as for a PostgreSQL that hangs.
func TestFillingEnds(t *testing.T) {
	t.Parallel()
	b := on(t, pgtest.New(t))
	locked, err := b.DB.Pool.Begin(t.Context())
	must.OK(t, err)
	defer locked.Rollback(context.WithoutCancel(t.Context()))
	must.Exec(t, locked, "LOCK TABLE tenants IN SHARE MODE")
	if _, err := app.StartFilling(t.Context(), b.Config(), time.Second); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it ended with %v", err)
	}
}

// TestStartTellsDifferences checks that a start logs no difference after an earlier app, and one that was made since.
func TestStartTellsDifferences(t *testing.T) {
	t.Parallel()
	b := on(t, apptest.Demo.New(t))
	b.DB.Spoil(t)
	const message = "the database is not as the migrations made it"
	for _, sql := range []string{"", "", "DROP POLICY tenant_isolation ON customers"} {
		must.Exec(t, b.DB.Pool, sql)
		b.App = b.Start()
		status, _ := b.Get(b.URL() + "/readyz")
		assert.Thatf(t, status == http.StatusOK, "%q: ready: %d", sql, status)
		told := b.Lines(message)
		if sql == "" && len(told) == 0 {
			continue
		}
		assert.Thatf(t, len(told) == 1 && told[0]["level"] == "WARN" &&
			strings.Contains(told[0]["difference"].(string), "policy tenant_isolation of customers"), "%q: %v", sql, told)
	}
}

// TestStartAfterAChangeOfOrder: the log has the remedy.
func TestStartAfterAChangeOfOrder(t *testing.T) {
	t.Parallel()
	b := on(t, pgtest.New(t))
	b.DB.ChangeOrder(t)
	b.App = b.Start()
	told := b.Lines("indexes may not find what they have")
	assert.Thatf(t, len(told) == 1 &&
		strings.Contains(told[0]["error"].(string), "REFRESH COLLATION VERSION"), "%v", told)
}

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
	r := <-answered
	assert.Thatf(t, r.err == nil && r.status == http.StatusCreated, "%+v", r)
	must.OK(t, <-ended)
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
