package scale

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"onlyonce/internal/postgres/server"
	"onlyonce/internal/proof/replica"
	"onlyonce/internal/proof/torture"
)

// Cells tortures the app in two cells behind HAProxy, while tenants move between them, and the database of each is killed.
func Cells(ctx context.Context, seed uint64, out io.Writer) error {
	if err := install(ctx, out, "haproxy", "psql", "socat"); err != nil {
		return err
	}
	c := &cells{a: &cell{name: "a"}, b: &cell{name: "b"}}
	return judge(ctx, out, torture.Config{Seed: seed, Clients: 16, Cluster: c.start})
}

// cells has a database for each replica, and HAProxy in front of both replicas.
type cells struct {
	dir     string
	account server.Account
	a, b    *cell
	haproxy *replica.Replica
	group   int
}

// cell is a database, with the name of its backend in HAProxy.
type cell struct {
	database

	name string
}

// socket returns the path of the socket that the replicas connect to.
func (c *cell) socket() string { return filepath.Join(c.config.SocketDir, ".s.PGSQL.5432") }

// tenant is a tenant of the demo. Its host is an address of HAProxy, so that no name must be resolved.
type tenant struct{ name, id, host string }

var (
	acme   = tenant{"Acme", "0a3e0000-0000-4000-8000-00000000ac3e", ours + "31"}
	globex = tenant{"Globex", "610be000-0000-4000-8000-0000000610be", ours + "32"}
)

const hostPort = ":8080"

func (c *cells) start(ctx context.Context, dir string, account server.Account, group int) (*torture.Cluster, error) {
	c.dir, c.account, c.group = dir, account, group
	programs, err := server.Locate(ctx, account, 0)
	if err != nil {
		return nil, err
	}
	for _, cell := range []*cell{c.a, c.b} {
		err := cell.start(ctx, account, programs, filepath.Join(dir, cell.name), map[string]string{"wal_level": "logical"})
		if err != nil {
			return nil, errors.Join(err, c.stop(context.WithoutCancel(ctx)))
		}
	}
	return &torture.Cluster{
		Network: "unix", Addr: c.a.socket(), Admin: c.a.url, Faults: c.faults, Stop: c.stop,
		Cells: &torture.Cells{Addr: c.b.socket(), Admin: c.b.url(), Lead: c.lead},
	}, nil
}

// lead starts HAProxy with the documented configuration. It routes all tenants to the first cell.
func (c *cells) lead(ctx context.Context, replicas [2]string) (hosts [2]string, err error) {
	config, tenants := filepath.Join(c.dir, "haproxy.cfg"), acme.host+" a\n"+globex.host+" a\n"
	hosts = [2]string{acme.host + hostPort, globex.host + hostPort}
	err = configure(ctx, config, "deploy/haproxy-cells.cfg", append(c.replaced(),
		haproxyAccount, "", documented+"31:80", hosts[0]+","+hosts[1],
		documented+"41:8080", replicas[0], documented+"51:8080", replicas[1])...)
	if err != nil {
		return hosts, err
	}
	if err := os.WriteFile(filepath.Join(c.dir, "cells.map"), []byte(tenants), 0o644); err != nil { //nolint:gosec // the account reads it
		return hosts, err
	}
	c.haproxy = service(c.account, c.group, filepath.Join(c.dir, "haproxy.log"), "haproxy", "-db", "-f", config)
	return hosts, c.haproxy.Start(ctx)
}

// replaced returns the replacements that make the documented commands use this HAProxy.
func (c *cells) replaced() []string {
	return []string{"/etc/haproxy/", c.dir + "/", "/run/haproxy/", c.dir + "/"}
}

// faults moves both tenants, cancels a move and kills both databases. At the end both tenants are in their first cell.
func (c *cells) faults(ctx context.Context, hit func(step string)) error {
	return inOrder(
		func() error { return c.clear(ctx, acme, c.b, "0") }, // the demo has created both in each cell
		func() error { return c.clear(ctx, globex, c.b, "0") },
		func() error { return c.callOff(ctx, hit, globex, c.a, c.b) },
		func() error { return c.move(ctx, hit, globex, c.a, c.b) },
		func() error { return c.killAndStart(ctx, hit, c.b) },
		func() error { return c.move(ctx, hit, acme, c.a, c.b) },
		func() error { return c.move(ctx, hit, globex, c.b, c.a) },
		func() error { return c.killAndStart(ctx, hit, c.a) },
		func() error { return c.move(ctx, hit, acme, c.b, c.a) },
	)
}

// copying is the first part of a move, in the environment of the commands.
func (c *cells) copying(ctx context.Context, hit func(step string), t tenant, from, to *cell) (env []string, copies func() error) {
	env = []string{"FROM=" + from.url(), "TO=" + to.url(), "TENANT=" + t.id, "HOST=" + t.host, "CELL=" + to.name}
	return env, func() error {
		hit(fmt.Sprintf("copying %s from %s to %s", t.name, from.name, to.name))
		return run(ctx, c.account, "deploy/cell-copy.sh", env)
	}
}

// move moves a tenant by the documented commands.
func (c *cells) move(ctx context.Context, hit func(step string), t tenant, from, to *cell) error {
	env, copies := c.copying(ctx, hit, t, from, to)
	return inOrder(
		copies,
		func() error { return from.holdMails(ctx, true) },
		pause(ctx, 5*time.Second),
		func() error {
			hit(fmt.Sprintf("the switch of %s from %s to %s", t.name, from.name, to.name))
			return run(ctx, c.account, "deploy/cell-switch.sh", env, c.replaced()...)
		},
		func() error { return from.holdMails(ctx, false) },
		func() error { return run(ctx, c.account, "deploy/cell-end.sh", env) },
		func() error { return c.clear(ctx, t, from, "6") }, // longer than a client waits, and than a token is cached
	)
}

// callOff begins to move a tenant, and cancels the move by the documented commands.
func (c *cells) callOff(ctx context.Context, hit func(step string), t tenant, from, to *cell) error {
	env, copies := c.copying(ctx, hit, t, from, to)
	return inOrder(
		copies,
		func() error { return run(ctx, c.account, "deploy/cell-end.sh", env) },
		func() error { return c.clear(ctx, t, to, "0") },
	)
}

// clear deletes a tenant from a cell by the documented commands, with this number of seconds in place of their pauses.
func (c *cells) clear(ctx context.Context, t tenant, from *cell, seconds string) error {
	return run(ctx, c.account, "deploy/cell-clear.sh", []string{"FROM=" + from.url(), "TENANT=" + t.id},
		"sleep 60", "sleep "+seconds, "sleep 10", "sleep "+seconds)
}

// holdMails stops the mails of a cell, or resumes them, so that there are jobs to move.
func (c *cell) holdMails(ctx context.Context, hold bool) error {
	conn, err := server.Connect(ctx, c.url())
	if err == nil {
		defer conn.Close(context.WithoutCancel(ctx))
		_, err = conn.Exec(ctx, `UPDATE river.river_queue SET paused_at = CASE WHEN $1 THEN now() END WHERE name = 'mail'`, hold)
	}
	if err != nil {
		return fmt.Errorf("hold mails: %w", err)
	}
	return nil
}

// killAndStart kills the database of a cell, and starts it again 10 seconds later.
func (c *cells) killAndStart(ctx context.Context, hit func(step string), cell *cell) error {
	hit("the database of " + cell.name + " killed for 10 s")
	return inOrder(
		func() error { return cell.kill(ctx) },
		pause(ctx, 10*time.Second),
		func() error { return cell.run(context.WithoutCancel(ctx)) },
		pause(ctx, 10*time.Second), // the next step begins with both cells whole
	)
}

func (c *cells) stop(ctx context.Context) error {
	return errors.Join(kill(c.haproxy), c.a.stop(ctx), c.b.stop(ctx))
}
