package bench

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"
)

// peersDir is a module of its own, whose libraries the app does not need.
const peersDir = "internal/proof/bench/peers"

// peer is a program that creates invoices, with a database of its own.
type peer struct {
	name, what string // for the table
	program    string
	env        []string
	// expire is the SQL that lets the answers of all keys expire. Empty if they never do.
	expire string
	// forgets is whether it knows no key, so that there are no replays.
	forgets bool

	database database
}

// peers are those who are compared, the app first.
func (b *bench) peers() []*peer {
	as := func(name string) []string {
		return []string{"PEER=" + name, "TENANTS=" + acmeToken + "=" + acme + "," + globexToken + "=" + globex}
	}
	return []*peer{
		{name: "Onlyonce", what: "this app, with tokens, log, audit trail and likeness", program: b.server,
			env: serverSettings(), expire: `UPDATE intents SET expires_at = now() - interval '1 minute', result = NULL`},
		{name: "Fiber", what: "Fiber v3.1.0, its middleware `idempotency` and `storage/postgres` v3.3.1", program: b.path("peers"),
			env: as("fiber"), expire: `UPDATE fiber_storage SET e = 1`},
		{name: "node-idempotency", what: "`@node-idempotency/core` 1.0.11 in Express 5.3.0, `pg` 8.23.1, a storage in three statements",
			program: filepath.Join(peersDir, "node", "peer.mjs"), env: as("node"),
			expire: `UPDATE peer_keys SET expires_at = now() - interval '1 minute'`},
		{name: "by hand", what: "check, then insert, in one transaction, `net/http` and pgx v5.12.0",
			program: b.path("peers"), env: as("hand")},
		{name: "none", what: "no protection, `net/http` and pgx v5.12.0",
			program: b.path("peers"), env: as("none"), forgets: true},
	}
}

const (
	globex      = "610be000-0000-4000-8000-0000000610be"
	globexToken = "oo_demo_globex"
)

// Peers compares the app with other ways to create invoices. It needs what [Run] needs, and npm; the modules of the others
// are downloaded.
func Peers(ctx context.Context, o Options) (_ PeersReport, err error) {
	began := time.Now()
	b, err := begin(ctx, o)
	if err != nil {
		return PeersReport{}, err
	}
	defer func() { err = errors.Join(err, b.end(ctx)) }()
	if err := b.buildPeers(ctx); err != nil {
		return PeersReport{}, err
	}
	all := b.peers()
	for n, p := range all {
		s, err := b.populated(ctx, fmt.Sprintf("peer_%d", n), few)
		if err != nil {
			return PeersReport{}, err
		}
		s.stop()
		p.database = s.database
	}
	var report PeersReport
	for _, away := range []time.Duration{0, distance} {
		races, err := b.race(ctx, all, away)
		if err != nil {
			return report, err
		}
		report.Races = append(report.Races, races...)
	}
	if report.Truths, err = b.truths(ctx, all); err != nil {
		return report, err
	}
	for _, p := range all {
		report.Peers = append(report.Peers, peerName{p.name, p.what})
	}
	report.Report, err = newReport(ctx, b, began)
	return report, err
}

func (b *bench) buildPeers(ctx context.Context) error {
	for _, build := range []struct {
		dir     string
		command []string
	}{
		{peersDir, []string{"go", "build", "-o", b.path("peers"), "."}},
		{filepath.Join(peersDir, "node"), []string{"npm", "ci"}},
	} {
		b.sayf("%s: %s", build.dir, build.command)
		cmd := exec.CommandContext(ctx, build.command[0], build.command[1:]...)
		cmd.Dir = build.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s in %s: %w\n%s", build.command, build.dir, err, out)
		}
	}
	return nil
}

// start runs one process of a peer.
func (p *peer) start(ctx context.Context, b *bench, databaseURL string) (*service, error) {
	program, err := filepath.Abs(p.program)
	if err != nil {
		return nil, err
	}
	return b.start(ctx, program, b.path("peer.log"), append(p.env, "DATABASE_URL="+databaseURL)...)
}

// race is one row of rates: a kind of request over a number of connections.
type race struct {
	Name  string
	Rates map[string][]float64 // of each round, by peer
}

// runner is a peer in a race.
type runner struct {
	*peer
	*service
}

// race lets the peers take turns.
func (b *bench) race(ctx context.Context, all []*peer, away time.Duration) (races []race, err error) {
	var field []runner
	for _, p := range all {
		url := p.database.url()
		if away > 0 {
			far, err := watch(ctx, p.database, away/2)
			if err != nil {
				return nil, err
			}
			defer far.close()
			url = far.url()
		}
		s, err := p.start(ctx, b, url)
		if err != nil {
			return nil, err
		}
		defer s.stop()
		field = append(field, runner{p, s})
		if err := b.warmUpPeer(ctx, p, s); err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
	}
	for _, kind := range []struct{ name, kind string }{{"creates", typed}, {"replays", replay}} {
		for _, connections := range []int{1, 16} {
			rates, err := b.takeTurns(ctx, field, kind.kind, connections)
			if err != nil {
				return nil, err
			}
			races = append(races, race{raceName(kind.name, connections, away), rates})
			b.sayf("  %+v", races[len(races)-1])
		}
	}
	return races, nil
}

// warmUpPeer makes what is replayed, by one caller, because not everybody can do that with more; and lets every connection prepare
// its statements.
func (b *bench) warmUpPeer(ctx context.Context, p *peer, s *service) error {
	if !p.forgets {
		if _, err := b.load.run(ctx, replay, s.origin+invoicesPath, 1); err != nil {
			return err
		}
	}
	_, err := b.load.run(ctx, typed, s.origin+invoicesPath, 16)
	return err
}

func (b *bench) takeTurns(ctx context.Context, field []runner, kind string, connections int) (map[string][]float64, error) {
	rates := map[string][]float64{}
	for range b.Rounds {
		for _, r := range field {
			if r.forgets && kind == replay {
				continue
			}
			s, err := b.load.run(ctx, kind, r.origin+invoicesPath, connections)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", r.name, err)
			}
			rates[r.name] = append(rates[r.name], s.rate())
		}
	}
	return rates, nil
}

func raceName(kind string, connections int, away time.Duration) string {
	name := kind + ", " + plural(connections, "connection")
	if away > 0 {
		name += ", database a millisecond away"
	}
	return name
}
