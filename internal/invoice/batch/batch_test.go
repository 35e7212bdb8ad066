package batch_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/batch"
	"onlyonce/internal/invoice/closing"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// bundle is a separate database with one tenant, which has a token.
type bundle struct{ *invoicetest.Bundle }

const asker = "token sync"

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{invoicetest.Setup(t)}
	b.Exec(`INSERT INTO api_tokens (tenant_id, token_hash, name) VALUES ($1, sha256('valid'), 'sync')`, b.Tenant)
	return b
}

// draft creates a draft of an invoice.
func (b *bundle) draft(key, day, email string) uuid.UUID {
	b.Helper()
	d, err := invoice.Input{
		Customer: &customer.Input{Email: email, Name: "Ada Lovelace"}, IssueDate: day, DueDate: "2026-12-21", Currency: "EUR",
		Lines: []invoice.LineInput{{Description: key, Quantity: "2", UnitPrice: "50.00", TaxRate: "0"}},
	}.Draft()
	must.OK(b, err)
	made, err := invoice.Create.Do(b.Context(), b.Store, b.Intent(key), d)
	must.OK(b, err)
	return made.Value.ID
}

func (b *bundle) drafts(n int) (all []uuid.UUID) {
	b.Helper()
	for i := range n {
		all = append(all, b.draft(fmt.Sprint("draft ", i), "2026-11-21", "ada@example.com"))
	}
	return all
}

// command returns the command to issue or send invoices.
func (b *bundle) command(action string, all ...uuid.UUID) batch.Draft {
	b.Helper()
	in := batch.Input{Action: action}
	for _, id := range all {
		in.Invoices = append(in.Invoices, id.String())
	}
	d, err := in.Draft()
	must.OK(b, err)
	return d
}

func (b *bundle) create(store *idempotency.Store, key string, d batch.Draft) (batch.Batch, error) {
	intent := b.Intent(key)
	intent.Actor = asker
	done, err := batch.Create.Do(context.Background(), store, intent, d)
	return done.Value, err
}

// started creates a batch.
func (b *bundle) started(key string, d batch.Draft) batch.Batch {
	b.Helper()
	made, err := b.create(b.Store, key, d)
	must.OK(b, err)
	return made
}

// work runs the job of a batch.
func (b *bundle) work(store *idempotency.Store, of batch.Batch) error {
	w := batch.Worker{Store: store, Log: slog.New(slog.DiscardHandler)}
	return w.Work(context.Background(), &river.Job[batch.Job]{Args: batch.Job{Tenant: b.Tenant, Batch: of.ID}})
}

// outcomes runs the job of a batch, and returns the outcome of each invoice, with its reason.
func (b *bundle) outcomes(of batch.Batch) map[uuid.UUID]string {
	b.Helper()
	must.OK(b, b.work(b.Store, of))
	found, err := record.Find(b.Context(), b.Store.Pool, batch.Table, b.Tenant, of.ID)
	must.OK(b, err)
	all := map[uuid.UUID]string{}
	for _, i := range found.Invoices {
		all[i.InvoiceID] = strings.TrimSpace(i.Outcome + " " + i.Reason)
		if i.Mailed {
			all[i.InvoiceID] = "mailed"
		}
	}
	return all
}

// TestEachInvoiceOfABatch checks the outcome of each invoice: one that is refused keeps no other from being issued or sent.
func TestEachInvoiceOfABatch(t *testing.T) {
	b := setup(t)
	through, err := closing.Input{Through: "2026-10-31"}.Draft()
	must.OK(t, err)
	closed, draft := b.draft("closed", "2026-10-31", "ada@example.com"), b.draft("draft", "2026-11-21", "ada@example.com")
	alone, issued, void := b.draft("alone", "2026-11-21", ""), b.Issued("issued"), b.Issued("void")
	b.OK(closing.Create.Do(t.Context(), b.Store, b.Intent("close"), through))
	must.OK(t, b.Void("void it", void))
	all := []uuid.UUID{closed, draft, alone, issued.ID, void.ID}
	for _, c := range []struct {
		action string
		want   []string
	}{
		{batch.ActionIssue, []string{"refused The books are closed through", "mailed", "done", "unchanged", "refused"}},
		{batch.ActionSend, []string{
			"refused This invoice isn't issued.", "mailed", "refused The customer has no email", "mailed", "refused",
		}},
	} {
		got := b.outcomes(b.started(c.action, b.command(c.action, all...)))
		for i, id := range all {
			assert.Thatf(t, strings.HasPrefix(got[id], c.want[i]), "%s %d: %q, not %q", c.action, i, got[id], c.want[i])
		}
	}
	assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM intents WHERE key LIKE 'batch %' AND actor = $1`, asker), 5, "intents")
	assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM mails WHERE invoice_id = $1`, draft), 2, "mails of the draft")
}

// TestBatchWithoutEmail issues only.
func TestBatchWithoutEmail(t *testing.T) {
	b := setup(t)
	id := b.drafts(1)[0]
	d, err := batch.Input{Action: batch.ActionIssue, Email: invoice.EmailNone, EInvoice: true, Invoices: []string{id.String()}}.Draft()
	must.OK(t, err)
	assert.Equal(t, b.outcomes(b.started("only", d))[id], batch.Done)
	assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM mails`), 0, "mails")
}

// TestInvoiceBatchesAtOnce creates batches of the same drafts 16 times at once, half of them under one key, and runs their jobs at once,
// some twice.
func TestInvoiceBatchesAtOnce(t *testing.T) {
	b := setup(t)
	all := b.drafts(6)
	issue := b.command(batch.ActionIssue, all...)
	slices.Reverse(all)
	reversed := b.command(batch.ActionIssue, all...)
	stores := []*idempotency.Store{b.Store, b.Replica()}
	made := make([]batch.Batch, 16)
	for _, err := range storetest.Together(len(made), func(i int) (err error) {
		if i%2 == 0 {
			made[i], err = b.create(stores[i/2%2], "one key", issue)
		} else {
			made[i], err = b.create(stores[i/2%2], fmt.Sprint("key ", i), reversed)
		}
		return err
	}) {
		must.OK(t, err)
	}
	batches := storetest.Value[int](b, `SELECT count(*) FROM invoice_batches`)
	jobs := storetest.Value[int](b, `SELECT count(*) FROM river.river_job WHERE kind = 'invoice_batch'`)
	assert.Thatf(t, batches == 9 && jobs == 9, "%d batches, %d jobs", batches, jobs)
	for _, err := range storetest.Together(len(made), func(i int) error { return b.work(stores[i%2], made[i/4*2+i%2]) }) {
		must.OK(t, err)
	}
	for _, of := range made {
		must.OK(t, b.work(b.Store, of))
	}
	issued := storetest.Value[int](b, `SELECT count(*) FROM intents WHERE operation = 'invoice.issue' AND outcome = 'changed'`)
	mails := storetest.Value[int](b, `SELECT count(*) FROM mails`)
	done := storetest.Value[int](b, `SELECT count(*) FROM invoice_batch_items WHERE outcome = 'done'`)
	left := storetest.Value[int](b, `SELECT count(*) FROM invoice_batch_items WHERE outcome NOT IN ('done', 'unchanged')`)
	assert.Thatf(t, issued == len(all) && mails == len(all) && done == len(all) && left == 0,
		"%d issued, %d mails, %d done, %d left", issued, mails, done, left)
}

// crash makes it impossible to store the outcome of an invoice, and returns a function that undoes this.
func (b *bundle) crash(invoice uuid.UUID) (mend func()) {
	b.Helper()
	b.DB.Spoil(b)
	b.Exec(`
		CREATE FUNCTION crash() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'crash'; END $$;
		CREATE TRIGGER crash BEFORE UPDATE ON invoice_batch_items FOR EACH ROW WHEN (OLD.invoice_id = '` + invoice.String() + `')
		EXECUTE FUNCTION crash()`)
	return func() { b.Exec(`DROP TRIGGER crash ON invoice_batch_items; DROP FUNCTION crash`) }
}

// TestBatchGoesOnAfterACrash checks that the next run of a job sends only the invoices without an email, though the crash was before the
// outcome of one was stored.
func TestBatchGoesOnAfterACrash(t *testing.T) {
	b := setup(t)
	var all []uuid.UUID
	for i := range 3 {
		all = append(all, b.Issued(fmt.Sprint("issued ", i)).ID)
	}
	send := b.started("send", b.command(batch.ActionSend, all...))
	mend := b.crash(all[1])
	assert.Thatf(t, errors.Is(b.work(b.Store, send), batch.ErrAgain), "the job ended")
	count := func(want int) {
		t.Helper()
		assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM intents WHERE operation = 'mail.send'`), want, "sent")
	}
	count(2)
	mend()
	for id, outcome := range b.outcomes(send) {
		assert.Equal(t, outcome, "mailed", id)
	}
	count(3)
}

// TestBatchGoesOnAfterItsResultsExpired checks that an invoice that was issued before a batch stays unchanged in it.
func TestBatchGoesOnAfterItsResultsExpired(t *testing.T) {
	b := setup(t)
	id := b.Issued("issued").ID
	issue := b.started("issue", b.command(batch.ActionIssue, id))
	mend := b.crash(id)
	assert.Thatf(t, errors.Is(b.work(b.Store, issue), batch.ErrAgain), "the job ended")
	mend()
	b.Exec(`UPDATE intents SET result = NULL`)
	must.OK(t, b.work(b.Replica(), issue)) // which remembers no result
	assert.Equal(t, b.outcomes(issue)[id], batch.Unchanged)
}

// TestBatchOfOneWhoMayNot refuses the invoices of a user or token that lost its rights after it asked.
func TestBatchOfOneWhoMayNot(t *testing.T) {
	b := setup(t)
	all := b.drafts(2)
	issue := b.started("issue", b.command(batch.ActionIssue, all...))
	b.Exec(`UPDATE api_tokens SET revoked_at = now()`)
	for _, outcome := range b.outcomes(issue) {
		assert.Equal(t, outcome, "refused token sync may no longer change invoices.")
	}
}

// TestJobOfABatch compares the job with one that River inserts.
func TestJobOfABatch(t *testing.T) {
	b := setup(t)
	id := b.draft("one", "2026-11-21", "")
	b.DB.IsOfRiver(t, batch.Job{Tenant: b.Tenant, Batch: b.started("issue", b.command(batch.ActionIssue, id)).ID})
}

// TestInputOfABatch refuses an unknown action, and an invoice that is chosen twice.
func TestInputOfABatch(t *testing.T) {
	one := uuid.NewString()
	for _, in := range []batch.Input{
		{Action: "void", Invoices: []string{one}}, {Action: batch.ActionSend}, {Action: batch.ActionSend, Invoices: []string{one, one}},
		{Action: batch.ActionSend, Email: "all", Invoices: []string{one}}, {Action: batch.ActionSend, Invoices: []string{"2026-0001"}},
		{Action: batch.ActionSend, Invoices: slices.Repeat([]string{one}, invoice.MaxChosen+1)},
	} {
		_, err := in.Draft()
		assert.Thatf(t, err != nil, "%+v is accepted", in)
	}
}
