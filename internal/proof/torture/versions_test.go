package torture

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/postgres/server"
	processes "onlyonce/internal/proof/replica"
)

// TestUpgradeUnderLoad starts this version, with one more migration, beside the previous one on one database, while clients create,
// issue and read invoices. Each client sends every request to both, with the same key. Then the previous version is stopped. At
// least one version must answer at any time, nothing acknowledged may be missing, and nothing may exist twice.
func TestUpgradeUnderLoad(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	s := newSides(t)
	s.start(earlier)
	clients, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	t.Cleanup(func() { // before the versions are stopped
		stop()
		all.Wait()
	})
	for n := range 6 {
		all.Go(func() {
			if err := s.pursue(clients, n); err != nil {
				t.Error(err)
			}
		})
	}
	s.whileCreated(30) // by the previous version alone
	s.start(latest)
	s.whileCreated(60) // by both
	if err := s.replicas[earlier].End(t.Context(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.whileCreated(30) // by this version alone
	stop()
	all.Wait()
	s.compare()
	t.Logf("%d invoices; answers: %v", len(s.made), s.answers)
}

// side is one of the two versions.
type side int

const (
	earlier side = iota
	latest
)

func (s side) String() string { return [...]string{"previous", "this"}[s] }

// sides are both versions on one database.
type sides struct {
	*testing.T

	db       *database
	replicas [2]*replica
	before   int // from the demo data

	mu      sync.Mutex
	made    map[string]string // invoice ids by key
	answers map[string]int    // counts by kind
}

func newSides(t *testing.T) *sides {
	t.Helper()
	s := &sides{T: t, made: map[string]string{}, answers: map[string]int{}}
	account, err := server.ChooseAccount("")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := account.MkdirTemp("/tmp", "onlyonce-versions-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	var programs [2]string
	if programs[latest], err = build(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	program, err := previous(t)
	switch {
	// Running this version twice still shows that a migration under load interrupts nothing, and that the earlier replica continues
	// and ends on a newer schema. Two different versions are tested again from the next migration on.
	case errors.Is(err, errNoHistory):
		t.Logf("THE PREVIOUS VERSION IS NOT IN THE HISTORY, this one is tried in its place, without the newest migration: %v", err)
		program, err = processes.Build(t.Context(), t.TempDir(), "onlyonce/cmd/server")
		must.OK(t, err)
	case err != nil:
		t.Fatal(err)
	}
	programs[earlier] = program
	if s.db, err = startDatabase(t.Context(), account, dir, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.db.stop(context.Background()) })
	leash, err := processes.NewLeash(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(leash.Release)
	for i, program := range programs {
		addr, err := processes.FreePort(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s.replicas[i] = &replica{Replica: processes.Replica{
			Program: program, Addr: addr, Group: leash.Group, Log: filepath.Join(dir, side(i).String()+".log"),
			Died: func(err error) { t.Error(err) },
			Env: append(os.Environ(),
				"ADDR="+addr, "METRICS_ADDR=off", "DEMO=1", "RATE_LIMIT=0",
				"DATABASE_URL="+server.URL(s.db.config.SocketDir, server.Role, server.Database),
			),
		}}
		t.Cleanup(func() {
			_ = s.replicas[i].End(context.Background(), syscall.SIGKILL)
		})
	}
	return s
}

// start starts a version and waits until it serves.
func (s *sides) start(which side) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), settling)
	defer cancel()
	r := s.replicas[which]
	if err := r.Start(ctx); err != nil {
		s.Fatal(err)
	}
	if err := r.Ready(ctx); err != nil {
		log, _ := os.ReadFile(r.Log)
		s.Fatalf("%s version: %v\n%s", which, err, log)
	}
	if which == earlier {
		s.before = s.count(`SELECT count(*) FROM invoices`)
	}
}

// whileCreated waits until clients have created that many more invoices.
func (s *sides) whileCreated(more int) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), settling)
	defer cancel()
	made := func() int {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.made)
	}
	for enough := made() + more; made() < enough; Pause(ctx, 20*time.Millisecond) {
		if ctx.Err() != nil || s.Failed() {
			s.Fatalf("%d invoices, and not %d", made(), enough)
		}
	}
}

// pursue creates and issues invoices until ctx ends, and sends each request to both versions.
func (s *sides) pursue(ctx context.Context, client int) error {
	for n := 0; ctx.Err() == nil; n++ {
		key := fmt.Sprintf("upgrade-%d-%d", client, n)
		created, err := s.both(n, "/api/v1/invoices", key, map[string]any{
			"customer":   map[string]string{"email": fmt.Sprintf("upgrade-%d@example.com", n%7), "name": "Bob"},
			"issue_date": "2026-11-21", "due_date": "2026-12-21", "currency": "EUR",
			"lines": []map[string]string{{"description": key, "quantity": "2", "unit_price": "50.00", "tax_rate": "23"}},
		})
		if err != nil {
			return err
		}
		s.mu.Lock()
		s.made[key] = created
		s.mu.Unlock()
		if n%4 == 0 {
			if _, err := s.both(n, "/api/v1/invoices/"+created+"/issue", key, struct{}{}); err != nil {
				return err
			}
		}
		if _, err := s.both(n, "/api/v1/invoices/"+created, "", nil); err != nil {
			return err
		}
	}
	return nil
}

// both sends a request to both versions until one answers, and returns the id of the record. If one does not answer, the other's
// answer is used. If neither does, that is an outage.
func (s *sides) both(n int, path, key string, command any) (id string, err error) {
	answered := 0
	for i := range 2 {
		which := side((n + i) % 2)
		got, err := s.ask(which, path, key, command)
		switch {
		case err != nil:
			return "", err
		case got == "":
			continue
		case id != "" && got != id:
			return "", fmt.Errorf("%s with key %s: %s from one version, and %s from the other", path, key, id, got)
		}
		answered++
		id = got
	}
	if answered == 0 {
		return "", fmt.Errorf("%s with key %s: no version answers", path, key)
	}
	return id, nil
}

// ask returns the id of the record, or "" if this version does not answer now. Without a command it reads.
func (s *sides) ask(which side, path, key string, command any) (id string, err error) {
	body, err := json.Marshal(command)
	if err != nil {
		return "", err
	}
	method := http.MethodPost
	if command == nil {
		method, body = http.MethodGet, nil
	}
	// Of unknown type, so that net/http cannot send the body a second time.
	r, err := http.NewRequest(method, "http://"+s.replicas[which].Addr+path, io.MultiReader(bytes.NewReader(body)))
	if err != nil {
		return "", err
	}
	r.ContentLength = int64(len(body))
	r.Header.Set("Authorization", "Bearer "+tokens[0])
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", key)
	client := http.Client{Timeout: 15 * time.Second}
	response, err := client.Do(r)
	if err != nil {
		s.noteAnswer(which, "no answer")
		return "", nil // the other version is asked
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	s.noteAnswer(which, response.Status)
	switch {
	case err != nil || response.StatusCode == http.StatusServiceUnavailable:
		return "", nil // the other version is asked
	case response.StatusCode >= http.StatusBadRequest:
		return "", fmt.Errorf("%s version, %s with key %s: %s %s", which, path, key, response.Status, answer)
	}
	var made struct {
		ID string `json:"id"`
	}
	return made.ID, json.Unmarshal(answer, &made)
}

func (s *sides) noteAnswer(which side, what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[which.String()+" version: "+what]++
}

// compare compares the answers to the clients with the database.
func (s *sides) compare() {
	s.Helper()
	invoices := s.count(`SELECT count(*) FROM invoices`) - s.before
	intents := s.count(`SELECT count(*) FROM intents WHERE operation = 'invoice.create' AND key LIKE 'upgrade-%'`)
	if invoices != intents {
		s.Errorf("%d invoices of %d intents", invoices, intents)
	}
	conn, err := s.db.admin(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	defer conn.Close(context.Background())
	stored := map[string]string{}
	rows, err := conn.Query(s.Context(), `
		SELECT i.key::text, v.id::text FROM intents i JOIN invoices v ON (v.tenant_id, v.id) = (i.tenant_id, i.record_id)
		WHERE i.operation = 'invoice.create' AND i.key LIKE 'upgrade-%'`)
	if err != nil {
		s.Fatal(err)
	}
	for rows.Next() {
		var key, id string
		if err := rows.Scan(&key, &id); err != nil {
			s.Fatal(err)
		}
		stored[key] = id
	}
	if rows.Err() != nil || !maps.Equal(stored, s.made) {
		s.Errorf("acknowledged %d invoices, and %d are stored, or others (%v)", len(s.made), len(stored), rows.Err())
	}
}

func (s *sides) count(sql string) (n int) {
	s.Helper()
	conn, err := s.db.admin(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	defer conn.Close(context.Background())
	if err := conn.QueryRow(s.Context(), sql).Scan(&n); err != nil {
		s.Fatal(err)
	}
	return n
}
