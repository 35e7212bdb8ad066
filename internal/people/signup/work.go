package signup

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	html "html/template"
	"strings"
	"text/template"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"

	"onlyonce/internal/mailer"
	"onlyonce/internal/people/account"
	"onlyonce/internal/people/secret"
	"onlyonce/internal/postgres"
)

// Job mails the link of a sign-up.
type Job struct {
	Tenant uuid.UUID `json:"tenant"`
	Mail   uuid.UUID `json:"mail"`
}

// Kind returns the name under which the trigger queue_sign_up_mail inserts the job.
func (Job) Kind() string { return "sign_up_mail" }

// InsertOpts returns the options that the trigger queue_sign_up_mail sets.
func (Job) InsertOpts() river.InsertOpts { return mailer.JobOptions() }

// IDs returns the ids of the tenant and of the mail.
func (j Job) IDs() (tenant, mail uuid.UUID) { return j.Tenant, j.Mail }

// NewWorker returns the worker that mails links. Their secrets are derived from seed, and they begin with origin, the public URL of the
// app, whose name is product. It returns an error if the sender has no domain.
func NewWorker(c mailer.Config, seed secret.Seed, origin, product string) (*mailer.Worker[Job], error) {
	w := writer{pool: c.Pool, seed: seed, origin: origin, product: product}
	var err error
	if w.text, err = template.ParseFS(files, "message.txt"); err != nil {
		return nil, fmt.Errorf("the text of mails: %w", err)
	}
	if w.html, err = html.ParseFS(files, "message.html"); err != nil {
		return nil, fmt.Errorf("the HTML of mails: %w", err)
	}
	return mailer.NewWorker(c, mailer.Mails[Job]{
		Begin: `
			UPDATE sign_up_mails SET attempts = attempts + 1, message_id = COALESCE(message_id, id || '@' || @domain)
			WHERE tenant_id = @tenant AND id = @mail AND state = 'queued'
			RETURNING attempts, reason`,
		Write: w.write,
		End: `
			UPDATE sign_up_mails
			SET state = CASE WHEN @kept THEN 'failed' ELSE @state::text END, reason = @reason,
				sent_at = CASE WHEN @state::text = 'sent' AND NOT @kept THEN now() END
			WHERE tenant_id = @tenant AND id = @mail AND state = 'queued'`,
	})
}

//go:embed message.txt message.html
var files embed.FS

// writer composes the mails.
type writer struct {
	pool            *pgxpool.Pool
	seed            secret.Seed
	origin, product string
	text            *template.Template
	html            *html.Template
}

// letter has the texts of a mail. It has no text that a stranger typed besides the address.
type letter struct {
	Product      string
	Exists       bool   // whether the address has an account
	Link, Until  string // of the sign-up
	LogIn, Reset string // addresses
}

// write composes a mail, unless its sign-up has begun its business or its link has expired.
func (w writer) write(ctx context.Context, job Job) (mailer.Letter, error) {
	l := letter{Product: w.product, LogIn: w.origin + "/login", Reset: w.origin + "/forgot"}
	var m mailer.Letter
	var id uuid.UUID
	var hash []byte
	var until time.Time
	err := postgres.InTenant(ctx, w.pool, job.Tenant, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `
			SELECT s.email, m.message_id, m.created_at, s.id, m.link_hash, m.created_at + $3::interval
			FROM sign_up_mails m
			JOIN sign_ups s ON s.tenant_id = m.tenant_id AND s.id = m.sign_up_id AND s.started_at IS NULL
			WHERE m.tenant_id = $1 AND m.id = $2 AND m.created_at > now() - $3::interval`, job.Tenant, job.Mail, LinkLife).
			Scan(&m.To, &m.MessageID, &m.Date, &id, &hash, &until)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return m, &mailer.UnwrittenError{Outcome: mailer.Dropped, Reason: "The business has begun, or the link had expired."}
	}
	if err == nil {
		l.Exists, err = hasAccount(ctx, w.pool, m.To)
	}
	if err != nil {
		return m, &mailer.UnwrittenError{Outcome: mailer.Again, Reason: "The sign-up couldn't be read.", Err: err}
	}
	if !bytes.Equal(account.HashToken(w.seed.Derive(purpose, job.Mail)), hash) {
		return m, &mailer.UnwrittenError{Outcome: mailer.Failed, Reason: "SECRET_KEY has changed since the sign-up."}
	}
	l.Link, l.Until = w.origin+pathOf(w.seed, id, job.Mail), until.UTC().Format("2 January 2006, 15:04 UTC")
	var text, page strings.Builder
	if err := w.text.Execute(&text, l); err != nil {
		return m, fmt.Errorf("write the text: %w", err)
	}
	if err := w.html.Execute(&page, l); err != nil {
		return m, fmt.Errorf("write the HTML: %w", err)
	}
	m.From, m.Subject, m.Text, m.HTML = w.product, "Your sign-up for "+w.product, text.String(), page.String()
	return m, nil
}

// hasAccount reports whether a user of any tenant has an email.
func hasAccount(ctx context.Context, pool *pgxpool.Pool, email string) (exists bool, err error) {
	err = pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM users WHERE email = $1)`, email).Scan(&exists)
	return exists, err
}
