package web

import (
	"net/http"

	"onlyonce/internal/document"
	"onlyonce/internal/invoice"
)

// documentsAtOnce is how many documents are rendered at once: the largest ones take a processor for half a second, and
// some 60 MB.
const documentsAtOnce = 2

// invoicePDF renders an invoice, for few at once. It returns errCrowded to those that wait too long.
func (s *Server) invoicePDF(r *http.Request, inv invoice.Invoice) (file, error) {
	shown, err := document.Of(inv)
	if err != nil {
		return file{}, err
	}
	if err := take(r.Context(), s.rendered); err != nil {
		return file{}, err
	}
	defer s.rendered.Release(1)
	content, err := s.documents.Render(shown)
	return file{document.Name(inv), content}, err
}
