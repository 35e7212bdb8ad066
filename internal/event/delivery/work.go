// Package delivery sends events to endpoints, at least once each: again with the same id after a failure, or if it is not known whether an
// answer came. Those of a record are sent in the order of its changes. Several workers may run concurrently.
package delivery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"

	"onlyonce/internal/event/endpoint"
	"onlyonce/internal/postgres"
	"onlyonce/internal/value/secretkey"
)

// Queue is the name of the queue of deliveries.
const Queue = "deliveries"

// Job sends the due deliveries of an endpoint. It has only ids, because row-level security does not protect jobs.
type Job struct {
	Tenant   uuid.UUID `json:"tenant"`
	Endpoint uuid.UUID `json:"endpoint"`
}

// Kind returns the name under which the function queue_deliveries inserts the job.
func (Job) Kind() string { return "deliver" }

// InsertOpts returns the options that the function queue_deliveries sets.
func (Job) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: Queue, MaxAttempts: 25} }

const (
	// atOnce is the number of deliveries that are sent to an endpoint at once.
	atOnce = 4
	// DefaultTimeout bounds an attempt.
	DefaultTimeout = 15 * time.Second
	// noting bounds the time in which the outcome of an attempt is stored.
	noting = 10 * time.Second
	// turn is the time after which a job lets others take its place.
	turn = 30 * time.Second

	maxHeader = 64 << 10 // bytes of the header of an answer
	maxAnswer = 1 << 10  // bytes of the text of an answer that are read
	maxKept   = 500      // characters of it that are stored
)

// waits returns the waits between the attempts of a delivery, 3 days together.
func waits() []time.Duration {
	return []time.Duration{
		5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, 3 * time.Hour, 7 * time.Hour,
		12 * time.Hour, 24 * time.Hour, 24 * time.Hour,
	}
}

// Config configures a [Worker].
type Config struct {
	Pool *pgxpool.Pool
	Log  *slog.Logger
	Key  secretkey.Key // from which the secrets of endpoints are derived
	// Event returns the JSON of the event with a number, or nil for an operation without an API.
	Event func(ctx context.Context, tenant uuid.UUID, n int64) ([]byte, error)
	// Private is set if addresses may be those of machines that are not on the public internet. Only then are events of demo tenants sent,
	// because their credentials are public.
	Private bool
	Timeout time.Duration // of an attempt; 0 is [DefaultTimeout]
}

// Worker carries out jobs.
type Worker struct {
	river.WorkerDefaults[Job]

	config Config
	client *http.Client
}

// NewWorker returns a worker.
func NewWorker(c Config) *Worker {
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	return &Worker{config: c, client: newClient(c.Private, c.Timeout)}
}

// Timeout returns the time limit of a job.
func (w *Worker) Timeout(*river.Job[Job]) time.Duration { return turn + w.config.Timeout + 2*noting }

// ErrAgain is the only error that River gets, because River stores errors in a table that row-level security does not protect.
var ErrAgain = errors.New("some events were not delivered")

// Work sends due deliveries until none is left. If the process dies after an answer and before its outcome is stored, the event is sent
// again once the lease has ended.
func (w *Worker) Work(ctx context.Context, job *river.Job[Job]) error {
	for start := time.Now(); time.Since(start) < turn; {
		d, found, err := w.claim(ctx, job.Args)
		if err == nil && !found {
			return nil
		}
		if err == nil {
			err = w.deliver(ctx, job.Args, d)
		}
		if err != nil {
			w.config.Log.WarnContext(ctx, "the next attempt delivers the rest", "tenant", job.Args.Tenant, "endpoint", job.Args.Endpoint,
				"error", err)
			return ErrAgain
		}
	}
	return river.JobSnooze(0) //nolint:wrapcheck // for River
}

// claimed is a delivery that this worker sends.
type claimed struct {
	ID       uuid.UUID
	N        int64
	EventID  uuid.UUID
	Version  int
	Attempts int // with this one
	Address  string
	Demo     bool // of a tenant whose credentials are public
}

// claim takes the next delivery that is due.
func (w *Worker) claim(ctx context.Context, j Job) (d claimed, found bool, err error) {
	err = postgres.InTenant(ctx, w.config.Pool, j.Tenant, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, `
			SELECT d.id, d.n, d.event_id, d.version, d.attempts, e.address, t.demo
			FROM claim_delivery(@tenant, @endpoint, @lease, @at_once) d
			JOIN endpoints e ON e.tenant_id = d.tenant_id AND e.id = d.endpoint_id
			JOIN tenants t ON t.id = d.tenant_id`, pgx.NamedArgs{
			"tenant": j.Tenant, "endpoint": j.Endpoint, "lease": w.config.Timeout + 2*noting, "at_once": atOnce,
		})
		d, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[claimed])
		if found = err == nil; errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	return d, found, err
}

// outcome is the outcome of an attempt.
type outcome struct {
	state  string // delivered, or else waiting or failed
	status int    // of the answer; 0 for none
	answer string // its text, or why there is none
	wait   any    // before the next attempt; nil without one
	off    string // why the endpoint is switched off; "" if it isn't
}

// deliver makes an attempt at a delivery. An event of an operation without an API is not sent, and its delivery is deleted.
func (w *Worker) deliver(ctx context.Context, j Job, d claimed) error {
	start := time.Now()
	body, err := w.config.Event(ctx, j.Tenant, d.N)
	o := outcome{state: endpoint.StateDelivered}
	switch {
	case err != nil:
		o = failed(d, 0, "The event couldn't be read.")
	case body != nil:
		o = w.send(ctx, j, d, body)
	}
	// The outcome is stored even if this process is about to stop.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noting)
	defer cancel()
	noted := postgres.InTenant(ctx, w.config.Pool, j.Tenant, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT end_delivery(@tenant, @id, @version, @state, NULLIF(@status, 0), @answer, @wait, @off)`,
			pgx.NamedArgs{
				"tenant": j.Tenant, "id": d.ID, "version": d.Version, "state": o.state, "status": o.status, "answer": o.answer,
				"wait": o.wait, "off": o.off,
			})
		if err == nil && body == nil && o.state == endpoint.StateDelivered {
			_, err = tx.Exec(ctx, `DELETE FROM deliveries WHERE tenant_id = @tenant AND id = @id`,
				pgx.NamedArgs{"tenant": j.Tenant, "id": d.ID})
		}
		return err
	})
	w.config.Log.InfoContext(ctx, "delivery", "state", o.state, "status", o.status, "tenant", j.Tenant, "delivery", d.ID,
		"attempt", d.Attempts, "duration", time.Since(start), "error", err)
	if noted != nil {
		return fmt.Errorf("note that the delivery is %s: %w", o.state, noted)
	}
	return nil
}

// failed returns the outcome of an attempt that failed: after the last one, the endpoint is switched off.
func failed(d claimed, status int, answer string) outcome {
	o := outcome{state: endpoint.StateWaiting, status: status, answer: answer}
	if d.Attempts > len(waits()) {
		o.state, o.off = endpoint.StateFailed, fmt.Sprintf("An event couldn't be delivered in %d attempts over 3 days.", d.Attempts)
	} else {
		o.wait = waits()[d.Attempts-1]
	}
	return o
}
