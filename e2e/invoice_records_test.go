package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"onlyonce/internal/assert"
)

// invoiceRecords are queries about invoices.
type invoiceRecords interface {
	// invoices counts this test's invoices with a number, or all for "".
	invoices(number string) int
	// life returns the changes of an invoice, like customerChanges, without the versions made by payments.
	life(number string) (operations []string, versions int)
	// payments returns the amounts of the payments of an invoice, in order, and its paid amount.
	payments(number string) (amounts []string, paid string)
	// books returns the state and amounts of an invoice, in the format of booksText.
	books(number string) string
}

func booksText(state, paid, credited, open string, refunds, notes int) string {
	return fmt.Sprintf("%s: %s paid, %s credited, %s open, %d refunds, %d credit notes", state, paid, credited, open, refunds, notes)
}

// hasOneNew checks that exactly one invoice was created in this test, with this number.
func (s *session) hasOneNew(number string) {
	s.t.Helper()
	s.hasNew(1)
	s.hasInvoices(number, 1)
}

// hasNew checks the number of invoices created in this test.
func (s *session) hasNew(want int) {
	s.t.Helper()
	s.hasInvoices("", want)
}

// hasInvoices checks the count of this test's invoices with a number.
func (s *session) hasInvoices(number string, want int) {
	s.t.Helper()
	what := "new invoices"
	if number != "" {
		what = "invoices with the number " + number
	}
	n := s.records.invoices(number)
	s.tellf(byRecords, "%s: %d", what, n)
	assert.Thatf(s.t, n == want, "%s: %d, want %d", what, n, want)
}

// hasLived checks the operations on the first invoice, in order: each made one version.
func (s *session) hasLived(want ...string) {
	s.t.Helper()
	operations, versions := s.records.life(s.number(1))
	s.tellf(byRecords, "invoice %s was changed by %v", s.number(1), operations)
	assert.Thatf(s.t, slices.Equal(operations, want), "the invoice was changed by %v, want %v", operations, want)
	assert.Thatf(s.t, versions == len(want), "%d versions of the invoice were made, want %d", versions, len(want))
}

// hasPaid checks the payments of an invoice, in whole units of its currency, and its paid amount.
func (s *session) hasPaid(number string, want ...int) {
	s.t.Helper()
	amounts, paid := s.records.payments(number)
	s.tellf(byRecords, "invoice %s has the payments %v", number, amounts)
	sum := 0
	var expected []string
	for _, amount := range want {
		sum += amount
		expected = append(expected, fmt.Sprintf("%d.00", amount))
	}
	assert.Thatf(s.t, slices.Equal(amounts, expected) && paid == fmt.Sprintf("%d.00", sum),
		"the payments are %v and %s is paid, want %v", amounts, paid, expected)
}

// hasBooks checks the state and amounts of an invoice.
func (s *session) hasBooks(number, want string) {
	s.t.Helper()
	books := s.records.books(number)
	s.tellf(byRecords, "invoice %s is %s", number, books)
	assert.Thatf(s.t, books == want, "the books are %s, want %s", books, want)
}

// voidInvoices voids the session's invoices in a deployment.
func (s *session) voidInvoices() {
	s.t.Helper()
	for _, invoice := range s.marked("invoices") {
		if invoice.Status == "void" {
			continue
		}
		if status := s.takeBack("/invoices/" + invoice.ID + "/void"); status == http.StatusConflict {
			s.t.Logf("left behind: %s (%s, %s)", invoice.Number, strings.ReplaceAll(invoice.Status, "_", " "), invoice.Total)
		} else if status/100 != 2 {
			s.t.Errorf("void %s: status %d", invoice.Number, status)
		}
	}
}

// isDoneOnce checks that the page shows the first invoice with a message, that only this one was created, and the outcomes of the attempts,
// if they are given.
func (s *session) isDoneOnce(message string, attempts ...string) {
	s.t.Helper()
	s.seesInvoice(s.number(1), message)
	s.hasOneNew(s.number(1))
	if len(attempts) > 0 {
		s.attempts(attempts...)
	}
}

// seesInvoice checks that the page shows the invoice, with a message above.
func (s *session) seesInvoice(number, message string) {
	s.t.Helper()
	s.seesHeading(headingInvoice(number))
	s.sees(message)
	s.sees("123.00")
}
