package invoiceimport_test

import "testing"

// TestExecutedSQL compares testdata with the statements of a preview.
func TestExecutedSQL(t *testing.T) {
	b := setup(t)
	of := b.Uploaded("upload", xero+rows(0, 1))
	sql := b.Executed()
	sql.Section("preview", "the verdicts on a file", func() error {
		b.Preview(of)
		return nil
	})
}
