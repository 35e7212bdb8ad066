package batch_test

import (
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice/batch"
)

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := setup(t)
	all := b.drafts(1)
	sql := b.Executed()
	of := storetest.Execute(sql, "", batch.Create, uuid.Nil, 0, b.command(batch.ActionIssue, all...))
	b.Exec(`UPDATE invoice_batches SET asked_by = $1`, asker)
	sql.Section("work", "the job of a batch", func() error { return b.work(b.Store, of) })
	storetest.List(sql, "batches", batch.List)
	storetest.Record(sql, "batch", batch.Table, of.ID)
}
