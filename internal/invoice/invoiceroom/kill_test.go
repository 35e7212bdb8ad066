package invoiceroom_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"onlyonce/internal/app/apptest"
	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/mailer/mailertest"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/proof/replica"
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
		assert.Thatf(t, listed[id], "invoice %s of %s was acknowledged and is lost", id, key)
	}
	want := creates + invoicetest.DemoOfAcme + invoicetest.DemoOfSchedule
	assert.Thatf(t, len(listed) == want && len(answers) == creates,
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

// TestKillDuringMails issues 200 invoices by two processes. One is killed halfway, and later both while the mail server accepts a mail, so
// that this can't be recorded. Every invoice has its mail, and repeated mails have the same Message-ID.
func TestKillDuringMails(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	const invoices = 200
	b := apptest.On(t, pgtest.New(t))
	b.FoundCompany("Acme Studio")
	binary, dir := apptest.BuildServer(t), t.TempDir()
	var replicas []*replica.Replica
	var restarts sync.WaitGroup
	kill := func(some ...*replica.Replica) {
		for _, r := range some {
			must.OK(t, r.End(t.Context(), syscall.SIGKILL))
		}
		for _, r := range some {
			restarts.Go(func() {
				must.OK(t, r.Revive(t.Context()))
			})
		}
	}
	s := mailertest.Start(t, func(before int) error {
		switch before {
		case invoices / 3:
			kill(replicas[0])
		case 2 * invoices / 3:
			restarts.Wait()
			kill(replicas...)
		}
		return nil
	}, nil)
	for n := range 2 {
		r := &replica.Replica{Program: binary, Addr: apptest.FreeAddress(t), Log: filepath.Join(dir, fmt.Sprint(n))}
		r.Env = append(os.Environ(), "ADDR="+r.Addr, "DATABASE_URL="+b.DB.URL, "METRICS_ADDR=off", "RATE_LIMIT=0", "DEMO=0",
			"SMTP_URL="+s.URL, "MAIL_FROM=invoices@example.com", "MAIL_TIMEOUT=1s", "MAIL_RETRY=100ms")
		replicas = append(replicas, r)
		must.OK(t, r.Revive(t.Context()))
		t.Cleanup(func() { _ = r.End(context.Background(), syscall.SIGKILL) })
	}

	var next atomic.Int64
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for n := next.Add(1); n <= invoices && t.Context().Err() == nil; n = next.Add(1) {
				issueSomewhere(t, replicas, worker, fmt.Sprintf("mail-%03d", n))
			}
		})
	}
	all.Wait()

	// The job of a killed process is found after four times MAIL_TIMEOUT, by a search every 30 s.
	restarts.Wait()
	admin, left := b.DB.Admin(), invoices
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(3 * time.Minute); left > 0; {
		select {
		case <-tick.C:
			must.OK(t, admin.QueryRow(t.Context(), `SELECT count(*) FROM mails WHERE state <> 'sent'`).Scan(&left))
		case <-deadline:
			t.Fatalf("%d mails are not sent", left)
		}
	}

	subjects, deliveries := map[string]string{}, map[string]int{} // by Message-ID
	ids := map[string]string{}                                    // by subject
	for _, m := range s.Messages() {
		id, subject := m.Header.Get("Message-Id"), m.Header.Get("Subject")
		first, known := ids[subject]
		assert.Thatf(t, !known || first == id, "%s came as %s and as %s", subject, first, id)
		ids[subject], subjects[id] = id, subject
		deliveries[id]++
	}
	twice := 0
	for _, n := range deliveries {
		if n > 1 {
			twice++
		}
	}
	assert.Thatf(t, len(ids) == invoices && len(subjects) == invoices,
		"%d subjects and %d Message-IDs of %d invoices", len(ids), len(subjects), invoices)
	// Two kills interrupt up to four attempts in each of two processes.
	assert.Thatf(t, twice != 0 && twice <= 12, "%d mails came more than once", twice)
	t.Logf("%d mails came more than once, with one Message-ID each", twice)
}

// issueSomewhere creates an invoice and issues it, trying one replica after the other until one answers.
func issueSomewhere(t *testing.T, replicas []*replica.Replica, first int, key string) {
	t.Helper()
	body := `{"customer": {"email": "ada@example.com", "name": "Ada"}, "issue_date": "2026-11-21", "due_date": "2026-12-21",
		"currency": "EUR", "notes": "` + key + `",
		"lines": [{"description": "Design", "quantity": "2", "unit_price": "50.00", "tax_rate": "23"}]}`
	path := "/api/v1/invoices"
	for turn := first; t.Context().Err() == nil; turn++ {
		url := "http://" + replicas[turn%len(replicas)].Addr + path
		status, answer, err := apptest.Ask(apptest.CompanyToken, http.MethodPost, url, key, body)
		switch {
		case err != nil || status >= http.StatusInternalServerError:
			backOff(t.Context())
		case status == http.StatusCreated:
			var made struct {
				ID string `json:"id"`
			}
			if err := json.Unmarshal(answer, &made); err != nil {
				t.Error(err)
				return
			}
			path, body = path+"/"+made.ID+"/issue", ""
		case status == http.StatusOK:
			return
		default:
			t.Errorf("%s: %d %s", key, status, answer)
			return
		}
	}
}

// backOff waits before a retry, as a client should.
func backOff(ctx context.Context) {
	select {
	case <-time.After(20 * time.Millisecond):
	case <-ctx.Done():
	}
}
