package torture

import (
	"context"
	"fmt"
	"io"
	"time"
)

// SelfTest removes one layer at a time and writes what broke without it. It returns an error if a run
// found nothing: then the checks are blind. What is undecided is not found.
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

// brief is a run that takes seconds.
func brief(seed uint64, without Layer) Config {
	every := 300 * time.Millisecond
	if without.fault != "" {
		every = 30 * time.Millisecond // it has to happen between an answer and its repeat
	}
	return Config{Seed: seed, Duration: 5 * time.Second, Intents: 300, Clients: 16, FaultEvery: every, Without: without}
}
