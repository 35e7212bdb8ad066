package command

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"onlyonce/internal/app"
	"onlyonce/internal/postgres"
)

type doctor struct{}

// finding is a line of the doctor's output.
type finding struct {
	Check  string `json:"check"`
	State  string `json:"state"` // ok, warning or failed
	Detail string `json:"detail"`
}

func state(err error, minor bool) string {
	switch {
	case err == nil:
		return "ok"
	case minor:
		return "warning"
	default:
		return "failed"
	}
}

// Run checks everything and prints a line for each check. It returns an error if one failed.
func (doctor) Run(ctx context.Context, t *terminal) error {
	var found []finding
	add := func(check, good string, err error, minor bool) {
		detail := good
		if err != nil {
			detail = err.Error()
		}
		found = append(found, finding{check, state(err, minor), detail})
	}
	config, err := app.Environ(t.getenv)
	add("settings", "can be used", err, false)
	if err == nil {
		failures, warnings := config.Contradictions(t.getenv)
		for _, err := range failures {
			add("settings", "", err, false)
		}
		for _, err := range append(warnings, app.Misspelt(t.environ)...) {
			add("settings", "", err, true)
		}
		err := t.withURL(ctx, func(url string) error {
			for _, f := range postgres.Examine(ctx, url, config.Wait) {
				add(f.Check, f.Good, f.Err, f.Minor)
			}
			return nil
		})
		if err != nil {
			add("database", "", err, false)
		}
		if config.DatabaseURL == "" {
			free, err := freeSpace(config.DataDir)
			add("disk", fmt.Sprintf("%d MB are free in %s", free>>20, config.DataDir), err, free >= failingSpace)
		}
	}
	lines := make([]string, len(found))
	wrong := false
	for i, f := range found {
		lines[i] = fmt.Sprintf("%-7s  %-18s  %s", f.State, f.Check, f.Detail)
		wrong = wrong || f.State == "failed"
	}
	err = t.printAll(found, lines)
	if wrong {
		err = errors.Join(err, errors.New("something failed, see above"))
	}
	return err
}

const (
	scarceSpace  = 1 << 30
	failingSpace = 100 << 20
)

// freeSpace returns the free bytes in a directory, or in the one where it will be created, and an error if they are few.
func freeSpace(dir string) (bytes uint64, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return 0, err
	}
	for {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return 0, fmt.Errorf("ask how much of the disk is free: %w", err)
	}
	bytes = disk.Bavail * uint64(disk.Bsize) //nolint:gosec // the block size is positive
	if bytes < scarceSpace {
		return bytes, fmt.Errorf("only %d MB are free in %s: make room before PostgreSQL stops", bytes>>20, dir)
	}
	return bytes, nil
}

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
