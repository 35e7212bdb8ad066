package web

import (
	"context"
	"net/http"

	"golang.org/x/sync/semaphore"

	"onlyonce/internal/credit"
	"onlyonce/internal/document"
	"onlyonce/internal/invoice"
	"onlyonce/internal/pdf"
)

// documentsAtOnce is how many documents are rendered at once: the largest ones take a processor for half a second, and
// some 60 MB.
const documentsAtOnce = 2

// documents renders invoices and credit notes as PDF files.
type documents struct {
	renderer *pdf.Renderer
	rendered *semaphore.Weighted // those that are rendered now
}

func newDocuments() *documents {
	return &documents{renderer: pdf.New(), rendered: semaphore.NewWeighted(documentsAtOnce)}
}

func (d *documents) ofInvoice(r *http.Request, inv invoice.Invoice) (file, error) {
	shown, err := document.Of(inv)
	if err != nil {
		return file{}, err
	}
	return d.file(r.Context(), document.Name(inv), shown)
}

// file renders a document, for few at once. It returns errCrowded to those that wait too long.
func (d *documents) file(ctx context.Context, name string, shown pdf.Document) (file, error) {
	if err := take(ctx, d.rendered); err != nil {
		return file{}, err
	}
	defer d.rendered.Release(1)
	content, err := d.renderer.Render(shown)
	return file{name, content}, err
}

// creditNotePDF needs the invoice of the note too.
func (s *Server) creditNotePDF(documents *documents) func(*http.Request, credit.Note) (file, error) {
	return func(r *http.Request, n credit.Note) (file, error) {
		inv, err := invoice.Table.Find(r.Context(), s.pool, principal(r).Tenant, n.InvoiceID)
		if err != nil {
			return file{}, err
		}
		return documents.file(r.Context(), document.CreditNoteName(n), document.OfCreditNote(n, inv))
	}
}
