package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"onlyonce/internal/proof/replica"
)

// Options size a run. The zero value is not useful: start from [Full] or [Quick].
type Options struct {
	Rounds int           // turns of each figure and its baseline
	Length time.Duration // of one sample, in whole seconds

	Rows    int // in every table of the large database, all of one tenant
	Records int // intents there, in the end
	Expired int // results that expire while invoices are created
	Typed   int // numbers of the year that people have typed
	Volume  int // invoices of many tenants, at least

	Only  string         // a part's name; empty runs all parts
	Kinds *regexp.Regexp // matches the names of the kinds of requests that are compared; nil for all
	Log   io.Writer      // gets a line for each step
}

// Full is what the targets are about: a little over an hour, and 30 GB of disk.
func Full() Options {
	return Options{
		Rounds: 5, Length: 3 * time.Second, Rows: 1_000_000, Records: 5_000_000, Expired: 1_000_000, Typed: 100_000, Volume: 200_000,
	}
}

// Quick is for working on the benchmark itself, or for a first look: some ten minutes, and noisier.
func Quick() Options {
	return Options{Rounds: 2, Length: 2 * time.Second, Rows: 30_000, Records: 50_000, Expired: 300_000, Typed: 5_000, Volume: 5_000}
}

// bench is a run.
type bench struct {
	Options

	dir           string         // of everything that the run makes
	server, usual string         // programs
	leash         *replica.Leash // of what start starts
	cluster       *cluster
	load          load
	floor         floor
	figures       []Figure
	points        []Point
}

// part measures one or more figures.
type part struct {
	name string
	run  func(context.Context) error
}

func (b *bench) parts() []part {
	return []part{
		{"create", b.creates},
		{"samekey", b.sameKey},
		{"distance", b.distances},
		{"growth", b.growth},
		{"redis", b.fromRedis},
		{"volume", b.volume},
		{"size", b.sizes},
		{"series", b.series},
		{"expiry", b.expiry},
		{"start", b.starts},
		{"pages", b.pages},
		{"memory", b.memory},
	}
}

// Run measures everything. It needs the go command, wrk, pgbench, PostgreSQL and Chromium, and says how
// to get what is missing.
func Run(ctx context.Context, o Options) (_ Report, err error) {
	began := time.Now()
	b, err := begin(ctx, o)
	if err != nil {
		return Report{}, err
	}
	defer func() { err = errors.Join(err, b.end(ctx)) }()
	for _, p := range b.parts() {
		if o.Only != "" && o.Only != p.name {
			continue
		}
		b.sayf("%s", p.name)
		if err := p.run(ctx); err != nil {
			return Report{}, fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return newReport(ctx, b, began)
}

// begin builds the programs and starts PostgreSQL.
func begin(ctx context.Context, o Options) (_ *bench, err error) {
	b := &bench{Options: o}
	// Not the system's temporary directory, which may be in memory: the disk is part of the matter. Its
	// path is short, because it holds no socket, and open to pass through for PostgreSQL's own user.
	if b.dir, err = os.MkdirTemp("/var/tmp", "onlyonce-bench-"); err != nil {
		return nil, err
	}
	err = os.Chmod(b.dir, 0o711) //nolint:gosec // see above
	if err == nil {
		err = b.prepare(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(b.dir))
	}
	return b, nil
}

// end leaves nothing behind.
func (b *bench) end(ctx context.Context) error {
	b.leash.Release()
	return errors.Join(b.cluster.Stop(context.WithoutCancel(ctx)), os.RemoveAll(b.dir))
}

func (b *bench) prepare(ctx context.Context) (err error) {
	b.sayf("building")
	if b.server, err = replica.Build(ctx, b.dir, "onlyonce/cmd/server"); err != nil {
		return err
	}
	if b.usual, err = replica.Build(ctx, b.dir, "onlyonce/internal/proof/bench/cmd/usual"); err != nil {
		return err
	}
	if b.cluster, err = startCluster(ctx, b.dir); err != nil {
		return err
	}
	if b.load, err = newLoad(b.dir, b.Length); err == nil {
		b.floor, err = newFloor(b.cluster.programs, b.dir, b.Length)
	}
	if err == nil {
		b.leash, err = replica.NewLeash(ctx)
	}
	if err != nil {
		return errors.Join(err, b.cluster.Stop(context.WithoutCancel(ctx)))
	}
	return nil
}

func (b *bench) add(figures ...Figure) {
	for _, f := range figures {
		b.sayf("  %s: %s", f.Name, f.summary())
	}
	b.figures = append(b.figures, figures...)
}

func (b *bench) sayf(format string, args ...any) {
	fmt.Fprintf(b.Log, format+"\n", args...)
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

// acme is the demo tenant that all load is about, and its API token and login.
const (
	acme         = "0a3e0000-0000-4000-8000-00000000ac3e"
	acmeToken    = "oo_demo_acme"
	acmeEmail    = "acme@onlyonce.test"
	demoPassword = "only-once-demo"
)
