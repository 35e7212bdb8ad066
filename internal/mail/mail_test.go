package mail_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/mail"
	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// bundle is a store of its own with one tenant.
type bundle struct {
	*testing.T

	db     *pgtest.Database
	store  *idempotency.Store
	tenant uuid.UUID
}

func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	b := &bundle{T: t, db: pgtest.New(t), tenant: uuid.New()}
	b.store = &idempotency.Store{Pool: b.db.Pool, Wait: 10 * time.Second, Timeout: 20 * time.Second}
	if _, err := b.db.Pool.Exec(t.Context(), `INSERT INTO tenants (id, name) VALUES ($1, 'Test')`, b.tenant); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bundle) of(k string, id uuid.UUID) idempotency.Intent {
	b.Helper()
	parsed, err := idempotency.ParseKey(k)
	if err != nil {
		b.Fatal(err)
	}
	return idempotency.Intent{Tenant: b.tenant, Key: parsed, Actor: "test", Record: id}
}

// issued gives the id of an issued invoice.
func (b *bundle) issued(k string) uuid.UUID {
	b.Helper()
	d, err := invoice.Input{
		Customer:  &customer.Input{Email: "ada@example.com", Name: "Ada Lovelace"},
		IssueDate: "2026-11-21", DueDate: "2026-12-21", Currency: "EUR", AllowRepeat: true,
		Lines: []invoice.LineInput{{Description: "Design", Quantity: "2", UnitPrice: "50.00", TaxRate: "0"}},
	}.Draft()
	if err != nil {
		b.Fatal(err)
	}
	made, err := invoice.Create.Do(b.Context(), b.store, b.of(k, uuid.Nil), d)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := invoice.Issue.Do(b.Context(), b.store, b.of(k, made.Value.ID), struct{}{}); err != nil {
		b.Fatal(err)
	}
	return made.Value.ID
}

func value[T any](b *bundle, sql string, args ...any) T {
	b.Helper()
	rows, err := b.db.Admin(b.T).Query(b.Context(), sql, args...)
	if err != nil {
		b.Fatal(err)
	}
	v, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[T])
	if err != nil {
		b.Fatal(err)
	}
	return v
}

// TestJobIsOneOfRiver: the trigger inserts what River itself would, of the version that the program is built with.
func TestJobIsOneOfRiver(t *testing.T) {
	b := setup(t)
	b.issued("one")
	client, err := river.NewClient(riverpgxv5.New(b.db.Pool), &river.Config{Schema: postgres.JobSchema})
	if err != nil {
		t.Fatal(err)
	}
	job := mail.Job{Tenant: b.tenant, Mail: value[uuid.UUID](b, `SELECT id FROM mails`)}
	if _, err := client.Insert(t.Context(), job, nil); err != nil {
		t.Fatal(err)
	}
	const ours = `SELECT (to_jsonb(j) - 'id' - 'created_at' - 'scheduled_at')::text FROM river.river_job j ORDER BY id `
	if trigger, library := value[string](b, ours+`LIMIT 1`), value[string](b, ours+`OFFSET 1`); trigger != library {
		t.Errorf("the trigger queue_mail inserts\n%s\nand River\n%s", trigger, library)
	}
}

// TestNoMailWithoutItsJob: they are rolled back together with what asked for them.
func TestNoMailWithoutItsJob(t *testing.T) {
	b := setup(t)
	id := b.issued("one")
	refused := errors.New("no")
	err := postgres.InTenant(t.Context(), b.db.Pool, b.tenant, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `INSERT INTO mails (tenant_id, id, invoice_id) VALUES ($1, $2, $3)`, b.tenant, uuid.New(), id)
		return errors.Join(err, refused)
	})
	if !errors.Is(err, refused) {
		t.Fatal(err)
	}
	mails, jobs := value[int](b, `SELECT count(*) FROM mails`), value[int](b, `SELECT count(*) FROM river.river_job`)
	if mails != 1 || jobs != 1 {
		t.Errorf("%d mails and %d jobs", mails, jobs)
	}
}

// TestSendOrVoid: whichever comes first, no mail of a void invoice is queued.
func TestSendOrVoid(t *testing.T) {
	b := setup(t)
	for range 20 {
		id := b.issued(uuid.NewString())
		voided := make(chan error)
		go func() {
			_, err := invoice.Void.Do(t.Context(), b.store, b.of("void "+id.String(), id), struct{}{})
			voided <- err
		}()
		d, err := mail.Input{}.Draft(id)
		if err != nil {
			t.Fatal(err)
		}
		_, err = mail.Send.Do(t.Context(), b.store, b.of("send "+id.String(), uuid.Nil), d)
		refused, ok := errors.AsType[*conflict.Error](err)
		if err != nil && (!ok || refused.Kind != &invoice.NotIssued) {
			t.Error(err)
		}
		if err := <-voided; err != nil {
			t.Error(err)
		}
	}
	if late := value[int](b, `
		SELECT count(*) FROM intents s JOIN mails m ON m.id = s.record_id JOIN intents v ON v.record_id = m.invoice_id
		WHERE s.operation = 'mail.send' AND v.operation = 'invoice.void' AND s.at > v.at`); late != 0 {
		t.Errorf("%d mails were queued after their invoice was voided", late)
	}
}
