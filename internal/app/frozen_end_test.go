package app_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"onlyonce/internal/app/apptest"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/postgres/server"
)

type program struct{ *apptest.Program }

// TestEndWithAFrozenDatabase stops the program while its embedded PostgreSQL is frozen and a crowd of clients has hung up. The program
// holds few of their requests, exits within its bound, and stops PostgreSQL with all acknowledged data.
func TestEndWithAFrozenDatabase(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	metrics := apptest.FreeAddress(t)
	p := program{apptest.StartProgram(t, "METRICS_ADDR="+metrics)}
	data := filepath.Join(p.Data, "postgres")
	if status := p.createCustomer(t.Context(), "before"); status != http.StatusCreated {
		t.Fatalf("%d", status)
	}
	must.OK(t, server.Freeze(t.Context(), data))
	p.crowd(t, 3000)
	b := on(t, nil)
	if n := b.value("http://"+metrics+"/metrics", "go_goroutines"); n > 2000 {
		t.Errorf("%v goroutines", n)
	}

	began := time.Now()
	must.OK(t, p.Process.Process.Signal(syscall.SIGTERM))
	ended := make(chan error, 1)
	go func() { ended <- p.Process.Wait() }()
	select {
	case err := <-ended:
		t.Logf("ended after %v: %v", time.Since(began), err)
		if err != nil {
			t.Error(err)
		}
	case <-time.After(45 * time.Second): // it should need 25
		_ = p.Process.Process.Kill()
		<-ended
		t.Fatal("it does not end")
	}
	log := p.Log.String()
	if !strings.Contains(log, "did not end in time") {
		t.Errorf("the log ends with %s", log[max(0, len(log)-4000):])
	}
	for line := range strings.Lines(log) { // of an abandoned job
		if strings.Contains(line, "request failed") && strings.Contains(line, "closed pool") {
			t.Error(line)
		}
	}
	p.Start(t) // its guard kills the frozen server first
	if status := p.createCustomer(t.Context(), "before"); status != http.StatusCreated {
		t.Errorf("what was acknowledged: %d", status)
	}
}

// crowd sends n requests that need the database, and does not wait.
func (p program) crowd(t *testing.T, n int64) {
	t.Helper()
	var asked atomic.Int64
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			for i := asked.Add(1); i <= n && t.Context().Err() == nil; i = asked.Add(1) {
				ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
				p.createCustomer(ctx, fmt.Sprint("crowd-", i))
				cancel()
			}
		})
	}
	all.Wait()
}

// createCustomer returns the status of the answer, or 0 if there was none.
func (p program) createCustomer(ctx context.Context, key string) int {
	response, err := http.DefaultClient.Do(request("http://"+p.Addr, key, ada).WithContext(ctx))
	if err != nil {
		return 0
	}
	_ = response.Body.Close()
	return response.StatusCode
}
