package scale

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"syscall"
	"time"

	"onlyonce/internal/postgres/server"
	"onlyonce/internal/proof/torture"
)

// Failover tortures the app on three PostgreSQL servers behind HAProxy. Patroni selects the primary, through etcd. Each kind of fault
// is applied twice, and the next one follows when the cluster is whole again. If strict is set, the primary accepts no writes while
// there is no synchronous standby.
func Failover(ctx context.Context, seed uint64, strict bool, out io.Writer) error {
	if err := install(ctx, out, "patroni", "etcd", "haproxy"); err != nil {
		return err
	}
	return judge(ctx, out, torture.Config{Seed: seed, Clients: 8, Cluster: startCluster(strict)})
}

// faults applies each kind of fault twice.
func (c *cluster) faults(ctx context.Context, hit func(fault string)) error {
	all := []struct {
		name   string
		strike func(ctx context.Context, primary, standby *node) error
	}{
		{"planned switchover", c.switchOver},
		{"primary killed", c.killPrimary},
		{"primary's PostgreSQL killed", c.killPostmaster},
		{"primary's Patroni killed", c.killPatroni},
		{"primary frozen for 40 s", func(ctx context.Context, primary, _ *node) error { return primary.hang(ctx, 40*time.Second) }},
		{"synchronous standby frozen for 20 s", func(ctx context.Context, _, standby *node) error {
			return standby.hang(ctx, 20*time.Second)
		}},
		{"etcd's leader killed", c.killEtcd},
	}
	for range 2 {
		for _, fault := range all {
			primary, standby, err := c.settled(ctx)
			if err != nil {
				return err
			}
			hit(fault.name)
			if err := fault.strike(ctx, primary, standby); err != nil {
				return fmt.Errorf("%s: %w", fault.name, err)
			}
			if _, _, err := c.settled(ctx); err != nil {
				return fmt.Errorf("after %s: %w", fault.name, err)
			}
			// The pause separates the measured outage of this fault from the next one.
			torture.Pause(ctx, 3*time.Second)
		}
	}
	return nil
}

func (c *cluster) switchOver(ctx context.Context, primary, standby *node) error {
	order := fmt.Sprintf(`{"leader": %q, "candidate": %q}`, primary.name, standby.name)
	a, err := send(ctx, http.MethodPost, "http://"+primary.address+":8008/switchover", order, nil)
	if err == nil && a.status != http.StatusOK {
		err = fmt.Errorf("%d: %s", a.status, a.text)
	}
	return err
}

func (c *cluster) killPrimary(ctx context.Context, primary, _ *node) error {
	return c.failedOver(ctx, primary, func() error { return primary.killPostgres(ctx) })
}

// killPatroni leaves PostgreSQL running. It still acts as the primary until Patroni is back.
func (c *cluster) killPatroni(ctx context.Context, primary, _ *node) error {
	return c.failedOver(ctx, primary, func() error { return kill(primary.patroni) })
}

// failedOver ends Patroni on the primary, waits for another primary, and starts Patroni again.
func (c *cluster) failedOver(ctx context.Context, primary *node, end func() error) error {
	return inOrder(
		end,
		func() error { return c.another(ctx, primary) },
		func() error { return primary.patroni.Start(ctx) },
	)
}

func (c *cluster) killPostmaster(ctx context.Context, primary, _ *node) error {
	pid, err := server.Postmaster(primary.data)
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return fmt.Errorf("kill the postmaster: %w", err)
	}
	return c.another(ctx, primary)
}

func (c *cluster) killEtcd(ctx context.Context, _, _ *node) error {
	leader, err := c.leader(ctx)
	if err != nil {
		return err
	}
	return inOrder(
		func() error { return kill(leader.etcd) },
		func() error {
			return until(ctx, "etcd has another leader", func(ctx context.Context) bool {
				now, err := c.leader(ctx)
				return err == nil && now != leader
			})
		},
		pause(ctx, 10*time.Second), // longer than Patroni's lease
		func() error { return leader.etcd.Start(ctx) },
	)
}

// another waits until a node other than former is the primary.
func (c *cluster) another(ctx context.Context, former *node) error {
	return until(ctx, "another node is the primary", func(ctx context.Context) bool {
		primary, found := c.with(ctx, "leader")
		return found && primary != former
	})
}

// leader returns the node whose etcd is the leader.
func (c *cluster) leader(ctx context.Context) (*node, error) {
	for _, n := range c.nodes {
		text, err := get(ctx, "http://"+n.address+":2379/v2/stats/self")
		if err == nil && bytes.Contains(text, []byte(`"StateLeader"`)) {
			return n, nil
		}
	}
	return nil, errors.New("etcd has no leader")
}
