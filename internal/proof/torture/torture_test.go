package torture_test

import (
	"testing"
	"time"

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
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Print(t.Output()); err != nil {
		t.Fatal(err)
	}
	if len(report.Violations) > 0 {
		t.Error("promises were broken, see above")
	}
	if len(report.Undecided) > 0 {
		t.Error("not all was found out, see above")
	}
	if report.FaultCount() < 20 {
		t.Errorf("%d faults prove nothing", report.FaultCount())
	}
	if len(report.Kinds) < 11 {
		t.Errorf("only these kinds of intents were tried: %v", report.Kinds)
	}
	if len(report.Programs) < 6 {
		t.Errorf("programs were answered in these operations only: %v", report.Programs)
	}
}
