package e2e

import (
	"slices"
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
	if !slices.Equal(operations, want) {
		s.t.Errorf("the changes are %v, want %v", operations, want)
	}
	if versions != len(want) {
		s.t.Errorf("%d versions were made, want %d", versions, len(want))
	}
}
