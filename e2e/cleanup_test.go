package e2e

import (
	"net/http"
)

// clean removes the session's records from a deployment: it voids the invoices and archives the customers. It logs the records that
// cannot be removed: an invoice with payments stays unchanged.
func (s *session) clean() {
	s.t.Helper()
	s.voidInvoices()
	for _, customer := range s.marked("customers") {
		if status := s.takeBack("/customers/" + customer.ID + "/archive"); status/100 != 2 {
			s.t.Errorf("archive %s: status %d", customer.Name, status)
		}
	}
}

// takeBack makes a transition, which is safe to repeat.
func (s *session) takeBack(path string) int {
	s.t.Helper()
	return s.ask(http.MethodPost, path, s.mark+" clean "+path, struct{}{}).StatusCode
}
