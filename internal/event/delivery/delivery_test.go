package delivery_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/event/delivery"
	"onlyonce/internal/event/endpoint"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/must"
	"onlyonce/internal/record"
)

var firstPage = record.Page{Limit: 25}

// TestDelivery checks that an event is sent once, its answer is stored without control characters, and it is sent again with the same id
// when it is resent, once for each key.
func TestDelivery(t *testing.T) {
	b := setup(t, "customer.")
	b.answers(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		_, _ = fmt.Fprint(w, "thank\x00\r\nyou \xff", strings.Repeat("é", 2000))
	})
	w := delivery.NewWorker(b.config)
	b.customer("ada", 0)
	for range 2 {
		b.work(w)
	}
	d := b.only()
	assert.Thatf(t, len(b.got()) == 1 && b.got()[0].Key == "ada" && d.EventID == b.got()[0].ID,
		"%v received, and %+v", b.got(), d)
	assert.Thatf(t, d.State == endpoint.StateDelivered && d.Status == http.StatusAccepted && d.Attempts == 1 && d.NextAt.IsZero() &&
		strings.HasPrefix(d.Answer, "thank   you ééé") && len([]rune(d.Answer)) == 500, "%+v", d)
	for range 2 {
		done, err := endpoint.Resend.Do(t.Context(), b.Store, b.Of("resend", d.ID, 0), struct{}{})
		assert.Thatf(t, err == nil && done.Value.State == endpoint.StateWaiting, "%v, %v", done, err)
		b.work(w)
	}
	assert.Thatf(t, len(b.got()) == 2 && b.got()[1] == b.got()[0], "%v", b.got())
}

// TestWithoutAnAPI: the event of an operation without an API is not sent, and leaves no delivery.
func TestWithoutAnAPI(t *testing.T) {
	b := setup(t, "")
	b.work(delivery.NewWorker(b.config))
	assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM deliveries`), 0)
	assert.Equal(t, len(b.got()), 0)
}

// TestTriedAgain checks the attempts, the waits between them, and the end of a delivery that fails each time.
func TestTriedAgain(t *testing.T) {
	b := setup(t, "customer.")
	b.answers(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "not now", http.StatusServiceUnavailable) })
	b.customer("ada", 1)
	w := delivery.NewWorker(b.config)
	var waited time.Duration
	first := func() endpoint.Delivery {
		list, err := endpoint.ListDeliveries(t.Context(), b.DB.Pool, b.Tenant, b.endpoint, firstPage)
		must.OK(t, err)
		return list.Rows[1]
	}
	for n := range 12 {
		b.work(w)
		d := first()
		assert.Thatf(t, d.Attempts == n+1 && d.Status == http.StatusServiceUnavailable && d.Answer == "not now" && len(b.got()) == n+1,
			"attempt %d: %+v, %d received", n+1, d, len(b.got()))
		if n == 2 {
			assert.Thatf(t, isAfter(d.NextAt, 2*time.Minute), "%v", d.NextAt)
			assert.Thatf(t, storetest.Value[bool](b, `
				SELECT state = 'scheduled' AND scheduled_at > now() + interval '1 minute' FROM river.river_job ORDER BY id DESC LIMIT 1`),
				"no job tries it again")
		}
		if !d.NextAt.IsZero() {
			waited += time.Until(d.NextAt)
		}
		b.Exec(`UPDATE deliveries SET next_at = now() WHERE state = 'waiting'`)
	}
	assert.Thatf(t, waited.Round(time.Hour) == 72*time.Hour, "waited for %v", waited)
	assert.Equal(t, first().State, endpoint.StateFailed)
	off, err := record.Find(t.Context(), b.DB.Pool, endpoint.Table, b.Tenant, b.endpoint)
	assert.Thatf(t, err == nil && !off.DisabledAt.IsZero() && strings.Contains(off.DisabledReason, "12 attempts over 3 days"),
		"%+v, %v", off, err)

	b.work(w)
	b.customer("grace", 0)
	b.work(w)
	assert.Equal(t, len(b.got()), 12, "an endpoint that is off receives events")
	b.answers(nil)
	_, err = endpoint.Enable.Do(t.Context(), b.Store, b.Of("on", b.endpoint, 0), struct{}{})
	must.OK(t, err)
	b.customer("king", 0)
	b.delivered()
	var later []string
	for _, e := range b.got()[12:] {
		later = append(later, e.Key)
	}
	slices.Sort(later)
	assert.Thatf(t, slices.Equal(later, []string{"ada a", "king"}), "after it is on again: %q", later)
}

// TestFailures checks the outcomes of attempts by the answer of a program.
func TestFailures(t *testing.T) {
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	t.Cleanup(inside.Close)
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		change func(*delivery.Config)
		demo   bool
		status int
		reason string
		off    bool
	}{
		"redirect": {
			answer: func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, inside.URL, http.StatusTemporaryRedirect)
			},
			status: http.StatusTemporaryRedirect,
		},
		"never answers": {
			answer: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
			change: func(c *delivery.Config) { c.Timeout = 200 * time.Millisecond },
			reason: "The program didn't answer in time.",
		},
		"never ends its answer": {
			answer: func(w http.ResponseWriter, r *http.Request) {
				assert.Thatf(t, http.NewResponseController(w).Flush() == nil, "can't flush")
				<-r.Context().Done()
			},
			change: func(c *delivery.Config) { c.Timeout = 200 * time.Millisecond },
			status: http.StatusOK, reason: "The program didn't answer in time.",
		},
		"loses the answer": {
			answer: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			reason: "The program couldn't be reached, or ended the connection without an answer.",
		},
		"gone": {
			answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) },
			status: http.StatusGone, off: true,
		},
		"is inside": {
			change: func(c *delivery.Config) { c.Private = false },
			reason: "The address doesn't lead to the public internet.",
		},
		"is of the demo": {
			demo: true, change: func(c *delivery.Config) { c.Private = false },
			reason: "The demo sends no events.",
		},
		"without a key": {
			change: func(c *delivery.Config) {
				*c = delivery.Config{Pool: c.Pool, Log: c.Log, Event: c.Event, Private: true}
			},
			reason: "This server has no key to sign deliveries with. Set SECRET_KEY and restart it.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t, "customer.")
			b.answers(c.answer)
			config := b.config
			if c.change != nil {
				c.change(&config)
			}
			b.Exec(`UPDATE tenants SET demo = $1`, c.demo)
			b.customer("ada", 0)
			b.work(delivery.NewWorker(config))
			d := b.only()
			assert.Thatf(t, (d.State == endpoint.StateFailed) == c.off && d.Status == c.status &&
				strings.HasPrefix(d.Answer, c.reason), "%+v", d)
			off := storetest.Value[bool](b, `SELECT disabled_at IS NOT NULL AND disabled_reason <> '' FROM endpoints`)
			assert.Equal(t, off, c.off, "whether it is off")
			if c.off {
				return
			}
			b.answers(nil)
			b.delivered()
			first, last := b.got()[0], b.got()[len(b.got())-1]
			assert.Thatf(t, first == last && b.only().State == endpoint.StateDelivered, "%v, %+v", b.got(), b.only())
		})
	}
}

// TestKilledWorker checks that a delivery is sent again after its worker died, once the lease has ended, and that a worker that wasn't dead
// doesn't change the outcome.
func TestKilledWorker(t *testing.T) {
	b := setup(t, "customer.")
	b.customer("ada", 1)
	w := delivery.NewWorker(b.config)
	killed := storetest.Value[uuid.UUID](b, `SELECT id FROM claim_delivery($1, $2, '1 minute', 4)`, b.Tenant, b.endpoint)
	version := storetest.Value[int](b, `SELECT version FROM deliveries WHERE id = $1`, killed)
	b.work(w)
	assert.Thatf(t, len(b.got()) == 0, "it was sent during the lease of another worker: %v", b.got())
	b.due()
	b.work(w)
	b.Exec(`SELECT end_delivery($1, $2, $3, 'failed', 500, 'late', NULL, 'late')`, b.Tenant, killed, version)
	var got []string
	for _, e := range b.got() {
		got = append(got, e.Key)
	}
	assert.Thatf(t, slices.Equal(got, []string{"ada", "ada a"}), "%q", got)
	assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM deliveries WHERE state = 'delivered'`), 2)
	assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM endpoints WHERE disabled_at IS NULL`), 1)
}

// TestFourAtOnce: while a program answers none of four requests, it gets no fifth one.
func TestFourAtOnce(t *testing.T) {
	b := setup(t, "customer.")
	for i := range 6 {
		b.customer(fmt.Sprint("customer ", i), 0)
	}
	var received atomic.Int64
	answer := make(chan struct{})
	b.answers(func(http.ResponseWriter, *http.Request) {
		if received.Add(1) <= 4 {
			<-answer
		}
	})
	w := delivery.NewWorker(b.config)
	var four sync.WaitGroup
	for range 4 {
		four.Go(func() { b.work(w) })
	}
	must.Until(t, "four requests", func() bool { return received.Load() == 4 })
	b.work(w)
	assert.Equal(t, received.Load(), 4, "requests before an answer")
	close(answer)
	four.Wait()
	assert.Equal(t, received.Load(), 6, "requests")
}

// TestReplicas: several workers at once send each event once.
func TestReplicas(t *testing.T) {
	b := setup(t, "customer.")
	const records = 40
	for i := range records {
		b.customer(fmt.Sprint("customer ", i), 0)
	}
	replicas := []*delivery.Worker{delivery.NewWorker(b.config), delivery.NewWorker(b.config)}
	storetest.Together(8, func(i int) error {
		b.work(replicas[i%2])
		return nil
	})
	times := map[uuid.UUID]int{}
	for _, e := range b.got() {
		times[e.ID]++
	}
	assert.Thatf(t, len(times) == records && len(b.got()) == records, "%d events were received %d times", len(times), len(b.got()))
}

// TestOrder checks that a program that often fails receives each event at least once while customers change.
// It receives the events of a customer for the first time in the order of its changes.
func TestOrder(t *testing.T) {
	b := setup(t, "customer.")
	b.answers(func(w http.ResponseWriter, _ *http.Request) {
		if rand.IntN(3) == 0 {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	const writers, moves = 4, 8
	var left atomic.Int64
	left.Store(writers)
	storetest.Together(writers+4, func(i int) error {
		if i < writers {
			defer left.Add(-1)
			b.customer(fmt.Sprint("customer ", i), moves)
			return nil
		}
		w := delivery.NewWorker(b.config)
		for left.Load() > 0 {
			b.Exec(`
				WITH locked AS MATERIALIZED (SELECT id FROM endpoints FOR NO KEY UPDATE) -- as those do that claim and end deliveries
				UPDATE deliveries SET next_at = now() FROM locked WHERE endpoint_id = locked.id AND state IN ('waiting', 'behind')`)
			b.work(w)
		}
		return nil
	})
	b.delivered()
	keys := map[uuid.UUID][]string{}
	for _, e := range b.got() {
		if !slices.Contains(keys[e.Record], e.Key) {
			keys[e.Record] = append(keys[e.Record], e.Key)
		}
	}
	assert.Equal(t, len(keys), writers, "customers")
	for _, got := range keys {
		want := []string{got[0][:len("customer 0")]}
		for i := range moves {
			want = append(want, want[0]+" "+string(rune('a'+i)))
		}
		assert.Thatf(t, slices.Equal(got, want), "%q", got)
	}
}

// TestWokenAtOnce: the end of a delivery wakes the next one of its record, also if that is looked at meanwhile.
func TestWokenAtOnce(t *testing.T) {
	b := setup(t, "customer.")
	b.customer("ada", 1)
	first, other := delivery.NewWorker(b.config), delivery.NewWorker(b.config)
	looked := false
	b.answers(func(http.ResponseWriter, *http.Request) {
		if !looked {
			looked = true
			b.work(other)
			assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM deliveries WHERE state = 'behind'`), 1, "behind")
		}
	})
	b.work(first)
	assert.Equal(t, len(b.got()), 2, "received")
}

func TestJobIsOneOfRiver(t *testing.T) {
	b := setup(t, "")
	b.DB.IsOfRiver(t, delivery.Job{Tenant: b.Tenant, Endpoint: b.endpoint})
}

// TestOldDeliveriesGo checks that old deliveries are deleted, and younger ones stay.
func TestOldDeliveriesGo(t *testing.T) {
	b := setup(t, "customer.")
	b.customer("ada", 1)
	b.Exec(`UPDATE deliveries SET id = new_id(now() - interval '31 days') WHERE operation = 'customer.upsert'`)
	must.OK(t, endpoint.Expire(t.Context(), b.DB.Pool, b.Tenant))
	assert.Equal(t, b.only().Operation, "customer.archive")
	b.delivered()
	assert.Equal(t, len(b.got()), 1, "received")
}

// TestMailToOwners checks that two workers that switch an endpoint off at once queue one email for each owner.
func TestMailToOwners(t *testing.T) {
	b := setup(t, "customer.")
	b.Exec(`
		INSERT INTO users (tenant_id, email, password_hash, role, disabled_at) VALUES
			($1, 'ada@example.com', 'hash', 'owner', NULL), ($1, 'grace@example.com', 'hash', 'owner', NULL),
			($1, 'invited@example.com', '', 'owner', NULL), ($1, 'left@example.com', 'hash', 'owner', now()),
			($1, 'member@example.com', 'hash', 'member', NULL)`, b.Tenant)
	b.customer("first", 0)
	b.customer("second", 0)
	var both sync.WaitGroup
	both.Add(2)
	b.answers(func(w http.ResponseWriter, _ *http.Request) {
		both.Done()
		both.Wait()
		w.WriteHeader(http.StatusGone)
	})
	storetest.Together(2, func(int) error {
		b.work(delivery.NewWorker(b.config))
		return nil
	})
	got := storetest.Value[string](b, `
		SELECT string_agg(u.email || ' ' || m.status, ', ' ORDER BY u.email)
		FROM endpoint_mails m JOIN users u ON u.tenant_id = m.tenant_id AND u.id = m.user_id`)
	assert.Equal(t, got, "ada@example.com 410, grace@example.com 410")
	mail := storetest.Value[uuid.UUID](b, `SELECT id FROM endpoint_mails ORDER BY id LIMIT 1`)
	assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM river.river_job WHERE kind = 'endpoint_mail'`), 2, "jobs")
	b.Exec(`DELETE FROM river.river_job WHERE args ->> 'mail' IS DISTINCT FROM $1::text`, mail)
	b.DB.IsOfRiver(t, delivery.MailJob{Tenant: b.Tenant, Mail: mail})
	b.Exec(`UPDATE endpoint_mails SET id = new_id(now() - interval '31 days') WHERE id = $1`, mail)
	must.OK(t, delivery.Room().Expire(t.Context(), b.DB.Pool, b.Tenant))
	assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM endpoint_mails`), 1, "mails are left")
}
