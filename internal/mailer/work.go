// Package mailer sends mails. A mail is a row of a table, which the transaction that queues it inserts together with a job. A [Worker]
// sends it afterwards, and tries again until it is accepted, permanently refused, or was tried [MaxAttempts] times.
package mailer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"onlyonce/internal/postgres"
)

// Queue is the name of the queue of mails.
const Queue = "mail"

// MaxAttempts is the maximum number of attempts to send a mail. With [DefaultRetry] before the second attempt, and twice as long before
// each further one, the last is a day after the first.
const MaxAttempts = 10

// JobOptions returns the options of the jobs that triggers insert. Their MaxAttempts is higher than [MaxAttempts], because an attempt of
// the job may have died before it tried to send the mail.
func JobOptions() river.InsertOpts { return river.InsertOpts{Queue: Queue, MaxAttempts: 25} }

// The defaults of a [Config].
const (
	DefaultTimeout = 30 * time.Second
	DefaultRetry   = 3 * time.Minute
	defaultSender  = "mail@onlyonce.invalid"
)

// Job is the job of a mail. It has only ids, because row-level security does not protect jobs.
type Job interface {
	river.JobArgs
	// IDs returns the ids of the tenant and of the mail.
	IDs() (tenant, mail uuid.UUID)
}

// Outcome is the outcome of an attempt.
type Outcome string

// The outcomes of an attempt.
const (
	Sent   Outcome = "sent"
	Kept   Outcome = "kept"   // without a mail server
	Again  Outcome = "again"  // failed temporarily
	Failed Outcome = "failed" // failed permanently
	// Dropped means that it was not tried, because it has become pointless.
	Dropped Outcome = "dropped"
)

// Outcomes returns all outcomes.
func Outcomes() []Outcome { return []Outcome{Sent, Kept, Again, Failed, Dropped} }

// The states of a mail.
const (
	StateQueued = "queued" // also between attempts
	StateSent   = "sent"   // taken by the mail server, or kept
	StateFailed = "failed" // not tried again
)

// Attempt describes an attempt to send a mail, for logs and metrics.
type Attempt struct {
	Kind         string // of its job
	Tenant, Mail uuid.UUID
	Number       int // from 1
	Outcome      Outcome
	Duration     time.Duration
	Err          error // why it was not sent; it may name the recipient
}

// Config is the configuration of a [Worker].
type Config struct {
	Pool *pgxpool.Pool
	// Server is the mail server. If it is nil, mails are kept, as mails of demo tenants always are.
	Server *Server
	// Sender is the sender's address. Its domain is used in Message-IDs.
	Sender string
	// Timeout limits the SMTP session of an attempt; 0 is [DefaultTimeout]. An attempt as a whole has twice as long.
	Timeout time.Duration
	// Retry is the pause before the second attempt; 0 is [DefaultRetry]. The pause doubles with each further one.
	Retry time.Duration
	// Observe, if set, is called with each attempt when it ends.
	Observe func(context.Context, Attempt)
}

// WithDefaults returns the configuration with defaults for the zero fields.
func (c Config) WithDefaults() Config {
	c.Sender, c.Timeout, c.Retry = cmp.Or(c.Sender, defaultSender), cmp.Or(c.Timeout, DefaultTimeout), cmp.Or(c.Retry, DefaultRetry)
	return c
}

// AttemptTime is the time limit of River for an attempt. A job that runs twice as long belongs to a process that has died.
func (c Config) AttemptTime() time.Duration { return 2 * c.Timeout }

// Mails describes the mails of a table.
type Mails[J Job] struct {
	// Begin is the SQL that counts an attempt at @mail of @tenant, and sets its Message-ID, with @domain, before it is sent. It returns
	// attempts and reason, or no row if the mail is not queued any more.
	Begin string
	// Write composes the mail. It may return an [*UnwrittenError].
	Write func(ctx context.Context, job J) (Letter, error)
	// End is the SQL that stores the outcome of an attempt, if the mail is still queued: @state, @reason, @text, and @kept for a mail
	// that was composed but not sent.
	End string
}

// UnwrittenError means that a mail was not composed. It has the outcome of the attempt, and the reason in plain words.
type UnwrittenError struct {
	Outcome Outcome
	Reason  string
	Err     error // nil if it is no failure
}

func (u *UnwrittenError) Error() string { return fmt.Sprintf("%s: %v", u.Reason, u.Err) }

// Unwrap returns the cause.
func (u *UnwrittenError) Unwrap() error { return u.Err }

// Worker carries out the jobs of mails. Several may run concurrently.
type Worker[J Job] struct {
	river.WorkerDefaults[J]

	config Config
	mails  Mails[J]
	domain string
}

// NewWorker returns a worker for a configuration with defaults. It returns an error if the sender has no domain.
func NewWorker[J Job](c Config, mails Mails[J]) (*Worker[J], error) {
	_, domain, ok := strings.Cut(c.Sender, "@")
	if !ok {
		return nil, errors.New("the sender of mails must be an email address")
	}
	return &Worker[J]{config: c, mails: mails, domain: domain}, nil
}

// NextRetry returns the time of River's next attempt.
func (w *Worker[J]) NextRetry(job *river.Job[J]) time.Time {
	return time.Now().Add(w.config.Retry << (min(job.Attempt, MaxAttempts) - 1))
}

// River gets only these errors about a mail, because it stores errors in a table that row-level security does not protect. With
// ErrAgain it tries again. With ErrFailed it cancels the job, so that admins of the installation see it.
var (
	ErrAgain  = errors.New("the mail was not taken")
	ErrFailed = errors.New("the mail can't be sent")
)

// Work makes one attempt. Its outcome is stored in the transaction that ends the job. If the process dies after the server has accepted
// the mail and before that, the mail is sent again with the same Message-ID.
func (w *Worker[J]) Work(ctx context.Context, job *river.Job[J]) error {
	start := time.Now()
	a := Attempt{Kind: job.Args.Kind()}
	a.Tenant, a.Mail = job.Args.IDs()
	before, found, err := w.begin(ctx, &a)
	if err != nil || !found {
		return err
	}
	end := ending{outcome: Again, reason: before}
	if a.Number <= MaxAttempts { // otherwise the process died in the last attempt
		end, a.Err = w.attempt(ctx, job.Args)
	}
	if end.outcome == Again && a.Number >= MaxAttempts {
		end.outcome, end.reason = Failed, fmt.Sprintf("Gave up after %d attempts. %s", a.Number, end.reason)
	}
	// The outcome is stored even if this process is about to stop.
	noting, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := w.end(noting, job, a, end); err != nil {
		return fmt.Errorf("note that the mail is %s: %w", end.outcome, err)
	}
	if a.Outcome, a.Duration = end.outcome, time.Since(start); w.config.Observe != nil {
		w.config.Observe(ctx, a)
	}
	switch end.outcome {
	case Again:
		return ErrAgain
	case Failed:
		return river.JobCancel(ErrFailed) //nolint:wrapcheck // for River
	default:
		return nil
	}
}

// begin counts the attempt, and returns the reason why the previous one failed.
func (w *Worker[J]) begin(ctx context.Context, a *Attempt) (reason string, found bool, err error) {
	err = postgres.InTenant(ctx, w.config.Pool, a.Tenant, func(tx pgx.Tx) error {
		args := pgx.NamedArgs{"tenant": a.Tenant, "mail": a.Mail, "domain": w.domain}
		err := tx.QueryRow(ctx, w.mails.Begin, args).Scan(&a.Number, &reason)
		if found = err == nil; errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	return reason, found, err
}

// ending is the outcome of an attempt.
type ending struct {
	outcome Outcome
	reason  string
	text    string
}

// attempt sends the mail, or keeps it. The error is the reason why it was not sent.
func (w *Worker[J]) attempt(ctx context.Context, job J) (ending, error) {
	letter, err := w.mails.Write(ctx, job)
	if unwritten, ok := errors.AsType[*UnwrittenError](err); ok {
		return ending{outcome: unwritten.Outcome, reason: unwritten.Reason}, unwritten.Err
	}
	if err != nil {
		return ending{outcome: Failed, reason: "The message couldn't be written."}, err
	}
	switch {
	case w.config.Server == nil:
		return ending{outcome: Kept, text: letter.Text, reason: "no mail server is set up"}, nil
	case letter.Demo:
		return ending{outcome: Kept, text: letter.Text, reason: "the demo sends no email"}, nil
	}
	msg, err := letter.message(w.config.Sender)
	if err != nil {
		return ending{outcome: Failed, reason: "The message couldn't be written."}, err
	}
	sending, cancel := context.WithTimeout(ctx, w.config.Timeout)
	defer cancel()
	switch err := w.config.Server.Send(sending, msg); {
	case err == nil:
		return ending{outcome: Sent, text: letter.Text}, nil
	case isPermanent(err):
		return ending{outcome: Failed, reason: reasonOf(err)}, err
	default:
		return ending{outcome: Again, reason: reasonOf(err)}, err
	}
}

// end stores the outcome of an attempt, and ends the job in the same transaction, unless River ends it by an error of Work.
func (w *Worker[J]) end(ctx context.Context, job *river.Job[J], a Attempt, e ending) error {
	state := map[Outcome]string{Sent: StateSent, Kept: StateSent, Again: StateQueued, Failed: StateFailed, Dropped: StateFailed}[e.outcome]
	return postgres.InTenant(ctx, w.config.Pool, a.Tenant, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, w.mails.End, pgx.NamedArgs{
			"tenant": a.Tenant, "mail": a.Mail, "state": state, "reason": e.reason, "text": e.text, "kept": e.outcome == Kept,
		})
		if err != nil || e.outcome == Again || e.outcome == Failed {
			return err
		}
		_, err = river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, job)
		return err
	})
}
