package delivery

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"text/template"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"

	"onlyonce/internal/event/endpoint"
	"onlyonce/internal/mailer"
	"onlyonce/internal/postgres"
)

// MailJob mails an owner that an endpoint was switched off.
type MailJob struct {
	Tenant uuid.UUID `json:"tenant"`
	Mail   uuid.UUID `json:"mail"`
}

// Kind returns the name under which the trigger queue_endpoint_mail inserts the job.
func (MailJob) Kind() string { return "endpoint_mail" }

// InsertOpts returns the options that the trigger queue_endpoint_mail sets.
func (MailJob) InsertOpts() river.InsertOpts { return mailer.JobOptions() }

// IDs returns the ids of the tenant and of the mail.
func (j MailJob) IDs() (tenant, mail uuid.UUID) { return j.Tenant, j.Mail }

// NewMailWorker returns the worker of [MailJob]. Links begin with origin, the public URL of the app; without one, there are none. product
// is the name of the app. It returns an error if the sender has no domain.
func NewMailWorker(c mailer.Config, origin, product string) (*mailer.Worker[MailJob], error) {
	return mailer.NewWorker(c, mailer.Mails[MailJob]{
		Begin: `
			UPDATE endpoint_mails SET attempts = attempts + 1, message_id = COALESCE(message_id, id || '@' || @domain)
			WHERE tenant_id = @tenant AND id = @mail AND state = 'queued'
			RETURNING attempts, reason`,
		Write: func(ctx context.Context, job MailJob) (mailer.Letter, error) {
			return write(ctx, c.Pool, job, origin, product)
		},
		End: `
			UPDATE endpoint_mails
			SET state = CASE WHEN @kept THEN 'failed' ELSE @state::text END, reason = @reason,
				sent_at = CASE WHEN @state::text = 'sent' AND NOT @kept THEN now() END
			WHERE tenant_id = @tenant AND id = @mail AND state = 'queued'`,
	})
}

//go:embed message.txt
var messageText string

var message = template.Must(template.New("message").Parse(messageText))

// write composes a mail, unless its endpoint is on again or its recipient is no owner any more.
func write(ctx context.Context, pool *pgxpool.Pool, job MailJob, origin, product string) (mailer.Letter, error) {
	m := mailer.Letter{From: product}
	var v struct{ Tenant, Address, Reason, Since, Answer, Link string }
	var id uuid.UUID
	var since time.Time
	var status int
	err := postgres.InTenant(ctx, pool, job.Tenant, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `
			SELECT u.email, m.message_id, m.created_at, t.demo, t.name, e.id, e.address, e.disabled_reason, m.failing_since,
				COALESCE(m.status, 0), m.answer
			FROM endpoint_mails m
			JOIN endpoints e ON e.tenant_id = m.tenant_id AND e.id = m.endpoint_id AND e.disabled_at = m.disabled_at
			JOIN users u ON u.tenant_id = m.tenant_id AND u.id = m.user_id AND u.role = 'owner' AND u.disabled_at IS NULL
			JOIN tenants t ON t.id = m.tenant_id
			WHERE m.tenant_id = $1 AND m.id = $2`, job.Tenant, job.Mail).
			Scan(&m.To, &m.MessageID, &m.Date, &m.Demo, &v.Tenant, &id, &v.Address, &v.Reason, &since, &status, &v.Answer)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return m, &mailer.UnwrittenError{Outcome: mailer.Dropped, Reason: "The endpoint is on again, or the recipient isn't an owner."}
	}
	if err != nil {
		return m, &mailer.UnwrittenError{Outcome: mailer.Again, Reason: "The endpoint couldn't be read.", Err: err}
	}
	v.Since = since.UTC().Format("2 January 2006, 15:04 UTC")
	if status != 0 {
		v.Answer = strings.TrimSpace(fmt.Sprintf("The last answer was %d %s", status, http.StatusText(status))) + "."
	}
	if origin != "" {
		v.Link = origin + "/endpoints/" + id.String()
	}
	var text strings.Builder
	if err := message.Execute(&text, v); err != nil {
		return m, fmt.Errorf("write the text: %w", err)
	}
	m.Subject, m.Text = "An endpoint of "+v.Tenant+" was switched off", text.String()
	return m, nil
}

// expire deletes the deliveries and the mails of a tenant that are older than [endpoint.Keep].
func expire(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID) error {
	if err := endpoint.Expire(ctx, pool, tenant); err != nil {
		return err
	}
	return postgres.InTenant(ctx, pool, tenant, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			DELETE FROM endpoint_mails WHERE tenant_id = $1 AND id < (SELECT new_id(now() - $2::interval))`, tenant, endpoint.Keep)
		return err
	})
}
