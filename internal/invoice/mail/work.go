package mail

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	netmail "net/mail"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"golang.org/x/sync/semaphore"

	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/document"
	"onlyonce/internal/invoice/pdf"
	"onlyonce/internal/postgres"
)

// Queue is the name of the queue of mails.
const Queue = "mail"

// MaxAttempts is how often a mail is tried. With [DefaultRetry] before the second attempt, and twice as long before
// each further one, the last is a day after the first.
const MaxAttempts = 10

// What a [Config] has if it does not say otherwise.
const (
	DefaultTimeout = 30 * time.Second
	DefaultRetry   = 3 * time.Minute
	defaultSender  = "invoices@onlyonce.invalid"
)

// Job is the job of one mail. It has ids only: jobs are not guarded by row-level security.
type Job struct {
	Tenant uuid.UUID `json:"tenant"`
	Mail   uuid.UUID `json:"mail"`
}

// Kind names the job. The trigger queue_mail inserts it under this name.
func (Job) Kind() string { return "mail" }

// InsertOpts are what the trigger queue_mail gives the job. More attempts than [MaxAttempts], because an attempt of
// the job may have died before it was one at the mail.
func (Job) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: Queue, MaxAttempts: 25} }

// Outcome is what came of an attempt.
type Outcome string

// The outcomes of an attempt.
const (
	Sent   Outcome = "sent"
	Kept   Outcome = "kept"   // in the outbox
	Again  Outcome = "again"  // failed, and will be tried again
	Failed Outcome = "failed" // for good
	// Dropped says that it was not tried, because the invoice was voided.
	Dropped Outcome = "dropped"
)

// Attempt is an attempt at a mail, for log and metrics.
type Attempt struct {
	Job

	Number   int // from 1
	Outcome  Outcome
	Duration time.Duration
	Err      error // why it was not sent; it may name the recipient
}

// Config is what a [Worker] is made of.
type Config struct {
	Pool *pgxpool.Pool
	// Server takes the mails; without one they are written to the outbox and not sent, as those of demo tenants always are.
	Server *Server
	// Sender is the address that mails come from. Their Message-IDs have its domain.
	Sender string
	// Timeout bounds an attempt at the mail server; 0 is [DefaultTimeout]. An attempt as a whole has twice as long.
	Timeout time.Duration
	// Retry is how long the second attempt waits; 0 is [DefaultRetry]. Each further one waits twice as long as the one
	// before.
	Retry time.Duration
	// Observe is told about each attempt when it ends.
	Observe func(context.Context, Attempt)
}

// Worker carries out jobs of mails. Any number of them may work at once.
type Worker struct {
	river.WorkerDefaults[Job]
	Config

	domain    string
	letters   letters
	documents *pdf.Renderer
	rendered  *semaphore.Weighted // one document at a time: the largest ones take some 60 MB
}

// NewWorker makes a worker. Its error is that of a sender that has no domain.
func NewWorker(c Config) (*Worker, error) {
	c.Sender, c.Timeout, c.Retry = cmp.Or(c.Sender, defaultSender), cmp.Or(c.Timeout, DefaultTimeout), cmp.Or(c.Retry, DefaultRetry)
	_, domain, ok := strings.Cut(c.Sender, "@")
	if !ok {
		return nil, errors.New("the sender of mails must be an email address")
	}
	letters, err := parseLetters()
	return &Worker{Config: c, domain: domain, letters: letters, documents: pdf.New(), rendered: semaphore.NewWeighted(1)}, err
}

// Timeout is when River gives an attempt up.
func (w *Worker) Timeout(*river.Job[Job]) time.Duration { return 2 * w.Config.Timeout }

// RescueAfter is when a job that still runs must belong to a process that has died: others were given up before.
func (w *Worker) RescueAfter() time.Duration { return 4 * w.Config.Timeout }

// NextRetry is when River tries again.
func (w *Worker) NextRetry(job *river.Job[Job]) time.Time {
	return time.Now().Add(w.Retry << (min(job.Attempt, MaxAttempts) - 1))
}

// ErrAgain is all that River is told about an attempt that failed: what it is told it keeps in a table that is not
// guarded by row-level security.
var ErrAgain = errors.New("the mail was not taken")

// Work makes one attempt. What came of it is stored together with the end of the job. When the process dies between
// the two, after the server has taken the mail, it is sent again, with the same Message-ID.
func (w *Worker) Work(ctx context.Context, job *river.Job[Job]) error {
	start := time.Now()
	m, found, err := w.begin(ctx, job.Args)
	if err != nil || !found {
		return err
	}
	end, sendErr := w.attempt(ctx, job.Args, m)
	if end.outcome == Again && m.Attempts >= MaxAttempts {
		end.outcome, end.reason = Failed, fmt.Sprintf("Gave up after %d attempts. %s", m.Attempts, end.reason)
	}
	// What the mail server has taken is noted down also when this process is about to stop.
	noting, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := w.end(noting, job, end); err != nil {
		return fmt.Errorf("note that the mail is %s: %w", end.outcome, err)
	}
	if w.Observe != nil {
		w.Observe(ctx, Attempt{Job: job.Args, Number: m.Attempts, Outcome: end.outcome, Duration: time.Since(start), Err: sendErr})
	}
	if end.outcome == Again {
		return ErrAgain
	}
	return nil
}

// begin counts the attempt and gives the mail its Message-ID, before anybody else hears of it. It finds nothing if the
// mail is not queued any more.
func (w *Worker) begin(ctx context.Context, job Job) (m Mail, found bool, err error) {
	err = postgres.InTenant(ctx, w.Pool, job.Tenant, func(tx pgx.Tx) error {
		changed, err := tx.Exec(ctx, `
			UPDATE mails SET attempts = attempts + 1, message_id = COALESCE(message_id, id || '@' || $3)
			WHERE tenant_id = $1 AND id = $2 AND state = 'queued'`, job.Tenant, job.Mail, w.domain)
		found = changed.RowsAffected() == 1
		return err
	})
	if err != nil || !found {
		return m, found, err
	}
	m, err = Table.Find(ctx, w.Pool, job.Tenant, job.Mail)
	return m, found, err
}

// ending is what comes of an attempt.
type ending struct {
	outcome Outcome
	reason  string
	text    string
}

// attempt hands the mail to the server, or keeps it. The error is why it was not sent.
func (w *Worker) attempt(ctx context.Context, job Job, m Mail) (ending, error) {
	if m.Attempts > MaxAttempts { // the process died in the last one
		return ending{outcome: Again, reason: m.Reason}, nil
	}
	inv, err := invoice.Table.Find(ctx, w.Pool, job.Tenant, m.InvoiceID)
	if err != nil {
		return ending{outcome: Again, reason: "The invoice could not be read."}, err
	}
	if m.Kind != KindVoid && Possible(inv) != nil {
		return ending{outcome: Dropped, reason: "The invoice was voided before it could be sent."}, nil
	}
	var demo bool
	if err := w.Pool.QueryRow(ctx, `SELECT demo FROM tenants WHERE id = $1`, job.Tenant).Scan(&demo); err != nil {
		return ending{outcome: Again, reason: "The invoice could not be read."}, err
	}
	var file []byte
	if m.Kind != KindVoid {
		if file, err = w.attachment(ctx, inv); err != nil {
			return ending{outcome: Again, reason: "The invoice could not be written as a PDF file."}, err
		}
	}
	msg, text, err := w.letters.message(m, inv, netmail.Address{Name: inv.Seller.Name, Address: w.Sender}, file)
	if err != nil {
		return ending{outcome: Failed, reason: "The message could not be written."}, err
	}
	switch {
	case w.Server == nil:
		return ending{outcome: Kept, text: text, reason: "no mail server is set up"}, nil
	case demo:
		return ending{outcome: Kept, text: text, reason: "the demo sends no email"}, nil
	}
	sending, cancel := context.WithTimeout(ctx, w.Config.Timeout)
	defer cancel()
	switch err := w.Server.Send(sending, msg); {
	case err == nil:
		return ending{outcome: Sent, text: text}, nil
	case isPermanent(err):
		return ending{outcome: Failed, reason: reasonOf(err)}, err
	default:
		return ending{outcome: Again, reason: reasonOf(err)}, err
	}
}

// maxAttachment bounds the attached file, in bytes: mail servers refuse large messages. The usual one has 34 kB.
const maxAttachment = 5 << 20

// attachment is the issued invoice as a PDF file, made of what was frozen when it was issued; nil if it is too large.
func (w *Worker) attachment(ctx context.Context, inv invoice.Invoice) ([]byte, error) {
	shown, err := document.Of(inv)
	if err != nil {
		return nil, err
	}
	if err := w.rendered.Acquire(ctx, 1); err != nil {
		return nil, fmt.Errorf("wait for another document: %w", err)
	}
	defer w.rendered.Release(1)
	file, err := w.documents.Render(shown)
	if err != nil || len(file) > maxAttachment {
		return nil, err
	}
	return file, nil
}

// end stores what came of an attempt, and ends the job in the same transaction, unless the mail is tried again.
func (w *Worker) end(ctx context.Context, job *river.Job[Job], e ending) error {
	state := map[Outcome]string{Sent: StateSent, Kept: StateSent, Again: StateQueued, Failed: StateFailed, Dropped: StateFailed}[e.outcome]
	return postgres.InTenant(ctx, w.Pool, job.Args.Tenant, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			UPDATE mails SET state = $3::text, reason = $4, body = $5, kept = $6, sent_at = CASE WHEN $3::text = 'sent' THEN now() END
			WHERE tenant_id = $1 AND id = $2 AND state = 'queued'`,
			job.Args.Tenant, job.Args.Mail, state, e.reason, e.text, e.outcome == Kept)
		if err != nil || e.outcome == Again {
			return err
		}
		_, err = river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, job)
		return err
	})
}
