package importing_test

import (
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/customer/importing"
	"onlyonce/internal/idempotency/storetest"
)

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := setup(t)
	sql := b.Executed()
	of := storetest.Execute(sql, "", importing.Upload, uuid.Nil, 0, command(t, "Name,Email\nAda,ada@example.com\n"))
	storetest.Refuse(sql, &importing.NotConfirmed, importing.Stop, of.ID, 0, struct{}{})
	storetest.Execute(sql, "", importing.Confirm, of.ID, 0, of.Settings)
	b.Exec(`UPDATE customer_imports SET asked_by = $1`, actor)
	sql.Section("work", "the job of an import", func() error { return b.work(t.Context(), b.Store, of) })
	storetest.Execute(sql, "", importing.Stop, of.ID, 0, struct{}{})
	storetest.Execute(sql, "", importing.Continue, of.ID, 0, struct{}{})
	storetest.List(sql, "imports", importing.List)
	storetest.Record(sql, "import", importing.Table, of.ID)
}
