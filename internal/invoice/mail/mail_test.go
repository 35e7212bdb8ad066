package mail_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/mail"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func TestJobIsOneOfRiver(t *testing.T) {
	b := invoicetest.Setup(t)
	b.Issued("one")
	b.DB.IsOfRiver(t, mail.Job{Tenant: b.Tenant, Mail: storetest.Value[uuid.UUID](b, `SELECT id FROM mails`)})
}

// TestNoMailWithoutItsJob checks that a rolled back transaction leaves neither a mail nor its job.
func TestNoMailWithoutItsJob(t *testing.T) {
	b := invoicetest.Setup(t)
	id := b.Issued("one").ID
	refused := errors.New("no")
	err := postgres.InTenant(t.Context(), b.DB.Pool, b.Tenant, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `INSERT INTO mails (tenant_id, id, invoice_id) VALUES ($1, $2, $3)`, b.Tenant, uuid.New(), id)
		return errors.Join(err, refused)
	})
	must.Thatf(t, errors.Is(err, refused), "%v", err)
	mails := storetest.Value[int](b, `SELECT count(*) FROM mails`)
	jobs := storetest.Value[int](b, `SELECT count(*) FROM river.river_job`)
	assert.Thatf(t, mails == 1 && jobs == 1, "%d mails and %d jobs", mails, jobs)
}

// TestSendOrVoid checks that no mail is queued after an invoice was voided concurrently.
func TestSendOrVoid(t *testing.T) {
	b := invoicetest.Setup(t)
	for round := range 20 {
		inv := b.Issued(fmt.Sprint(round))
		d, err := mail.Input{}.Draft(inv.ID)
		must.OK(t, err)
		sent, voided := storetest.Both(func() error {
			_, err := mail.Send.Do(context.Background(), b.Store, b.Intent(fmt.Sprint("send", round)), d)
			return err
		}, func() error { return b.Void(fmt.Sprint("void", round), inv) })
		assert.Thatf(t, (sent == nil || storetest.IsConflict(sent, &invoice.NotIssued)) && voided == nil,
			"sent: %v, voided: %v", sent, voided)
	}
	assert.Equal(t, storetest.Value[int](b, `
		SELECT count(*) FROM intents s JOIN mails m ON m.id = s.record_id JOIN intents v ON v.record_id = m.invoice_id
		WHERE s.operation = 'mail.send' AND v.operation = 'invoice.void' AND s.at > v.at`),
		0, "mails were queued after their invoice was voided")
}
