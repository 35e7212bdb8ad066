package link

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	html "html/template"
	"net/url"
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

// Job mails a link.
type Job struct {
	Tenant uuid.UUID `json:"tenant"`
	Mail   uuid.UUID `json:"mail"`
}

// Kind returns the name under which the trigger queue_link_mail inserts the job.
func (Job) Kind() string { return "link_mail" }

// InsertOpts returns the options that the trigger queue_link_mail sets.
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
			UPDATE link_mails SET attempts = attempts + 1, message_id = COALESCE(message_id, id || '@' || @domain)
			WHERE tenant_id = @tenant AND id = @mail AND state = 'queued'
			RETURNING attempts, reason`,
		Write: w.write,
		// The mail is not kept in an outbox, because its readers could choose the password.
		End: `
			UPDATE link_mails
			SET state = CASE WHEN @kept THEN 'failed' ELSE @state::text END,
				reason = CASE WHEN @kept THEN upper(left(@reason, 1)) || substr(@reason, 2) || '.' ELSE @reason END,
				sent_at = CASE WHEN @state::text = 'sent' AND NOT @kept THEN now() END
			WHERE tenant_id = @tenant AND id = @mail AND state = 'queued'`,
	})
}

//go:embed message.txt message.html
var files embed.FS

type writer struct {
	pool            *pgxpool.Pool
	seed            secret.Seed
	origin, product string
	text            *template.Template
	html            *html.Template
}

// letter has the texts of a mail.
type letter struct {
	Email, Tenant string // Tenant is the operator's name for it, or the app's, because owners' input must not get into the mail
	AskedBy       string // "" for the recipient
	Invited       bool   // whether the user has not chosen a password yet
	Link, Until   string
}

// write composes a mail, unless its link is no longer valid.
func (w writer) write(ctx context.Context, job Job) (mailer.Letter, error) {
	var l letter
	var m mailer.Letter
	var link uuid.UUID
	var hash []byte
	var until time.Time
	err := postgres.InTenant(ctx, w.pool, job.Tenant, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `
			SELECT m.recipient, m.asked_by, m.message_id, m.created_at, u.password_hash = '', u.link_id, u.link_hash,
				u.link_expires_at, CASE WHEN t.sign_up_id IS NULL THEN t.name ELSE $3 END, t.demo
			FROM link_mails m
			JOIN users u ON u.tenant_id = m.tenant_id AND u.id = m.user_id
				AND u.link_id = m.link_id AND u.link_used_at IS NULL AND u.link_expires_at > now() AND u.disabled_at IS NULL
			JOIN tenants t ON t.id = m.tenant_id
			WHERE m.tenant_id = $1 AND m.id = $2`, job.Tenant, job.Mail, w.product).
			Scan(&m.To, &l.AskedBy, &m.MessageID, &m.Date, &l.Invited, &link, &hash, &until, &l.Tenant, &m.Demo)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return m, &mailer.UnwrittenError{Outcome: mailer.Dropped, Reason: "The link was used or withdrawn, or had expired."}
	}
	if err != nil {
		return m, &mailer.UnwrittenError{Outcome: mailer.Again, Reason: "The link couldn't be read.", Err: err}
	}
	token := w.seed.Derive("link", link)
	if !bytes.Equal(account.HashToken(token), hash) {
		return m, &mailer.UnwrittenError{
			Outcome: mailer.Failed, Reason: "SECRET_KEY has changed since the link was created. Withdraw the link and create another one.",
		}
	}
	l.Email, l.Link = m.To, w.origin+"/join?"+url.Values{Parameter: {token}}.Encode()
	l.Until = until.UTC().Format("2 January 2006, 15:04 UTC")
	var text, page strings.Builder
	if err := w.text.Execute(&text, l); err != nil {
		return m, fmt.Errorf("write the text: %w", err)
	}
	if err := w.html.Execute(&page, l); err != nil {
		return m, fmt.Errorf("write the HTML: %w", err)
	}
	m.From, m.Subject, m.Text, m.HTML = l.Tenant, "Choose a new password for "+l.Tenant, text.String(), page.String()
	if l.Invited {
		m.Subject = "Your invitation to " + l.Tenant
	}
	return m, nil
}
