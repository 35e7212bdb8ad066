package mail

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"golang.org/x/sync/semaphore"

	"onlyonce/internal/conflict"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/document"
	"onlyonce/internal/invoice/pdf"
	"onlyonce/internal/mailer"
	"onlyonce/internal/record"
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
	found, err := record.Find(ctx, w.pool, Table, job.Tenant, job.Mail)
	if err != nil {
		return mailer.Letter{}, unread(err)
	}
	m := source{Mail: found}
	if m.invoice, err = record.Find(ctx, w.pool, invoice.Table, job.Tenant, m.InvoiceID); err != nil {
		return mailer.Letter{}, unread(err)
	}
	if m.Kind != KindVoid && Possible(m.invoice) != nil {
		return mailer.Letter{}, &mailer.UnwrittenError{Outcome: mailer.Dropped, Reason: "The invoice was voided before it could be sent."}
	}
	if m.Level() > 0 && m.invoice.Open == 0 {
		return mailer.Letter{}, &mailer.UnwrittenError{
			Outcome: mailer.Dropped, Reason: "Nothing is open on the invoice any more.",
		}
	}
	if m.CreditNoteID != uuid.Nil {
		if m.note, err = record.Find(ctx, w.pool, credit.Table, job.Tenant, m.CreditNoteID); err != nil {
			return mailer.Letter{}, unread(err)
		}
	}
	var demo bool
	if err := w.pool.QueryRow(ctx, `SELECT demo FROM tenants WHERE id = $1`, job.Tenant).Scan(&demo); err != nil {
		return mailer.Letter{}, unread(err)
	}
	var files []mailer.File
	if m.Kind != KindVoid {
		if m.logo, err = document.Logo(ctx, w.pool, job.Tenant, m.invoice.Seller); err != nil {
			return mailer.Letter{}, unread(err)
		}
		if files, err = w.attachments(ctx, m); err != nil {
			return mailer.Letter{}, &mailer.UnwrittenError{
				Outcome: mailer.Again, Reason: "The attachment couldn't be written.", Err: err,
			}
		}
	}
	l, err := w.letters.write(m, files)
	l.Demo = demo
	return l, err
}

// maxAttachment is the maximum size of an attached file, in bytes, because mail servers refuse large messages. A typical PDF file has
// 34 kB.
const maxAttachment = 5 << 20

// attachments returns the credit note, or the issued invoice, as a PDF file, and the e-invoice if the mail has one and no required data is
// missing. It leaves out files that are too large.
func (w writer) attachments(ctx context.Context, m source) (files []mailer.File, err error) {
	add := func(name, kind string, content []byte) {
		if len(content) <= maxAttachment {
			files = append(files, mailer.File{Name: name, Type: kind, Content: content})
		}
	}
	name, shown := document.CreditNoteName(m.note), document.OfCreditNote(m.note, m.invoice, m.logo)
	if m.CreditNoteID == uuid.Nil {
		name = document.Name(m.invoice)
		shown, err = document.Of(m.invoice, m.logo)
	}
	if err != nil {
		return nil, err
	}
	content, err := w.render(ctx, shown)
	if err != nil {
		return nil, err
	}
	add(name, pdfType, content)
	if !m.EInvoice {
		return files, nil
	}
	if m.CreditNoteID != uuid.Nil {
		name = document.ECreditNoteName(m.note)
		content, err = document.ECreditNote(m.note, m.invoice)
	} else {
		name = document.EInvoiceName(m.invoice)
		content, err = document.EInvoice(m.invoice)
	}
	if refused, ok := errors.AsType[*conflict.Error](err); ok && refused.Kind == &document.Incomplete {
		return files, nil
	}
	if err != nil {
		return nil, err
	}
	add(name, xmlType, content)
	return files, nil
}

func (w writer) render(ctx context.Context, shown pdf.Document) ([]byte, error) {
	if err := w.rendered.Acquire(ctx, 1); err != nil {
		return nil, fmt.Errorf("wait for another document: %w", err)
	}
	defer w.rendered.Release(1)
	return w.documents.Render(shown)
}
