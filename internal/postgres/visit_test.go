package postgres_test

import (
	"errors"
	"testing"

	"golang.org/x/sync/errgroup"

	"onlyonce/internal/must"
	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/pgtest"
)

// TestVisit checks that a command uses the server of the app, or starts one, which ends with the visit.
func TestVisit(t *testing.T) {
	t.Parallel()
	dir := pgtest.Embedded(t)
	visit := func() *postgres.Visit {
		t.Helper()
		v, err := postgres.VisitEmbedded(t.Context(), dir, logger(t))
		must.OK(t, err)
		return v
	}
	alone := visit()
	put(t, alone.URL)
	_, err := postgres.StartEmbedded(t.Context(), dir, logger(t))
	var inUse *postgres.InUseError
	if !alone.Started || !errors.As(err, &inUse) {
		t.Errorf("started %v, and then an app: %v", alone.Started, err)
	}
	must.OK(t, alone.End(t.Context()))

	app := start(t, dir)
	beside := visit()
	if beside.Started || beside.URL != app.URL() {
		t.Errorf("%+v beside %s", beside, app.URL())
	}
	must.OK(t, beside.End(t.Context()))
	checkKept(t, app.URL()) // the app's server still runs
}

// TestVisitsTakeTurns checks that concurrent visits each start a server, and that none stops another's.
func TestVisitsTakeTurns(t *testing.T) {
	t.Parallel()
	dir := pgtest.Home(t)
	var visits errgroup.Group
	for range 3 {
		visits.Go(func() error {
			v, err := postgres.VisitEmbedded(t.Context(), dir, logger(t))
			if err != nil {
				return err
			}
			query(t, v.URL, "SELECT pg_sleep(0.2)::text")
			return v.End(t.Context())
		})
	}
	if err := visits.Wait(); err != nil {
		t.Error(err)
	}
}
