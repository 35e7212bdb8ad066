package torture

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/postgres/server"
	"onlyonce/internal/proof/redis"
	processes "onlyonce/internal/proof/replica"
)

// TestUpgradeUnderLoad starts this version, with one more migration, beside the previous one on one database, while clients create,
// issue and read invoices. Each client sends every request to both, with the same key. Then the previous version is stopped. At
// least one version must answer at any time, nothing acknowledged may be missing, and nothing may exist twice.
func TestUpgradeUnderLoad(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	s := newSides(t)
	s.serve(earlier)
	clients, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	t.Cleanup(func() { // before the versions are stopped
		stop()
		all.Wait()
	})
	for n := range 6 {
		all.Go(func() { s.pursue(clients, n) })
	}
	s.whileCreating(30) // by the previous version alone
	s.serve(latest)
	s.whileCreating(120) // by both
	must.OK(t, s.replicas[earlier].End(t.Context(), syscall.SIGTERM))
	s.whileCreating(30) // by this version alone
	stop()
	all.Wait()
	s.compare()
	t.Logf("answers: %v", s.programs.counts)
}

// The two versions: indexes of replicas.
const (
	earlier = iota
	latest
)

// sides are both versions on one database, and their clients.
type sides struct {
	*testing.T
	*world

	programs *programs
}

func newSides(t *testing.T) *sides {
	t.Helper()
	account, err := server.ChooseAccount("")
	must.OK(t, err)
	dir, err := account.MkdirTemp("/tmp", "onlyonce-versions-")
	must.OK(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	var programs [2]string
	programs[latest], err = build(t.Context(), dir)
	must.OK(t, err)
	programs[earlier], err = previous(t)
	// Running this version twice still shows that a migration under load interrupts nothing, and that the earlier replica continues
	// and ends on a newer schema. Two different versions are tested again from the next migration on.
	if errors.Is(err, errNoHistory) {
		t.Logf("THE PREVIOUS VERSION IS NOT IN THE HISTORY, this one is tried in its place, without the newest migration: %v", err)
		programs[earlier], err = processes.Build(t.Context(), t.TempDir(), "onlyonce/cmd/server")
	}
	must.OK(t, err)

	// A version that stops may keep a key while the other one is asked.
	w := &world{dir: dir, account: account, env: []string{"IDEMPOTENCY_WAIT=10s"}}
	t.Cleanup(func() { _ = w.stop(context.Background()) })
	w.leash, err = processes.NewLeash(t.Context())
	must.OK(t, err)
	w.redis, err = redis.Start(t.Context(), dir)
	must.OK(t, err)
	network, address, err := w.startDatabase(t.Context(), Config{})
	must.OK(t, err)
	for i, program := range programs {
		must.OK(t, w.connect(t.Context(), i, program, network, address))
	}
	s := &sides{T: t, world: w, programs: newPrograms(1, w)}
	s.programs.http.Timeout = 15 * time.Second
	return s
}

// serve starts a version and waits until it serves.
func (s *sides) serve(version int) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), settling)
	defer cancel()
	must.OK(s, s.replicas[version].Start(ctx))
	if err := s.replicas[version].Ready(ctx); err != nil {
		log, _ := os.ReadFile(s.replicas[version].Log)
		s.Fatalf("%v\n%s", err, log)
	}
}

// whileCreating waits for that many more answers about created invoices.
func (s *sides) whileCreating(more int) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), settling)
	defer cancel()
	answers := func() int {
		s.programs.mu.Lock()
		defer s.programs.mu.Unlock()
		return s.programs.counts["invoice.create"]
	}
	for enough := answers() + more; answers() < enough; Pause(ctx, 20*time.Millisecond) {
		if ctx.Err() != nil {
			s.Fatalf("%d answers, and not %d", answers(), enough)
		}
	}
}

// pursue creates and issues invoices until ctx ends, and sends each request to both versions.
func (s *sides) pursue(ctx context.Context, client int) {
	for n := 0; ctx.Err() == nil; n++ {
		key := s.programs.named(fmt.Sprint("upgrade-", client), n)
		created := s.both(n, wish{operation: "invoice.create", key: key, path: invoicesPath, body: oneLine(map[string]any{
			"customer": map[string]string{"email": fmt.Sprintf("upgrade-%d@example.com", n%7), "name": "Bob"},
		})})
		if n%4 == 0 {
			s.both(n, wish{operation: "invoice.issue", key: key, path: invoicesPath + "/" + created + "/issue"})
		}
		s.both(n, wish{path: invoicesPath + "/" + created})
	}
}

// both sends a wish to both versions, and returns the id of the record. If one does not answer, the other's answer is used. If
// neither does, that is an outage.
func (s *sides) both(n int, w wish) (id string) {
	of, answered := w.origin(), false
	s.programs.ask(of)
	for i := range s.replicas {
		version := (n + i) % len(s.replicas)
		got, arrived := s.programs.once(context.Background(), w, s.replicas[version].Addr)
		switch {
		case !arrived || got.status == http.StatusServiceUnavailable:
			continue // the other version is asked
		case got.ok():
			s.programs.note(of, got.ID)
		default:
			s.programs.reportf(contract, "version %d: %+v got %d %s", version, w, got.status, got.text)
		}
		answered, id = true, got.ID
	}
	if !answered {
		s.programs.reportf("one version answers at any time", "none answers %+v", w)
	}
	return id
}

// compare compares the answers to the clients with the database.
func (s *sides) compare() {
	s.Helper()
	conn, err := s.admin(s.Context())
	must.OK(s, err)
	defer conn.Close(context.Background())
	wrong, err := broken(s.Context(), conn, rulesIn(rulesText), nil)
	must.OK(s, err)
	untrue, err := s.programs.judge(s.Context(), conn)
	must.OK(s, err)
	for _, v := range slices.Concat(wrong, untrue, s.deaths.all()) {
		s.Error(v)
	}
}
