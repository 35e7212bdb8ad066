// Package bench measures the cost of Onlyonce, as ratios to a baseline of the same run.
//
// A run ([Run], or `make bench`) builds the server, starts a durable PostgreSQL, loads both with wrk and pgbench, and prints a table.
// The rules of measuring:
//
//   - Figure and baseline take turns, several rounds of each, and the ratio is taken round by round, so that a machine whose
//     speed drifts slows both down.
//   - The median counts; the minimum and the maximum are next to it.
//   - The load generator runs on the same processors as a separate process.
//   - The creates that the load generator counts are compared with those in the database.
//   - A request that must not cost more in a large tenant is sent to a large and a small one in alternation, by one client.
package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"onlyonce/internal/proof/replica"
)

// Options size a run.
type Options struct {
	Rounds int           // turns of each figure and its baseline
	Length time.Duration // the length of a sample, in whole seconds
	Rows   int           // in every table of the large database, all for the same tenant
	Only   string        // the name of a part; empty runs all parts
	Log    io.Writer     // gets a line for each step
}

// few is the number of rows in each table of a small database. If a table is empty, PostgreSQL plans to read it whole, and does so until
// the table is analysed again.
const few = 1000

type bench struct {
	Options

	dir           string         // holds all files of the run
	server, usual string         // programs
	leash         *replica.Leash // of the programs that start has started
	cluster       *cluster
	load          load
	pgbench       string // path
	figures       []Figure
}

// part measures one or more figures.
type part struct {
	name string
	run  func(*bench, context.Context) error
}

func parts() []part {
	return []part{
		{"create", (*bench).creates},
		{"replay", (*bench).replays},
		{"instructions", (*bench).instructions},
		{"distance", (*bench).distances},
		{"flatness", (*bench).flatness},
		{"pages", (*bench).pages},
		{"start", (*bench).starts},
	}
}

// Parts returns the names of the parts.
func Parts() string {
	var names []string
	for _, p := range parts() {
		names = append(names, p.name)
	}
	return strings.Join(names, ", ")
}

// Run measures everything. It needs the go command, wrk, pgbench, PostgreSQL and Chromium. The error names a program that is
// missing.
func Run(ctx context.Context, o Options) (_ Report, err error) {
	began := time.Now()
	chosen := parts()
	if o.Only != "" {
		chosen = slices.DeleteFunc(chosen, func(p part) bool { return p.name != o.Only })
	}
	if len(chosen) == 0 {
		return Report{}, fmt.Errorf("there is no part %q, but there are %s", o.Only, Parts())
	}
	b := &bench{Options: o}
	// Not the system's temporary directory, which may be in memory: the disk has to be measured too. The path is short, since it holds
	// a socket, and PostgreSQL's own user may pass through.
	if b.dir, err = os.MkdirTemp("/var/tmp", "onlyonce-bench-"); err != nil {
		return Report{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	if err := os.Chmod(b.dir, 0o711); err != nil { //nolint:gosec // see above
		return Report{}, err
	}
	if b.leash, err = replica.NewLeash(ctx); err != nil {
		return Report{}, err
	}
	defer b.leash.Release()
	if err := b.prepare(ctx); err != nil {
		return Report{}, err
	}
	defer func() { err = errors.Join(err, b.cluster.Stop(context.WithoutCancel(ctx))) }()
	for _, p := range chosen {
		b.logf("%s", p.name)
		if err := p.run(b, ctx); err != nil {
			return Report{}, fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return b.report(ctx, began)
}

// prepare builds the programs and starts PostgreSQL.
func (b *bench) prepare(ctx context.Context) (err error) {
	b.logf("building")
	if b.server, err = replica.Build(ctx, b.dir, "onlyonce/cmd/server"); err != nil {
		return err
	}
	if b.usual, err = replica.Build(ctx, b.dir, "onlyonce/internal/proof/bench/usual"); err != nil {
		return err
	}
	if b.load, err = newLoad(b.dir, b.Length); err != nil {
		return err
	}
	b.cluster, b.pgbench, err = startCluster(ctx, b.dir)
	return err
}

func (b *bench) add(figures ...Figure) {
	for _, f := range figures {
		b.logf("  %s", f.row(nil))
	}
	b.figures = append(b.figures, figures...)
}

func (b *bench) logf(format string, args ...any) {
	fmt.Fprintf(b.Log, format+"\n", args...)
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

// acme is the demo tenant that all requests are for, with its API token and login.
const (
	acme         = "0a3e0000-0000-4000-8000-00000000ac3e"
	acmeToken    = "oo_demo_acme"
	acmeEmail    = "acme@onlyonce.test"
	demoPassword = "only-once-demo"
)
