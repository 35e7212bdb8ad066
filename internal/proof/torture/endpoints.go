package torture

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// endpoints is a program of all tenants that is sent the events of customers. While there are faults it also fails, loses answers, and is
// slow.
type endpoints struct {
	server *http.Server

	mu   sync.Mutex
	ids  []string // of the received events
	calm bool
}

// openEndpoints starts the program, and adds it as an endpoint of each tenant.
func openEndpoints(ctx context.Context, conn *pgx.Conn) (*endpoints, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("receive events: %w", err)
	}
	e := &endpoints{}
	e.server = &http.Server{Handler: e, ReadHeaderTimeout: answerTimeout}
	go func() { _ = e.server.Serve(listener) }()
	_, err = conn.Exec(ctx, `
		INSERT INTO endpoints (tenant_id, id, address, operations) SELECT id, new_id(), $1, 'customer.' FROM tenants`,
		"http://"+listener.Addr().String()+"/")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("add the endpoints: %w", err), e.server.Close())
	}
	return e, nil
}

func (e *endpoints) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	e.ids = append(e.ids, r.Header.Get("Webhook-Id"))
	n, calm := len(e.ids), e.calm
	e.mu.Unlock()
	switch {
	case calm:
	case n%7 == 0:
		w.WriteHeader(http.StatusInternalServerError)
	case n%11 == 0:
		panic(http.ErrAbortHandler)
	case n%13 == 0:
		Pause(r.Context(), 300*time.Millisecond)
	}
}

// finish waits until all events are delivered, without the waits between attempts.
func (e *endpoints) finish(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	e.mu.Lock()
	e.calm = true
	e.mu.Unlock()
	for {
		var left int
		err := conn.QueryRow(ctx, `SELECT count(*) FROM deliveries WHERE next_at IS NOT NULL`).Scan(&left)
		if err == nil && left == 0 {
			return e.server.Close() //nolint:wrapcheck // it has the address
		}
		if err == nil {
			_, err = conn.Exec(ctx, `
				WITH locked AS MATERIALIZED (SELECT id FROM endpoints FOR NO KEY UPDATE) -- as those do that claim and end deliveries
				UPDATE deliveries SET next_at = now() FROM locked WHERE endpoint_id = locked.id AND next_at > now()`)
		}
		if err == nil {
			_, err = conn.Exec(ctx, `SELECT queue_deliveries(tenant_id, id, now()) FROM endpoints`)
		}
		if err != nil {
			return errors.Join(fmt.Errorf("wait for %d deliveries: %w", left, err), e.server.Close())
		}
		Pause(ctx, time.Second)
	}
}

// judge compares the received events with those of the database. Events that the server lost when it was brought back are left out.
func (e *endpoints) judge(ctx context.Context, conn *pgx.Conn) ([]Violation, error) {
	e.mu.Lock()
	ids := slices.Clone(e.ids)
	e.mu.Unlock()
	if len(ids) == 0 {
		return nil, errors.New("no event was delivered")
	}
	const wanted = `
		WITH received AS (
			SELECT id, min(place) AS place FROM unnest(@ids::uuid[]) WITH ORDINALITY AS received (id, place) GROUP BY 1
		), wanted AS (
			SELECT i.tenant_id, record_id, n, operation, attempt_id, place
			FROM events JOIN intents i USING (tenant_id, operation, key) LEFT JOIN received ON id = attempt_id
			WHERE operation LIKE 'customer.%' AND operation <> 'customer.erase' -- which has no API
				AND at > (SELECT max(created_at) + interval '5 seconds' FROM endpoints)
		)`
	return broken(ctx, conn, []rule{
		{"an endpoint receives each event", wanted + `
			SELECT format('%s of %s, event %s, was not received', operation, record_id, n) FROM wanted WHERE place IS NULL`},
		{"an endpoint receives the events of a record in their order", wanted + `
			SELECT format('event %s of %s was received after event %s', n, record_id, before)
			FROM (
				SELECT n, record_id, place, lag(n) OVER earlier AS before, lag(place) OVER earlier AS place_before FROM wanted
				WINDOW earlier AS (PARTITION BY tenant_id, record_id ORDER BY n)) AS received
			WHERE place < place_before`},
	}, pgx.NamedArgs{"ids": ids})
}
