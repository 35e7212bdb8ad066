package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"onlyonce/internal/postgres/pgtest"
)

// The program with its embedded PostgreSQL, killed again and again while invoices are created. Clients
// only do what clients do: they send the same key until they get an answer.
func TestKillDuringCreates(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	const creates, workers, kills = 300, 8, 3
	p := startProgram(t)

	var next, acknowledged atomic.Int64
	var mu sync.Mutex
	answers := map[string]string{} // id by key
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for n := next.Add(1); n <= creates; n = next.Add(1) {
				key := fmt.Sprintf("kill-%04d", n)
				id, err := p.create(t.Context(), key)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				answers[key] = id
				mu.Unlock()
				acknowledged.Add(1)
			}
		})
	}
	for kill := range int64(kills) {
		for acknowledged.Load() < (kill+1)*creates/(kills+1) && t.Context().Err() == nil && !t.Failed() {
			p.breathe(t)
		}
		p.kill(t)
		p.start(t)
	}
	all.Wait()
	if t.Failed() {
		return
	}

	listed := p.list(t)
	for key, id := range answers {
		if !listed[id] {
			t.Errorf("invoice %s of %s was acknowledged and is lost", id, key)
		}
	}
	if len(listed) != creates+acmeDemoInvoices+billedInDemo || len(answers) != creates {
		t.Errorf("%d invoices for %d answers, want %d and %d", len(listed), len(answers), creates+acmeDemoInvoices+billedInDemo, creates)
	}
}

func (p *program) kill(t *testing.T) {
	t.Helper()
	if err := p.process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.process.Wait()
}

// breathe asks the program something, to let others run.
func (p *program) breathe(t *testing.T) {
	t.Helper()
	if response, err := http.Get("http://" + p.addr + "/healthz"); err == nil {
		response.Body.Close()
	}
}

// create sends one key until it is answered with an invoice, and gives its id.
func (p *program) create(ctx context.Context, key string) (string, error) {
	const body = `{"customer": {"email": "kill@example.com", "name": "Kill"}, "issue_date": "2026-11-21", "due_date": "2026-12-21",
		"currency": "EUR", "lines": [{"description": "Work", "quantity": "1", "unit_price": "1.00", "tax_rate": "0"}]}`
	for ctx.Err() == nil {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+p.addr+"/api/v1/invoices", strings.NewReader(body))
		if err != nil {
			return "", err
		}
		r.Header.Set("Authorization", "Bearer oo_demo_acme")
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", key)
		response, err := http.DefaultClient.Do(r)
		if err != nil { // it is down, or went down
			backOff(ctx)
			continue
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode == http.StatusServiceUnavailable {
			backOff(ctx)
			continue
		}
		var inv struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(text, &inv); err != nil || response.StatusCode != http.StatusCreated {
			return "", fmt.Errorf("%s: %s\n%s", key, response.Status, text)
		}
		return inv.ID, nil
	}
	return "", ctx.Err()
}

// backOff is what a polite client does before it tries again.
func backOff(ctx context.Context) {
	select {
	case <-time.After(20 * time.Millisecond):
	case <-ctx.Done():
	}
}

// list returns the ids of all invoices.
func (p *program) list(t *testing.T) map[string]bool {
	t.Helper()
	ids := map[string]bool{}
	for cursor := ""; ; {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+p.addr+"/api/v1/invoices?limit=100&cursor="+cursor, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer oo_demo_acme")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var page struct {
			Invoices []struct {
				ID string `json:"id"`
			} `json:"invoices"`
			NextCursor string `json:"next_cursor"`
		}
		if err := json.NewDecoder(response.Body).Decode(&page); err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		for _, i := range page.Invoices {
			ids[i.ID] = true
		}
		if cursor = page.NextCursor; cursor == "" {
			return ids
		}
	}
}
