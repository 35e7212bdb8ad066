package delivery_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer"
	"onlyonce/internal/event/delivery"
	"onlyonce/internal/event/endpoint"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/value/secretkey"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// event is the JSON of an event in these tests.
type event struct {
	ID        uuid.UUID `json:"id"`
	Operation string    `json:"operation"`
	Key       string    `json:"key"`
	Record    uuid.UUID `json:"record_id"`
}

// bundle is a tenant with an endpoint, and the program that receives its events.
type bundle struct {
	*storetest.Bundle

	config   delivery.Config
	endpoint uuid.UUID

	mu       sync.Mutex
	answer   http.HandlerFunc // answers; nil answers with 200 and the text "thanks"
	received []event
}

// setup returns a tenant whose endpoint receives the events of operations with these beginnings. Its first event, the endpoint itself, was
// received already unless it isn't one of these.
func setup(t *testing.T, operations string) *bundle {
	t.Helper()
	b := &bundle{Bundle: storetest.Setup(t)}
	program := httptest.NewServer(b)
	t.Cleanup(program.Close)
	key, err := secretkey.Parse(base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{1}, 32)))
	must.OK(t, err)
	b.config = delivery.Config{Pool: b.DB.Pool, Log: slog.New(slog.DiscardHandler), Key: key, Event: b.event, Private: true}
	added, err := endpoint.Add.Do(t.Context(), b.Store, b.Intent("add"), endpoint.Draft{Address: program.URL, Operations: operations})
	must.OK(t, err)
	b.endpoint = added.Value.ID
	return b
}

func (b *bundle) event(ctx context.Context, tenant uuid.UUID, n int64) ([]byte, error) {
	found, err := idempotency.Events(ctx, b.DB.Pool, tenant, idempotency.EventPlace{N: n - 1}, n, 1)
	if err != nil || found[0].Operation == "endpoint.add" { // as if it had no API
		return nil, err
	}
	return json.Marshal(event{found[0].Place.ID, found[0].Operation, found[0].Key, found[0].Record})
}

// ServeHTTP receives an event.
func (b *bundle) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	assert.Thatf(b, err == nil, "%v", err)
	verifier, err := standardwebhooks.NewWebhook(endpoint.Secret(b.config.Key, b.Tenant, b.endpoint))
	if err == nil {
		err = verifier.Verify(body, r.Header)
	}
	assert.Thatf(b, err == nil, "%v", err)
	var e event
	err = json.Unmarshal(body, &e)
	assert.Thatf(b, err == nil && r.Header.Get("Webhook-Id") == e.ID.String() && r.Header.Get("Content-Type") == "application/json",
		"%s, %v, %v", body, r.Header, err)
	b.mu.Lock()
	b.received = append(b.received, e)
	answer := b.answer
	b.mu.Unlock()
	if answer != nil {
		answer(w, r)
		return
	}
	_, _ = io.WriteString(w, "thanks")
}

// answers makes the program answer so from now on; nil is for its usual answer.
func (b *bundle) answers(h http.HandlerFunc) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answer = h
}

// got returns the events that the program has received so far.
func (b *bundle) got() []event {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.received)
}

// customer creates a customer, archives and restores it, as many times as there are moves, and returns its id.
func (b *bundle) customer(key string, moves int) uuid.UUID {
	b.Helper()
	d, err := customer.Input{Name: key}.Draft()
	must.OK(b, err)
	made, err := customer.Upsert.Do(b.Context(), b.Store, b.Intent(key), d)
	must.OK(b, err)
	for i := range moves {
		move := customer.Archive
		if i%2 == 1 {
			move = customer.Restore
		}
		_, err := move.Do(b.Context(), b.Store, b.Of(key+" "+string(rune('a'+i)), made.Value.ID, 0), struct{}{})
		must.OK(b, err)
	}
	return made.Value.ID
}

// work runs a job of the endpoint.
func (b *bundle) work(w *delivery.Worker) {
	err := w.Work(b.Context(), &river.Job[delivery.Job]{Args: delivery.Job{Tenant: b.Tenant, Endpoint: b.endpoint}})
	assert.Thatf(b, err == nil, "%v", err)
}

// due makes all deliveries due that wait for a time, or for the end of a lease.
func (b *bundle) due() { b.Exec(`UPDATE deliveries SET next_at = now() WHERE next_at IS NOT NULL`) }

// delivered runs jobs until nothing is left to send.
func (b *bundle) delivered() {
	b.Helper()
	for range 100 {
		if storetest.Value[int](b, `SELECT count(*) FROM deliveries WHERE next_at IS NOT NULL`) == 0 {
			return
		}
		b.due()
		b.work(delivery.NewWorker(b.config))
	}
	b.Error("something is left")
}

// only returns the only delivery.
func (b *bundle) only() endpoint.Delivery {
	b.Helper()
	list, err := endpoint.ListDeliveries(b.Context(), b.DB.Pool, b.Tenant, b.endpoint, firstPage)
	must.Thatf(b, err == nil && len(list.Rows) == 1, "%v, %v", list.Rows, err)
	return list.Rows[0]
}

// isAfter reports whether a time is so long after now, with a minute for the test.
func isAfter(at time.Time, wait time.Duration) bool {
	left := time.Until(at)
	return left <= wait && left > wait-time.Minute
}
