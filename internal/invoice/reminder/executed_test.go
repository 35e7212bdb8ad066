package reminder_test

import (
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice/reminder"
)

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := setup(t)
	inv := b.overdue("i")
	sql := b.Executed()
	sent := storetest.Execute(sql, "", reminder.Send, uuid.Nil, 0, b.draft(inv, "1"))
	storetest.Refuse(sql, &reminder.NotNext, reminder.Send, uuid.Nil, 0, b.draft(inv, "2"))
	storetest.List(sql, "reminders of an invoice", storetest.By(reminder.ListOf, inv.ID))
	storetest.Find(sql, "reminder", reminder.Table.Find, sent.ID)
}
