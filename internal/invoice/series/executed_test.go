package series_test

import (
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/series"
	"onlyonce/internal/must"
)

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := invoicetest.Setup(t)
	sql := b.Executed()
	d, err := series.Input{Number: "2026-0500"}.Draft()
	must.OK(t, err)
	storetest.Execute(sql, "", series.Set, uuid.Nil, 0, d)
	of, err := series.PatternInput{Pattern: "RE-{YYYY}-{NNNN}"}.Draft()
	must.OK(t, err)
	storetest.Execute(sql, "the pattern", series.SetPattern, uuid.Nil, 0, of)
	storetest.List(sql, "numbers that were set", series.List)
	storetest.List(sql, "patterns that were set", series.ListPatterns)
	storetest.Find(sql, "next numbers of a year", series.Of, 2026)
}
