package e2e

import (
	"fmt"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// atForm is loggedIn, on a new form.
func atForm(t *testing.T, options ...option) *session {
	t.Helper()
	s := loggedIn(t, options...)
	s.newInvoice()
	return s
}

// atFilledForm is atForm, with a complete invoice.
func atFilledForm(t *testing.T, options ...option) *session {
	t.Helper()
	s := atForm(t, options...)
	s.fillInvoice(s.number(1))
	return s
}

// newInvoice opens a new form, with a new key.
func (s *session) newInvoice() {
	s.t.Helper()
	s.open("/invoices/new")
	s.seesHeading(headingNewInvoice)
}

// fillInvoice types a complete invoice with one line: 2 × 50.00 and 23 % tax make 123.00.
func (s *session) fillInvoice(number string) {
	s.t.Helper()
	s.fill(fieldCustomerEmail, s.email("ada"))
	s.fill(fieldCustomerName, s.named("Ada Byron"))
	s.fill(fieldNumber, number)
	s.fillLine(1, "Design of "+number, "2", "50.00", "23")
}

// suggestion returns the number that the form shows as a placeholder. In a deployment, no other session uses it until the test
// ends.
func (s *session) suggestion() string {
	s.t.Helper()
	s.keepSeries()
	s.holds(fieldNumber, "")
	number, err := s.field(fieldNumber).GetAttribute("placeholder")
	s.check(err, "read the suggested number")
	return number
}

// fillLine types into an existing line; the first is line 1.
func (s *session) fillLine(position int, description, quantity, price, rate string) {
	s.t.Helper()
	for _, cell := range []struct{ label, text string }{
		{fieldDescription, description}, {fieldQuantity, quantity}, {fieldUnitPrice, price}, {fieldTaxRate, rate},
	} {
		s.check(s.line(position).GetByLabel(cell.label).Fill(cell.text), "fill "+cell.label)
	}
}

func (s *session) line(position int) playwright.Locator {
	return s.page.GetByRole("group", playwright.PageGetByRoleOptions{Name: fmt.Sprint("Line ", position), Exact: new(true)})
}

// create presses the form's button once and waits for the next page.
func (s *session) create() {
	s.t.Helper()
	s.click(buttonCreateInvoice)
}
