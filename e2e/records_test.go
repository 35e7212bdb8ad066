package e2e

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"onlyonce/internal/assert"
)

// records are queries about the data, independent of the pages: by SQL if the test has the database, and by the API for a
// deployment.
type records interface {
	// customerChanges returns the operations on the customers of this test, in order, and the number of versions that they made.
	customerChanges() (operations []string, versions int)
	invoiceRecords
}

// hasChanged checks the changes of customers in this test: each made one version, and has one intent.
func (s *session) hasChanged(want ...string) {
	s.t.Helper()
	operations, versions := s.records.customerChanges()
	s.tellf(byRecords, "customers were changed by %v", operations)
	assert.Thatf(s.t, slices.Equal(operations, want), "the changes are %v, want %v", operations, want)
	assert.Thatf(s.t, versions == len(want), "%d versions were made, want %d", versions, len(want))
}

// Every record of a session carries its mark, so that parallel tests can share a business, and people recognize the records in a
// deployment. One search finds all.

// newMark returns a word such as E2E4f2a91c3.
func newMark() string {
	random := make([]byte, 4)
	_, _ = rand.Read(random) // never fails
	return fmt.Sprintf("E2E%x", random)
}

// number returns an invoice number that no other session uses, such as E2E4f2a91c3-1.
func (s *session) number(n int) string { return fmt.Sprintf("%s-%d", s.mark, n) }

// named returns a name that no other session uses, such as E2E4f2a91c3 Ada Byron.
func (s *session) named(name string) string { return s.mark + " " + name }

// email returns an address of a customer that no other session uses. Mail to it can never arrive (RFC 6761).
func (s *session) email(who string) string { return who + "@" + strings.ToLower(s.mark) + ".test" }
