package torture_test

import (
	"testing"
	"time"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/proof/torture"
)

// A short run. Its seed is fixed, so that intents and faults are the same each time, but not their interleaving.
func TestNothingIsCreatedTwiceOrLost(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	report, err := torture.Run(t.Context(), torture.Config{
		Seed: 1, Duration: 8 * time.Second, Intents: 200, Clients: 16, FaultEvery: 250 * time.Millisecond,
	})
	must.OK(t, err)
	if err := report.Print(t.Output()); err != nil {
		t.Fatal(err)
	}
	assert.Thatf(t, len(report.Violations) == 0, "promises were broken, see above")
	assert.Thatf(t, len(report.Undecided) == 0, "not all was found out, see above")
	assert.Thatf(t, report.FaultCount() >= 20, "%d faults prove nothing", report.FaultCount())
	assert.Thatf(t, len(report.Kinds) >= 11, "only these kinds of intents were tried: %v", report.Kinds)
	assert.Thatf(t, len(report.Programs) >= 6, "programs were answered in these operations only: %v", report.Programs)
}
