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
	storetest.Record(sql, "reminder", reminder.Table, sent.ID)
	batch := storetest.Execute(sql, "", reminder.SendBatch, uuid.Nil, 0, b.batch("1", inv))
	storetest.List(sql, "batches", reminder.BatchList)
	storetest.Record(sql, "batch", reminder.Batches, batch.ID)
	plan := storetest.Execute(sql, "", reminder.SetPlan, uuid.Nil, 0, reminder.PlanDraft{FirstAfter: 1, SecondAfter: 14, FinalAfter: 14})
	storetest.Record(sql, "invoice with its next reminder", reminder.Invoices, inv.ID)
	sql.Section("send_due", "reminders that are due", func() error { return reminder.SendDue(t.Context(), b.Store, b.Tenant) })
	storetest.Execute(sql, "", reminder.RemovePlan, plan.ID, 0, struct{}{})
	storetest.List(sql, "plans", reminder.PlanList)
	storetest.Record(sql, "plan", reminder.Plans, plan.ID)
}
