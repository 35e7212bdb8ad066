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
	"regexp"
	"strconv"
	"time"
)

//go:embed load.lua
var loadScript []byte

// load is the load generator: wrk with a script.
type load struct {
	program, script string
	length          time.Duration // the length of a sample
}

func newLoad(dir string, length time.Duration) (load, error) {
	program, err := exec.LookPath("wrk")
	if err != nil {
		return load{}, fmt.Errorf("wrk is missing (apt install wrk, brew install wrk): %w", err)
	}
	script := filepath.Join(dir, "load.lua")
	return load{program, script, length}, os.WriteFile(script, loadScript, 0o600)
}

// The requests of the script.
const (
	typed     = "typed"
	allocated = "allocated"
	replay    = "replay"
)

// run sends one kind of request over a number of connections for the length of a sample. It returns the number of responses, and their
// rate per second. A response that is not a success is an error.
func (l load) run(ctx context.Context, kind, url string, connections int) (requests int, rate float64, err error) {
	seconds := strconv.Itoa(max(1, int(l.length.Seconds()))) + "s"
	seed := strconv.Itoa(rand.IntN(1 << 31)) //nolint:gosec // for keys that differ between runs, not for secrets
	cmd := exec.CommandContext(ctx, l.program, "-t1", "-c"+strconv.Itoa(connections), "-d"+seconds, "--timeout", "60s", "-s", l.script,
		url, "--", kind, seed)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	// If the script fails, wrk only prints a message and continues without it.
	if err == nil && complaints.Len() > 0 {
		err = errors.New("it has complained")
	}
	if err != nil {
		return 0, 0, fmt.Errorf("wrk: %w\n%s", err, complaints.String())
	}
	var sample struct {
		Requests     int     `json:"requests"`
		Microseconds float64 `json:"microseconds"` // of the whole run
		Failed       int     `json:"failed"`       // no answer, or a status above 399
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if err := json.Unmarshal(lines[len(lines)-1], &sample); err != nil {
		return 0, 0, fmt.Errorf("read wrk's report: %w\n%s", err, out)
	}
	if sample.Requests == 0 || sample.Failed > 0 {
		return 0, 0, fmt.Errorf("wrk %s: of %d requests %d failed", kind, sample.Requests, sample.Failed)
	}
	return sample.Requests, float64(sample.Requests) / sample.Microseconds * 1e6, nil
}

// rate is a measurement for one round, usually per second.
type rate func(ctx context.Context) (float64, error)

// over returns the measurement of a kind of request to a URL.
func (l load) over(kind, url string, connections int) rate {
	return func(ctx context.Context) (float64, error) {
		_, perSecond, err := l.run(ctx, kind, url, connections)
		return perSecond, err
	}
}

// inTurns measures each rate in each round. It returns the rounds of each rate.
func (b *bench) inTurns(ctx context.Context, rates ...rate) ([][]float64, error) {
	rounds := make([][]float64, len(rates))
	for range b.Rounds {
		for i, measure := range rates {
			r, err := measure(ctx)
			if err != nil {
				return nil, err
			}
			rounds[i] = append(rounds[i], r)
		}
	}
	return rounds, nil
}

//go:embed floor.sql
var floorScript string

var ratePattern = regexp.MustCompile(`(?m)^tps = ([\d.]+) `)

// floor measures PostgreSQL itself: pgbench with the rows of a create in one prepared statement, under the app's role.
func (b *bench) floor(db database, clients int) rate {
	return func(ctx context.Context) (float64, error) {
		path := b.path("floor.sql")
		if err := os.WriteFile(path, []byte(floorScript), 0o600); err != nil {
			return 0, err
		}
		cmd := exec.CommandContext(ctx, b.pgbench, "--no-vacuum", "--protocol=prepared",
			"--host="+db.socketDir, "--username="+db.role, "--define=tenant="+acme,
			"--client="+strconv.Itoa(clients), "--jobs=1",
			"--time="+strconv.Itoa(max(1, int(b.Length.Seconds()))), "--file="+path, db.name)
		// The tenant for row-level security is a setting of the session, so the script consists of the rows only.
		cmd.Env = append(os.Environ(), "PGOPTIONS=-c onlyonce.tenant_id="+acme)
		out, err := cmd.CombinedOutput()
		if err != nil {
			return 0, fmt.Errorf("pgbench: %w\n%s", err, out)
		}
		match := ratePattern.FindSubmatch(out)
		if match == nil {
			return 0, fmt.Errorf("pgbench has printed no rate:\n%s", out)
		}
		return strconv.ParseFloat(string(match[1]), 64)
	}
}
