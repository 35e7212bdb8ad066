package invoicepages

import (
	"context"
	"net/http"

	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/document"
	"onlyonce/internal/invoice/pdf"
	"onlyonce/internal/web"
)

// documentsAtOnce is the number of documents rendered concurrently. The largest ones take half a second of CPU time and some 60 MB.
const documentsAtOnce = 2

// invoicePDF renders an invoice.
func (s *Pages) invoicePDF(r *http.Request, inv invoice.Invoice) (web.File, error) {
	logo, err := document.Logo(r.Context(), s.site.Pool, web.Principal(r).Tenant, inv.Seller)
	if err != nil {
		return web.File{}, err
	}
	shown, err := document.Of(inv, logo)
	if err != nil {
		return web.File{}, err
	}
	return s.PDF(r.Context(), document.Name(inv), shown)
}

// PDF renders a document, a few at a time. It returns the error of [web.TakePlace] if it waits too long.
func (s *Pages) PDF(ctx context.Context, name string, shown pdf.Document) (web.File, error) {
	if err := web.TakePlace(ctx, s.rendered); err != nil {
		return web.File{}, err
	}
	defer s.rendered.Release(1)
	content, err := s.renderer.Render(shown)
	return web.File{Name: name, Content: content}, err
}
