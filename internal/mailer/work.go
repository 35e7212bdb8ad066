// Package mailer sends mails. A mail is a row of some table, which the transaction that asks for it inserts together with a job.
// A [Worker] sends it afterwards, and tries again until it is taken, refused for good, or [MaxAttempts] were made.
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

// MaxAttempts is how often a mail is tried. With [DefaultRetry] before the second attempt, and twice as long before
// each further one, the last is a day after the first.
const MaxAttempts = 10

// JobOptions are what the triggers give a job that they insert. More attempts than [MaxAttempts], because an attempt of
// the job may have died before it was one at the mail.
func JobOptions() river.InsertOpts { return river.InsertOpts{Queue: Queue, MaxAttempts: 25} }

// What a [Config] has if it does not say otherwise.
const (
	DefaultTimeout = 30 * time.Second
	DefaultRetry   = 3 * time.Minute
	defaultSender  = "mail@onlyonce.invalid"
)

// Job is the job of one mail. It has ids only: jobs are not guarded by row-level security.
type Job interface {
	river.JobArgs
	// IDs are those of the tenant and of the mail.
	IDs() (tenant, mail uuid.UUID)
}

// Outcome is what came of an attempt.
type Outcome string

// The outcomes of an attempt.
const (
	Sent   Outcome = "sent"
	Kept   Outcome = "kept"   // in the outbox
	Again  Outcome = "again"  // failed, and will be tried again
	Failed Outcome = "failed" // for good
	// Dropped means that it was not tried, because it is worth nothing any more.
	Dropped Outcome = "dropped"
)

// Outcomes returns all outcomes.
func Outcomes() []Outcome { return []Outcome{Sent, Kept, Again, Failed, Dropped} }

// The states of a mail.
const (
	StateQueued = "queued" // also between attempts
	StateSent   = "sent"   // taken by the mail server, or written to an outbox only
	StateFailed = "failed" // not tried again
)

// Attempt is an attempt at a mail, for log and metrics.
type Attempt struct {
	Kind         string // of its job
	Tenant, Mail uuid.UUID
	Number       int // from 1
	Outcome      Outcome
	Duration     time.Duration
	Err          error // why it was not sent; it may name the recipient
}

// Config is what a [Worker] is made of.
type Config struct {
	Pool *pgxpool.Pool
	// Server takes the mails; without one they are kept, as those of demo tenants always are.
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

// WithDefaults returns the configuration with what it does not say.
func (c Config) WithDefaults() Config {
	c.Sender, c.Timeout, c.Retry = cmp.Or(c.Sender, defaultSender), cmp.Or(c.Timeout, DefaultTimeout), cmp.Or(c.Retry, DefaultRetry)
	return c
}

// AttemptTime is when River gives an attempt up. A job that still runs twice as long belongs to a process that has died.
func (c Config) AttemptTime() time.Duration { return 2 * c.Timeout }

// Mails are those of one table.
type Mails[J Job] struct {
	// Begin is the SQL that counts an attempt at @mail of @tenant, and sets its Message-ID, of @domain, before anybody else hears of
	// it. It returns attempts and reason, or no row if the mail is not queued any more.
	Begin string
	// Write writes the mail. Its error is an [*UnwrittenError].
	Write func(ctx context.Context, job J) (Letter, error)
	// End is the SQL that stores what came of an attempt, if the mail is still queued: @state, @reason, @text, and @kept for one
	// that was written and sent to nobody.
	End string
}

// UnwrittenError is why a mail was not written: the outcome of the attempt, and the reason in plain words.
type UnwrittenError struct {
	Outcome Outcome
	Reason  string
	Err     error // nil where nothing is wrong
}

func (u *UnwrittenError) Error() string { return fmt.Sprintf("%s: %v", u.Reason, u.Err) }

// Unwrap returns what went wrong.
func (u *UnwrittenError) Unwrap() error { return u.Err }

// Worker carries out jobs of mails. Any number of them may work at once.
type Worker[J Job] struct {
	river.WorkerDefaults[J]

	config Config
	mails  Mails[J]
	domain string
}

// NewWorker makes a worker of a configuration with its defaults. Its error is that of a sender that has no domain.
func NewWorker[J Job](c Config, mails Mails[J]) (*Worker[J], error) {
	_, domain, ok := strings.Cut(c.Sender, "@")
	if !ok {
		return nil, errors.New("the sender of mails must be an email address")
	}
	return &Worker[J]{config: c, mails: mails, domain: domain}, nil
}

// NextRetry is when River tries again.
func (w *Worker[J]) NextRetry(job *river.Job[J]) time.Time {
	return time.Now().Add(w.config.Retry << (min(job.Attempt, MaxAttempts) - 1))
}

// ErrAgain is all that River is told about an attempt that failed: what it is told it keeps in a table that is not
// guarded by row-level security.
var ErrAgain = errors.New("the mail was not taken")

// Work makes one attempt. What came of it is stored together with the end of the job. When the process dies between
// the two, after the server has taken the mail, it is sent again, with the same Message-ID.
func (w *Worker[J]) Work(ctx context.Context, job *river.Job[J]) error {
	start := time.Now()
	a := Attempt{Kind: job.Args.Kind()}
	a.Tenant, a.Mail = job.Args.IDs()
	before, found, err := w.begin(ctx, &a)
	if err != nil || !found {
		return err
	}
	end := ending{outcome: Again, reason: before}
	if a.Number <= MaxAttempts { // else the process died in the last one
		end, a.Err = w.attempt(ctx, job.Args)
	}
	if end.outcome == Again && a.Number >= MaxAttempts {
		end.outcome, end.reason = Failed, fmt.Sprintf("Gave up after %d attempts. %s", a.Number, end.reason)
	}
	// What the mail server has taken is noted down also when this process is about to stop.
	noting, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := w.end(noting, job, a, end); err != nil {
		return fmt.Errorf("note that the mail is %s: %w", end.outcome, err)
	}
	if a.Outcome, a.Duration = end.outcome, time.Since(start); w.config.Observe != nil {
		w.config.Observe(ctx, a)
	}
	if end.outcome == Again {
		return ErrAgain
	}
	return nil
}

// begin counts the attempt, and returns why the one before has failed.
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

// ending is what comes of an attempt.
type ending struct {
	outcome Outcome
	reason  string
	text    string
}

// attempt hands the mail to the server, or keeps it. The error is why it was not sent.
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

// end stores what came of an attempt, and ends the job in the same transaction, unless the mail is tried again.
func (w *Worker[J]) end(ctx context.Context, job *river.Job[J], a Attempt, e ending) error {
	state := map[Outcome]string{Sent: StateSent, Kept: StateSent, Again: StateQueued, Failed: StateFailed, Dropped: StateFailed}[e.outcome]
	return postgres.InTenant(ctx, w.config.Pool, a.Tenant, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, w.mails.End, pgx.NamedArgs{
			"tenant": a.Tenant, "mail": a.Mail, "state": state, "reason": e.reason, "text": e.text, "kept": e.outcome == Kept,
		})
		if err != nil || e.outcome == Again {
			return err
		}
		_, err = river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, job)
		return err
	})
}
