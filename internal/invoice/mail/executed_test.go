package mail_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice/credit"
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
	b.Exec(`UPDATE mails SET state = 'failed'`)
	storetest.Execute(sql, "a failed one again", mail.Send, uuid.Nil, 0, mail.Draft{InvoiceID: inv.ID, Failed: sent.ID})
	credited, err := credit.Input{}.Draft(inv)
	must.OK(t, err)
	note, err := credit.Create.Do(t.Context(), b.Store, b.Intent("credit"), credited)
	must.OK(t, err)
	storetest.Execute(sql, "a credit note", mail.Send, uuid.Nil, 0, mail.Draft{InvoiceID: inv.ID, CreditNote: note.Value.Header.ID})
	storetest.Execute(sql, "", mail.SetTexts, b.Tenant, 1, mail.Wording{InvoiceText: "Here is {number}."})
	storetest.Record(sql, "email texts", mail.AllTexts, b.Tenant)
	sql.Lookup("email texts of an invoice", func(ctx context.Context, pool *pgxpool.Pool) error {
		_, _, err := mail.WordingOf(ctx, pool, b.Tenant, inv, mail.KindInvoice, credit.Note{})
		return err
	})
	storetest.Find(sql, "newest failures", mail.Failures, 5)
}
