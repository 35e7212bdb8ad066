package mail

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"golang.org/x/sync/semaphore"

	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/document"
	"onlyonce/internal/invoice/pdf"
	"onlyonce/internal/mailer"
)

// Job is the job of a mail about an invoice.
type Job struct {
	Tenant uuid.UUID `json:"tenant"`
	Mail   uuid.UUID `json:"mail"`
}

// Kind returns the name under which the trigger queue_mail inserts the job.
func (Job) Kind() string { return "mail" }

// InsertOpts returns the options with which the trigger queue_mail inserts the job.
func (Job) InsertOpts() river.InsertOpts { return mailer.JobOptions() }

// IDs returns the ids of the tenant and of the mail.
func (j Job) IDs() (tenant, mail uuid.UUID) { return j.Tenant, j.Mail }

// writer composes mails.
type writer struct {
	pool      *pgxpool.Pool
	letters   letters
	documents *pdf.Renderer
	rendered  *semaphore.Weighted // one document at a time: the largest ones take some 60 MB
}

// NewWorker returns the worker that sends mails about invoices. It returns an error if the sender has no domain.
func NewWorker(c mailer.Config) (*mailer.Worker[Job], error) {
	letters, err := parseLetters()
	if err != nil {
		return nil, err
	}
	w := writer{pool: c.Pool, letters: letters, documents: pdf.New(), rendered: semaphore.NewWeighted(1)}
	return mailer.NewWorker(c, mailer.Mails[Job]{
		Begin: `
			UPDATE mails SET attempts = attempts + 1, message_id = COALESCE(message_id, id || '@' || @domain)
			WHERE tenant_id = @tenant AND id = @mail AND state = 'queued'
			RETURNING attempts, reason`,
		Write: w.write,
		End: `
			UPDATE mails
			SET state = @state::text, reason = @reason, body = @text, kept = @kept, sent_at = CASE WHEN @state::text = 'sent' THEN now() END
			WHERE tenant_id = @tenant AND id = @mail AND state = 'queued'`,
	})
}

// write composes a mail with its attachment.
func (w writer) write(ctx context.Context, job Job) (mailer.Letter, error) {
	unread := func(err error) error {
		return &mailer.UnwrittenError{Outcome: mailer.Again, Reason: "The invoice couldn't be read.", Err: err}
	}
	m, err := Table.Find(ctx, w.pool, job.Tenant, job.Mail)
	if err != nil {
		return mailer.Letter{}, unread(err)
	}
	inv, err := invoice.Table.Find(ctx, w.pool, job.Tenant, m.InvoiceID)
	if err != nil {
		return mailer.Letter{}, unread(err)
	}
	if m.Kind != KindVoid && Possible(inv) != nil {
		return mailer.Letter{}, &mailer.UnwrittenError{Outcome: mailer.Dropped, Reason: "The invoice was voided before it could be sent."}
	}
	if m.Level() > 0 && inv.Open == 0 {
		return mailer.Letter{}, &mailer.UnwrittenError{
			Outcome: mailer.Dropped, Reason: "Nothing is open on the invoice any more.",
		}
	}
	var demo bool
	if err := w.pool.QueryRow(ctx, `SELECT demo FROM tenants WHERE id = $1`, job.Tenant).Scan(&demo); err != nil {
		return mailer.Letter{}, unread(err)
	}
	var files []mailer.File
	var logo pdf.Image
	if m.Kind != KindVoid {
		if logo, err = document.Logo(ctx, w.pool, job.Tenant, inv); err != nil {
			return mailer.Letter{}, unread(err)
		}
		if files, err = w.attachments(ctx, m, inv, logo); err != nil {
			return mailer.Letter{}, &mailer.UnwrittenError{
				Outcome: mailer.Again, Reason: "The invoice couldn't be written as a file.", Err: err,
			}
		}
	}
	l, err := w.letters.write(m, inv, logo, files)
	l.Demo = demo
	return l, err
}

// maxAttachment is the maximum size of an attached file, in bytes, because mail servers refuse large messages. A typical PDF file has
// 34 kB.
const maxAttachment = 5 << 20

// attachments returns the issued invoice as a PDF file and, if the mail has one and no required data is missing, as an e-invoice. It leaves
// out files that are too large.
func (w writer) attachments(ctx context.Context, m Mail, inv invoice.Invoice, logo pdf.Image) (files []mailer.File, err error) {
	add := func(name, kind string, content []byte) {
		if len(content) <= maxAttachment {
			files = append(files, mailer.File{Name: name, Type: kind, Content: content})
		}
	}
	shown, err := w.render(ctx, inv, logo)
	if err != nil {
		return nil, err
	}
	add(document.Name(inv), pdfType, shown)
	if m.EInvoice && len(document.Lacks(inv)) == 0 {
		content, err := document.EInvoice(inv)
		if err != nil {
			return nil, err
		}
		add(document.EInvoiceName(inv), xmlType, content)
	}
	return files, nil
}

// render returns the issued invoice as a PDF file from its frozen data.
func (w writer) render(ctx context.Context, inv invoice.Invoice, logo pdf.Image) ([]byte, error) {
	shown, err := document.Of(inv, logo)
	if err != nil {
		return nil, err
	}
	if err := w.rendered.Acquire(ctx, 1); err != nil {
		return nil, fmt.Errorf("wait for another document: %w", err)
	}
	defer w.rendered.Release(1)
	return w.documents.Render(shown)
}
