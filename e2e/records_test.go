package e2e

import (
	"slices"
)

// records are what a scenario asks of the data itself, whatever the pages say: by SQL where the test has the database, and of
// a deployment by its API.
type records interface {
	// customerChanges returns the operations on the customers of this test, in order, and how many versions they made.
	customerChanges() (operations []string, versions int)
	invoiceRecords
}

// hasChanged holds which changes of customers there were in this test: each made
// one version, and has one intent.
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
