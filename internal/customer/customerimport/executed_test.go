package customerimport_test

import (
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/customer/customerimport"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/importing"
	"onlyonce/internal/importing/importingtest"
)

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := setup(t)
	sql := b.Executed()
	of := storetest.Execute(sql, "", customerimport.Kind.Upload, uuid.Nil, 0, b.Command("Name,Email\nAda,ada@example.com\n"))
	storetest.Refuse(sql, &importing.NotConfirmed, customerimport.Kind.Stop, of.ID, 0, struct{}{})
	storetest.Execute(sql, "", customerimport.Kind.Confirm, of.ID, 0, of.Settings)
	b.Exec(`UPDATE imports SET asked_by = $1`, importingtest.Actor)
	sql.Section("work", "the job of an import", func() error { return b.Work(t.Context(), b.Store, of) })
	storetest.Execute(sql, "", customerimport.Kind.Stop, of.ID, 0, struct{}{})
	storetest.Execute(sql, "", customerimport.Kind.Continue, of.ID, 0, struct{}{})
	storetest.Execute(sql, "", customerimport.Kind.Stop, of.ID, 0, struct{}{})
	storetest.Execute(sql, "", customerimport.Kind.TakeBack, of.ID, 0, struct{}{})
	storetest.List(sql, "imports", customerimport.Kind.List)
	storetest.Record(sql, "import", customerimport.Kind.Table, of.ID)
}
