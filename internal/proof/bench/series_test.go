package bench

import (
	"testing"
	"time"

	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/proof/must"
)

// TestNumbersAreAllocatedBehindTypedOnes runs the comparison at its smallest.
func TestNumbersAreAllocatedBehindTypedOnes(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	const typed = 20
	p := pace{warm: 1, counted: 3, length: time.Minute}
	var sites []*site
	for _, count := range []int{typed, 0} {
		db, origin := setup(t, 5)
		must.OK(t, typeNumbers(t.Context(), db, count, 1))
		s, err := newSite(t.Context(), origin, db)
		must.OK(t, err)
		sites = append(sites, s)
	}
	const highest = `SELECT right(max(number), 4)::int FROM invoices WHERE number LIKE '____-____'`
	for _, k := range numberKinds() {
		if _, _, err := compare(t.Context(), k, sites[0], sites[1], 1, p); err != nil {
			t.Fatal(err)
		}
		// Only the last kind leaves behind what it allocated.
		want := typed
		if k.undo == nil && k.name == allocatedNumber {
			want += p.warm + p.counted
		}
		got, err := value[int](t.Context(), sites[0].db.admin(), highest)
		if err != nil || got != want {
			t.Errorf("after %s the highest number is %d, %v, want %d", k.name, got, err, want)
		}
	}
}
