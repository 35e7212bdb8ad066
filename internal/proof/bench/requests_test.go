package bench

import (
	"slices"
	"testing"
	"time"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/proof/proxy"
)

// TestEveryKindOfRequestIsAnswered runs the comparison with few rows and rounds.
func TestEveryKindOfRequestIsAnswered(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	p := pace{warm: 1, counted: 1}
	large, _ := setup(t, 60, 2)
	small, _ := setup(t, 30, 2)
	for _, k := range kinds() {
		here, there, err := compare(t.Context(), k, large, small, 2, p)
		if err != nil {
			t.Errorf("%s: %v", k.name, err)
		} else if len(here) != 2 || len(there) != 2 || slices.Min(here) <= 0 || slices.Min(there) <= 0 {
			t.Errorf("%s: %v and %v, want two rounds of each", k.name, here, there)
		}
	}
}

// TestRoundTrips counts the round trips of a request to the database, after the server has prepared its statements. With a distant
// database a request takes that many times the distance.
func TestRoundTrips(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	s, way := setup(t, 100, 1)
	want := map[string]int{
		"API: create with a typed number": 1, "API: edit a draft": 1, "API: issue an invoice": 1,
		"API: pay": 2, // the currency of the invoice, and the payment
		// The first two of each page find the user.
		"invoice list": 4, "invoice page": 7, "page of an invoice with many payments": 10, "customer page": 8, "invoice form": 10,
	}
	for _, k := range kinds() {
		if most, counted := want[k.name]; counted {
			got := least(t, s, k, way, most)
			assert.Thatf(t, got == most, "%s: %d round trips, want %d", k.name, got, most)
			delete(want, k.name)
		}
	}
	assert.Thatf(t, len(want) == 0, "there are no requests of the kinds %v", want)
}

// least returns the smallest number of round trips of several requests of a kind. Some have more, because their connection prepares
// statements or a background job runs.
func least(t *testing.T, s *site, k kind, way *proxy.Proxy, enough int) int {
	t.Helper()
	fewest, patience := -1, time.Now().Add(2*time.Minute)
	for n := 0; n < 5 || fewest > enough && time.Now().Before(patience); n++ {
		request, err := k.make(t.Context(), s, n)
		must.OK(t, err)
		before := way.Exchanges()
		_, err = s.ask(request, k.want)
		must.OK(t, err)
		if trips := way.Exchanges() - before; fewest < 0 || trips < fewest {
			fewest = trips
		}
	}
	return fewest
}
