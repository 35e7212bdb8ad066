package e2e

import (
	"net/http"
)

// clean takes back what the session has made in a deployment: it voids its invoices and archives its customers. What can
// be neither is named: an invoice with payments stays what it is.
func (s *session) clean() {
	s.t.Helper()
	s.voidInvoices()
	for _, customer := range s.marked("customers") {
		if status := s.takeBack("/customers/" + customer.ID + "/archive"); status/100 != 2 {
			s.t.Errorf("archive %s: status %d", customer.Name, status)
		}
	}
}

// takeBack makes a transition, which is safe to ask for again.
func (s *session) takeBack(path string) int {
	s.t.Helper()
	return s.ask(http.MethodPost, path, s.mark+" clean "+path, struct{}{}).StatusCode
}
