package web

import (
	"net/http"

	"onlyonce/internal/credit"
	"onlyonce/internal/document"
	"onlyonce/internal/invoice"
	"onlyonce/internal/pdf"
)

// documentsAtOnce is how many documents are rendered at once: the largest ones take a processor for half a second, and
// some 60 MB.
const documentsAtOnce = 2

func (s *Server) invoicePDF(r *http.Request, inv invoice.Invoice) (file, error) {
	shown, err := document.Of(inv)
	if err != nil {
		return file{}, err
	}
	return s.pdfFile(r, document.Name(inv), shown)
}

func (s *Server) creditNotePDF(r *http.Request, n credit.Note) (file, error) {
	inv, err := invoice.Table.Find(r.Context(), s.pool, principal(r).Tenant, n.InvoiceID)
	if err != nil {
		return file{}, err
	}
	return s.pdfFile(r, document.CreditNoteName(n), document.OfCreditNote(n, inv))
}

// pdfFile renders a document, for few at once. It returns errCrowded to those that wait too long.
func (s *Server) pdfFile(r *http.Request, name string, shown pdf.Document) (file, error) {
	if err := take(r.Context(), s.rendered); err != nil {
		return file{}, err
	}
	defer s.rendered.Release(1)
	content, err := s.documents.Render(shown)
	return file{name, content}, err
}
