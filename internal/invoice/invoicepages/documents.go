package invoicepages

import (
	"context"
	"net/http"

	"golang.org/x/sync/semaphore"

	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/document"
	"onlyonce/internal/invoice/pdf"
	"onlyonce/internal/record"
	"onlyonce/internal/web"
)

// documentsAtOnce is the number of documents rendered concurrently. The largest ones take half a second of CPU time and some 60 MB.
const documentsAtOnce = 2

// documents renders invoices and credit notes as PDF files.
type documents struct {
	renderer *pdf.Renderer
	rendered *semaphore.Weighted // limits concurrent renderings
}

func newDocuments() *documents {
	return &documents{renderer: pdf.New(), rendered: semaphore.NewWeighted(documentsAtOnce)}
}

// invoicePDF renders an invoice.
func (s *Pages) invoicePDF(r *http.Request, inv invoice.Invoice) (web.File, error) {
	logo, err := document.Logo(r.Context(), s.Pool, web.Principal(r).Tenant, inv)
	if err != nil {
		return web.File{}, err
	}
	shown, err := document.Of(inv, logo)
	if err != nil {
		return web.File{}, err
	}
	return s.documents.file(r.Context(), document.Name(inv), shown)
}

// file renders a document, a few at a time. It returns errCrowded if it waits too long.
func (d *documents) file(ctx context.Context, name string, shown pdf.Document) (web.File, error) {
	if err := web.TakePlace(ctx, d.rendered); err != nil {
		return web.File{}, err
	}
	defer d.rendered.Release(1)
	content, err := d.renderer.Render(shown)
	return web.File{Name: name, Content: content}, err
}

// creditNotePDF renders a credit note, together with data of its invoice.
func (s *Pages) creditNotePDF(r *http.Request, n credit.Note) (web.File, error) {
	inv, err := record.Find(r.Context(), s.Pool, invoice.Table, web.Principal(r).Tenant, n.InvoiceID)
	if err != nil {
		return web.File{}, err
	}
	logo, err := document.Logo(r.Context(), s.Pool, web.Principal(r).Tenant, inv)
	if err != nil {
		return web.File{}, err
	}
	return s.documents.file(r.Context(), document.CreditNoteName(n), document.OfCreditNote(n, inv, logo))
}
