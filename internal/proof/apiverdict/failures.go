package apiverdict

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/url"
	"os/exec"
	"time"

	"onlyonce/internal/proof/proxy"
)

// answerLost cuts the connection after the API has answered.
func (t *trial) answerLost(ctx context.Context) (answer, error) {
	address, err := url.Parse(t.Address)
	if err != nil {
		return answer{}, fmt.Errorf("read the address: %w", err)
	}
	between, err := proxy.Listen(ctx, "tcp", hostPort(address))
	if err != nil {
		return answer{}, err
	}
	defer between.Close()
	through := *t
	through.transport = t.transport.Clone()
	defer through.transport.CloseIdleConnections()
	through.transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", between.Addr())
	}
	if address.Scheme == "https" {
		// Complete the TLS handshake first, so that it is not cut. The create below uses the same connection.
		if r := through.another().create(ctx); !r.ok() {
			return answer{}, fmt.Errorf("the create was answered %s", r.beginning())
		}
	}
	between.Arm(proxy.Cut{Point: proxy.BeforeAnswer})
	lost := through.create(ctx)
	before, err := t.count(ctx)
	if err != nil {
		return answer{}, err
	}
	if lost.status != 0 || before == 0 {
		return answer{}, fmt.Errorf("the answer to a create was cut, which left %s and %s", records(before), lost)
	}
	again := t.create(ctx)
	n, err := t.count(ctx)
	return answer{again.ok() && n == 1, fmt.Sprintf("cut, then %s, %s", again, records(n))}, err
}

func hostPort(at *url.URL) string {
	return net.JoinHostPort(at.Hostname(), cmp.Or(at.Port(), map[string]string{"http": "80", "https": "443"}[at.Scheme]))
}

func (t *trial) restarted(ctx context.Context) (answer, error) {
	first, err := t.first(ctx)
	if err != nil {
		return answer{}, err
	}
	t.transport.CloseIdleConnections()
	if out, err := exec.CommandContext(ctx, t.Restart[0], t.Restart[1:]...).CombinedOutput(); err != nil {
		return answer{}, fmt.Errorf("restart: %w: %s", err, out)
	}
	if err := t.comesBack(ctx); err != nil {
		return answer{}, err
	}
	return t.same(ctx, first, t.create(ctx))
}

func (t *trial) comesBack(ctx context.Context) error {
	patience, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		r := t.another().create(patience)
		if r.ok() {
			return nil
		}
		select {
		case <-tick.C:
		case <-patience.Done():
			return fmt.Errorf("a minute after the restart a create is answered %s", r.beginning())
		}
	}
}
