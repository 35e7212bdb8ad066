package bench

import (
	"testing"
	"time"

	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/proof/must"
)

// TestRoundTrips counts how often a request waits for the database, once the server knows its statements: a distant
// database costs that many times its distance.
func TestRoundTrips(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	db := demo(t)
	through, err := watch(t.Context(), db, 0)
	must.OK(t, err)
	t.Cleanup(through.close)
	origin, stop, err := startApp(t.Context(), through.url())
	must.OK(t, err)
	defer stop()
	must.OK(t, fill(t.Context(), db, 100))
	s, err := newSite(t.Context(), origin, db)
	must.OK(t, err)
	must.OK(t, s.learn(t.Context(), 1))
	want := map[string]int64{
		"API: create with a typed number": 1, "API: edit a draft": 1, "API: issue an invoice": 1, "API: void an invoice": 1,
		"API: pay": 2, // which currency the invoice has, and the payment
		// The first two of each page are for who asks for it.
		"invoice list": 4, "invoice page": 6, "page of an invoice with many payments": 9, "customer page": 7, invoiceForm: 9,
	}
	for _, k := range kinds() {
		if most, counted := want[k.name]; counted {
			if got := least(t, s, k, through, most); got != most {
				t.Errorf("%s: %d round trips, want %d", k.name, got, most)
			}
		}
	}
}

// least is the least number of round trips of some requests of a kind, and enough once that is few enough: other
// connections of the pool, which prepare their statements, and background jobs may add some.
func least(t *testing.T, s *site, k kind, through *wire, enough int64) int64 {
	t.Helper()
	fewest, patience := int64(-1), time.Now().Add(2*time.Minute)
	for n := 0; n < 5 || fewest > enough && time.Now().Before(patience); n++ {
		took, err := through.during(t.Context(), s, k.make, n)
		must.OK(t, err)
		if fewest < 0 || took.trips < fewest {
			fewest = took.trips
		}
	}
	return fewest
}
