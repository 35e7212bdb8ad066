// Package torture proves by fault injection that nothing is created twice and nothing acknowledged is lost. It runs two replicas of
// the real server on a real PostgreSQL. Many impatient clients create, change, issue, void, pay, credit and send invoices, refund
// payments, create and change customers, rename the business, and deliver events to a webhook. An email moves from one user to the
// next. Programs bill schedules, merge and erase customers, sync records, import files and repeat payments. Meanwhile faults are injected
// into processes, connections and databases. Afterwards the answers to the clients are compared with the database.
//
// The seed determines the intents and the schedule of the faults. It does not determine how they interleave, which depends on the
// machine. So a violation is kept with its data, not replayed.
package torture

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
)

// Config configures a run.
type Config struct {
	Seed       uint64
	Duration   time.Duration // minimum
	Intents    int           // minimum, even if it takes longer
	Clients    int
	FaultEvery time.Duration // mean interval
	Without    Layer         // removed; the zero Layer removes nothing
	Pooler     Pooler        // before the database; the zero Pooler is none
	Archive    *Archive      // in front of the database; the zero Pooler is none
	Cluster    StartCluster  // replaces the one server, its faults, Duration and Intents; may be nil
}

// Run tortures the app once. It returns an error if the run or its check failed; violations are in the report. The run's directory
// is kept after an error, and after a violation or an undecided check unless a layer was removed.
func Run(ctx context.Context, cfg Config) (*Report, error) {
	var env []string
	if cfg.Without.Name != "" && cfg.Without.replaced == nil { // otherwise copies of settled intents would replace the removed layer
		env = []string{"IDEMPOTENCY_MEMORY=0", "REDIS_URL="}
	}
	w, err := newWorld(ctx, cfg, env...)
	if err != nil {
		return nil, err
	}
	report, err := w.torture(ctx, cfg)
	err = errors.Join(err, w.stop(context.WithoutCancel(ctx)))
	if err != nil {
		return nil, fmt.Errorf("seed %d, data kept in %s: %w", cfg.Seed, w.dir, err)
	}
	if len(report.Violations)+len(report.Undecided) == 0 || cfg.Without.Name != "" {
		return report, os.RemoveAll(w.dir)
	}
	report.Dir = w.dir
	return report, nil
}

func (w *world) torture(ctx context.Context, cfg Config) (*Report, error) {
	demo, sent, err := w.prepare(ctx, cfg.Without.sql)
	if err != nil {
		return nil, err
	}
	if cfg.Archive != nil {
		if err := cfg.Archive.Backup(ctx); err != nil {
			return nil, err
		}
	}
	seen := &history{start: time.Now()}
	people := &clients{
		seed: cfg.Seed, addrs: w.addrs, history: seen, fresh: cfg.Without.fresh, apart: w.cells() != nil,
		http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4 * cfg.Clients}},
	}
	for tenant, business := range demo.businesses {
		people.businesses.met(tenant, business)
	}
	email := &moving{seed: cfg.Seed, addrs: people.addrs}
	feeds := &following{addrs: w.addrs, http: &http.Client{Transport: &http.Transport{}}}
	others := newPrograms(cfg.Seed, w)
	faults := &chaos{
		world: w, seed: cfg.Seed, every: cfg.FaultEvery, only: cfg.Without.fault, now: seen.now, counts: map[string]int{},
	}

	during, enough := context.WithCancel(ctx)
	defer enough()
	all, during := errgroup.WithContext(during)
	var middle target
	if w.cluster == nil {
		all.Go(func() error { return faults.run(during) })
		all.Go(func() error {
			if cfg.Archive != nil {
				middle = halfway(during, cfg, people, others)
			}
			return nil
		})
		all.Go(func() error {
			Pause(during, cfg.Duration)
			for (people.intents() < cfg.Intents || !email.enough()) && during.Err() == nil {
				Pause(during, 50*time.Millisecond)
			}
			enough()
			return nil
		})
	} else {
		all.Go(func() error {
			defer enough()
			return w.cluster.Faults(during, faults.hit)
		})
	}
	all.Go(func() error {
		people.run(during, cfg.Clients)
		return nil
	})
	all.Go(func() error {
		email.run(during)
		return nil
	})
	all.Go(func() error {
		feeds.run(during)
		return nil
	})
	all.Go(func() error {
		others.run(during)
		return nil
	})
	<-during.Done()
	took := seen.now()
	if err := all.Wait(); err != nil {
		return nil, fmt.Errorf("torture: %w", err)
	}
	again := 0
	if cfg.Archive != nil {
		if again, err = w.goBack(ctx, cfg.Archive, middle, people, others, cfg.Clients); err != nil {
			return nil, fmt.Errorf("bring the server back: %w", err)
		}
		took = middle.before // the history ends there
	}
	found, stored, err := w.examine(ctx, people, others, feeds, sent, demo)
	if err != nil {
		return nil, err
	}
	found = append(found, email.all()...)
	report := newReport(cfg, people.intents(), seen, took, faults, w, found)
	for _, moves := range email.moves {
		report.Moves += moves
	}
	report.Again = again
	report.count(stored, others)
	if len(found) > 0 {
		return report, seen.write(filepath.Join(w.dir, "history.jsonl"))
	}
	return report, nil
}

// prepare removes a layer, if there is one to remove, starts the event feed of each tenant, and returns the records from before the clients
// start, and the endpoints of the tenants, or nil with a cluster.
func (w *world) prepare(ctx context.Context, removal []string) (demo before, sent *endpoints, err error) {
	conn, err := w.admin(ctx)
	if err != nil {
		return before{}, nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, sql := range removal {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return before{}, nil, fmt.Errorf("remove a layer: %s: %w", sql, err)
		}
	}
	_, err = conn.Exec(ctx, `INSERT INTO event_feeds (tenant_id, id, name) SELECT id, new_id(), 'torture' FROM tenants`)
	if err != nil {
		return before{}, nil, fmt.Errorf("start the event feeds: %w", err)
	}
	if w.cluster == nil {
		if sent, err = openEndpoints(ctx, conn); err != nil {
			return before{}, nil, err
		}
	}
	demo, err = loadBefore(ctx, conn)
	return demo, sent, err
}

// examine waits for the world to come to rest and checks it.
func (w *world) examine(
	ctx context.Context, people *clients, others *programs, feeds *following, sent *endpoints, demo before,
) (found []Violation, stored rows, err error) {
	if err := w.heal(ctx); err != nil {
		return nil, rows{}, err
	}
	feeds.finish(ctx)
	conn, err := w.admin(ctx)
	if err != nil {
		return nil, rows{}, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if sent != nil {
		if err := sent.finish(ctx, conn); err != nil {
			return nil, rows{}, err
		}
	}
	if err := others.finishImports(ctx, conn); err != nil {
		return nil, rows{}, err
	}
	stuck, err := stillBroken(ctx, conn, whileServing())
	if err != nil {
		return nil, rows{}, err
	}
	if err := w.drain(ctx); err != nil {
		return nil, rows{}, err
	}
	left, err := stillBroken(ctx, conn, []rule{{"no session outlives its replica", `
		SELECT format('backend %s is %s since %s: %s', pid, state, state_change, query)
		FROM pg_stat_activity WHERE usename = 'onlyonce'`}})
	if err != nil {
		return nil, rows{}, err
	}
	// A crash loses statistics, and without them the queries below take minutes.
	if _, err := conn.Exec(ctx, `ANALYZE`); err != nil {
		return nil, rows{}, err
	}
	wrong, err := broken(ctx, conn, rulesIn(rulesText), nil)
	if err != nil {
		return nil, rows{}, err
	}
	untrue, err := others.judge(ctx, conn)
	if err != nil {
		return nil, rows{}, err
	}
	misread, err := feeds.judge(ctx, conn)
	if err != nil {
		return nil, rows{}, err
	}
	if sent != nil {
		missed, err := sent.judge(ctx, conn)
		if err != nil {
			return nil, rows{}, err
		}
		misread = append(misread, missed...)
	}
	stored, err = loadRows(ctx, conn, demo)
	if err != nil {
		return nil, rows{}, err
	}
	return slices.Concat(w.deaths.all(), stuck, left, wrong, untrue, misread, judge(people, stored)), stored, nil
}
