package command

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"onlyonce/internal/app"
)

// healthTimeout is longer than the app needs to report that it is not ready.
const healthTimeout = 4 * time.Second

type health struct{}

// Run requests /readyz. It returns an error unless the app is ready.
func (health) Run(ctx context.Context, t *terminal) error {
	config, err := app.Environ(t.getenv)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	// Without a host, or with 0.0.0.0, the request is sent to this machine.
	network, address := app.Network(config.Addr)
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, network, address)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://app/readyz", nil)
	if err != nil {
		return fmt.Errorf("ask the app at ADDR %s: %w", config.Addr, err)
	}
	client := http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}} // without a proxy
	response, err := client.Do(r)
	if err != nil {
		return fmt.Errorf("ask the app at ADDR %s: %w", config.Addr, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the app at ADDR %s is not ready: %s", config.Addr, response.Status)
	}
	return t.print(map[string]any{"ready": true}, "The app is ready.")
}
