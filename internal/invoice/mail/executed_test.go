package mail_test

import (
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/mail"
	"onlyonce/internal/must"
)

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := invoicetest.Setup(t)
	inv := b.Issued("i")
	sql := b.Executed()
	d, err := mail.Input{}.Draft(inv.ID)
	must.OK(t, err)
	sent := storetest.Execute(sql, "", mail.Send, uuid.Nil, 0, d)
	storetest.Pages(sql, "emails", mail.List)
	storetest.List(sql, "emails about an invoice", storetest.By(mail.ListOf, inv.ID))
	storetest.List(sql, "emails with a credit note", storetest.By(mail.ListOfCreditNote, inv.ID))
	storetest.Record(sql, "email", mail.Table, sent.ID)
	storetest.Find(sql, "newest failures", mail.Failures, 5)
}
