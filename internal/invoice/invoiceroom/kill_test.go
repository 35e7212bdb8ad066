package invoiceroom_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"onlyonce/internal/app/apptest"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

type program struct{ *apptest.Program }

// TestKillDuringCreates kills the program with its embedded PostgreSQL again and again while invoices are created. Clients only
// send the same key until they get an answer.
func TestKillDuringCreates(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	const creates, workers, kills = 300, 8, 3
	p := program{apptest.StartProgram(t)}

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
			backOff(t.Context())
		}
		must.OK(t, p.Process.Process.Kill())
		p.Process.Wait()
		p.Start(t)
	}
	all.Wait()
	if t.Failed() {
		return
	}

	listed := p.list(t)
	for key, id := range answers {
		must.Holdf(t, listed[id], "invoice %s of %s was acknowledged and is lost", id, key)
	}
	want := creates + invoicetest.DemoOfAcme + invoicetest.DemoOfSchedule
	must.Holdf(t, len(listed) == want && len(answers) == creates,
		"%d invoices for %d answers, want %d and %d", len(listed), len(answers), want, creates)
}

// create sends one key until it is answered with an invoice, and returns its id.
func (p program) create(ctx context.Context, key string) (string, error) {
	const body = `{"customer": {"email": "kill@example.com", "name": "Kill"}, "issue_date": "2026-11-21", "due_date": "2026-12-21",
		"currency": "EUR", "lines": [{"description": "Work", "quantity": "1", "unit_price": "1.00", "tax_rate": "0"}]}`
	for ; ctx.Err() == nil; backOff(ctx) {
		status, text, err := apptest.Ask(apptest.DemoToken, http.MethodPost, "http://"+p.Addr+"/api/v1/invoices", key, body)
		if err != nil || status == http.StatusServiceUnavailable { // it is down, or went down
			continue
		}
		var inv struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(text, &inv); err != nil || status != http.StatusCreated {
			return "", fmt.Errorf("%s: %d\n%s", key, status, text)
		}
		return inv.ID, nil
	}
	return "", ctx.Err()
}

// list returns the ids of all invoices.
func (p program) list(t *testing.T) map[string]bool {
	t.Helper()
	ids := map[string]bool{}
	for cursor := ""; ; {
		_, text, err := apptest.Ask(apptest.DemoToken, http.MethodGet, "http://"+p.Addr+"/api/v1/invoices?limit=100&cursor="+cursor, "", "")
		must.OK(t, err)
		var page struct {
			Invoices []struct {
				ID string `json:"id"`
			} `json:"invoices"`
			NextCursor string `json:"next_cursor"`
		}
		must.OK(t, json.Unmarshal(text, &page))
		for _, i := range page.Invoices {
			ids[i.ID] = true
		}
		if cursor = page.NextCursor; cursor == "" {
			return ids
		}
	}
}
