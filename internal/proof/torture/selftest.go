package torture

import (
	"context"
	"fmt"
	"io"
	"time"
)

// SelfTest removes one layer at a time and writes the broken rules. It returns an error if a run found no violation, since then the
// checks are blind. An undecided check is no violation.
func SelfTest(ctx context.Context, seed uint64, out io.Writer) error {
	for _, layer := range Layers() {
		report, err := Run(ctx, brief(seed, layer))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "\nwithout %s\n  removed  %s\n  run      %d intents, %d faults\n  broken   %s\n",
			layer.Name, layer.Removed, report.Intents, report.FaultCount(), report.Broken())
		if err != nil {
			return fmt.Errorf("print the self-test: %w", err)
		}
		if len(report.Violations) == 0 {
			return fmt.Errorf("seed %d: nothing broke without %s", seed, layer.Name)
		}
	}
	return nil
}

// brief returns the configuration of a run of a few seconds.
func brief(seed uint64, without Layer) Config {
	every := 300 * time.Millisecond
	if without.fault != "" {
		every = 30 * time.Millisecond // the fault must happen between an answer and its repeat
	}
	return Config{Seed: seed, Duration: 5 * time.Second, Intents: 300, Clients: 16, FaultEvery: every, Without: without}
}
