package batch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/mail"
	"onlyonce/internal/people/account"
	"onlyonce/internal/postgres"
	"onlyonce/internal/record"
)

// Queue is the name of the queue of batches.
const Queue = "invoice_batches"

// Job is the job of a batch. It has only ids, because row-level security does not protect jobs.
type Job struct {
	Tenant uuid.UUID `json:"tenant"`
	Batch  uuid.UUID `json:"batch"`
}

// Kind returns the name under which [Create] inserts the job.
func (Job) Kind() string { return "invoice_batch" }

// InsertOpts returns the options with which [Create] inserts the job.
func (Job) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: Queue, MaxAttempts: 25} }

// Worker carries out batches. Several may run concurrently, also on the same batch.
type Worker struct {
	river.WorkerDefaults[Job]

	Store *idempotency.Store
	Log   *slog.Logger
}

// ErrAgain is the only error that River gets, because River stores errors in a table that row-level security does not protect.
var ErrAgain = errors.New("the batch is not finished")

// Work issues or sends the waiting invoices of a batch, by operations whose keys are the same in each attempt.
func (w *Worker) Work(ctx context.Context, job *river.Job[Job]) error {
	j := job.Args
	found, err := record.Find(ctx, w.Store.Pool, Table, j.Tenant, j.Batch)
	for _, item := range found.Invoices {
		if err == nil && item.Outcome == Waiting {
			err = w.act(ctx, j, found, item.InvoiceID)
		}
	}
	if err != nil {
		w.Log.WarnContext(ctx, "the next attempt continues a batch", "tenant", j.Tenant, "batch", j.Batch, "error", err)
		return ErrAgain
	}
	return nil
}

// act issues or sends an invoice, and stores the outcome. It returns an error if the next attempt has to repeat it.
func (w *Worker) act(ctx context.Context, j Job, b Batch, id uuid.UUID) error {
	may, err := account.MayChange(ctx, w.Store.Pool, j.Tenant, b.AskedBy)
	if err != nil {
		return err
	}
	outcome, reason := Refused, b.AskedBy+" may no longer change invoices."
	if may {
		done, err := w.do(ctx, j, b, id)
		if idempotency.Transient(err) {
			return err
		}
		outcome, reason = w.settled(ctx, j, id, done, err)
	}
	return postgres.InTenant(ctx, w.Store.Pool, j.Tenant, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			UPDATE invoice_batch_items SET outcome = @outcome, reason = @reason
			WHERE tenant_id = @tenant_id AND batch_id = @batch AND invoice_id = @invoice AND outcome = 'waiting'`,
			pgx.NamedArgs{"tenant_id": j.Tenant, "batch": j.Batch, "invoice": id, "outcome": outcome, "reason": reason})
		return err
	})
}

// do issues or sends an invoice in the name of the user or token that asked for the batch.
func (w *Worker) do(ctx context.Context, j Job, b Batch, id uuid.UUID) (idempotency.Outcome, error) {
	key, err := idempotency.ParseKey(fmt.Sprintf("batch %s %s", j.Batch, id)) // the same on each replica and in each attempt
	if err != nil {
		return "", err
	}
	intent := idempotency.Intent{Tenant: j.Tenant, Key: key, Actor: b.AskedBy}
	if b.Action == ActionSend {
		sent, err := mail.Send.Do(ctx, w.Store, intent, mail.Draft{InvoiceID: id, EInvoice: b.EInvoice})
		return sent.Outcome, err
	}
	intent.Record = id
	issued, err := invoice.Issue.Do(ctx, w.Store, intent, invoice.IssueDraft{NoEmail: b.NoEmail, EInvoice: b.EInvoice})
	return issued.Outcome, err
}

// settled returns the outcome of an item, and the reason of a refusal.
func (w *Worker) settled(ctx context.Context, j Job, id uuid.UUID, done idempotency.Outcome, err error) (outcome, reason string) {
	if expired, ok := errors.AsType[*idempotency.AlreadyDoneError](err); ok {
		done, err = expired.Outcome, nil
	}
	if err == nil && done == idempotency.Unchanged {
		return Unchanged, ""
	}
	if err == nil {
		return Done, ""
	}
	reason, explained := idempotency.Refusal(err)
	if !explained {
		reason = "The server couldn't do it. Its log has the reason."
		w.Log.WarnContext(ctx, "an invoice of a batch is refused", "tenant", j.Tenant, "batch", j.Batch, "invoice", id, "error", err)
	}
	return Refused, reason
}
