package bench

import (
	"bytes"
	"context"
	_ "embed" // for the script
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

//go:embed load.lua
var loadScript []byte

// load is a load generator: wrk, with our script.
type load struct {
	program, script string
	length          time.Duration // of one sample
	lines           int           // of each invoice
	tenants         int           // with more than one, the tokens are oo_growth_1 and so on
}

// sample is what one run of wrk measured.
type sample struct {
	Requests     int   `json:"requests"`
	Microseconds int64 `json:"microseconds"` // of the whole run
	P50          int64 `json:"p50"`          // microseconds
	P99          int64 `json:"p99"`          // microseconds
	Refused      int   `json:"refused"`      // answers with a status above 399
	Broken       int   `json:"broken"`       // no answer at all
}

func (s sample) rate() float64 { return float64(s.Requests) / float64(s.Microseconds) * 1e6 }
func (s sample) p50() float64  { return float64(s.P50) / 1e3 } // milliseconds
func (s sample) p99() float64  { return float64(s.P99) / 1e3 } // milliseconds

func newLoad(dir string, length time.Duration) (load, error) {
	program, err := exec.LookPath("wrk")
	if err != nil {
		return load{}, fmt.Errorf("wrk is missing (apt install wrk, brew install wrk): %w", err)
	}
	script := filepath.Join(dir, "load.lua")
	return load{program, script, length, 3, 1}, os.WriteFile(script, loadScript, 0o600)
}

// What the script can send.
const (
	typed     = "typed"
	allocated = "allocated"
	replay    = "replay"
)

// run sends one kind of request over a number of connections for one sample's length. An
// answer that is no success is an error: its speed means nothing.
func (l load) run(ctx context.Context, kind, url string, connections int) (sample, error) {
	seconds := strconv.Itoa(max(1, int(l.length.Seconds()))) + "s"
	args := []string{"-t1", "-c" + strconv.Itoa(connections), "-d" + seconds, "--timeout", "60s", "-s", l.script}
	seed := rand.IntN(1 << 31) //nolint:gosec // for keys that differ between runs, not for secrets
	args = append(args, url, "--", kind, strconv.Itoa(seed), strconv.Itoa(l.lines), strconv.Itoa(l.tenants))
	cmd := exec.CommandContext(ctx, l.program, args...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	// wrk goes on without a script that does not run, and only says so.
	if err != nil || complaints.Len() > 0 {
		return sample{}, fmt.Errorf("wrk: %w\n%s", errors.Join(err, errors.New("see what it says")), complaints.String())
	}
	var measured sample
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if err := json.Unmarshal(lines[len(lines)-1], &measured); err != nil {
		return sample{}, fmt.Errorf("read wrk's report: %w\n%s", err, out)
	}
	if measured.Requests == 0 || measured.Refused > 0 || measured.Broken > 0 {
		return sample{}, fmt.Errorf("wrk %s: of %d requests %d were refused and %d got no answer",
			kind, measured.Requests, measured.Refused, measured.Broken)
	}
	return measured, nil
}

// side is what has its turns beside others: a kind of request to an origin.
type side struct{ kind, origin string }

// inTurns runs each of some sides in each round, and returns the samples of each.
func (b *bench) inTurns(ctx context.Context, connections, rounds int, sides ...side) ([][]sample, error) {
	samples := make([][]sample, len(sides))
	for range rounds {
		for i, of := range sides {
			s, err := b.load.run(ctx, of.kind, of.origin+invoicesPath, connections)
			if err != nil {
				return nil, err
			}
			samples[i] = append(samples[i], s)
		}
	}
	return samples, nil
}

// each is one measure of all samples.
func each(samples []sample, of func(sample) float64) (values []float64) {
	for _, s := range samples {
		values = append(values, of(s))
	}
	return values
}
