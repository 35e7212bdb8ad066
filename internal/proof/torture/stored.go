package torture

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// stored is a change of an existing record in the database.
type stored struct {
	origin

	record  string
	changed bool   // false if there was nothing to change
	name    string // or notes, set by an edit; "" if it changed nothing
}

// loadChanges reads the changes and the current records.
func (r *rows) loadChanges(ctx context.Context, conn *pgx.Conn) error {
	var s stored
	err := each(ctx, conn, "the changes", []any{&s.tenant, &s.operation, &s.key, &s.record, &s.changed, &s.name},
		func() { r.changes = append(r.changes, s) }, `
		WITH `+numberedTenants+`
		SELECT n, operation, key, record_id::text, outcome = 'changed', COALESCE(changes->'name'->>1, changes->'notes'->>1, '')
		FROM intents JOIN tenant USING (tenant_id)
		WHERE actor <> 'demo' AND NOT starts_with(key, $2) AND operation IN (
			'customer.edit', 'customer.archive', 'customer.restore', 'invoice.edit', 'invoice.issue', 'invoice.void',
			'settings.edit') AND NOT starts_with(key, $3)`, tokens[:], programKeys, batchKeys)
	if err != nil {
		return err
	}
	var p profile
	return each(ctx, conn, "the current records", []any{
		&p.ID, &p.Version, &p.Name, &p.ArchivedAt, &p.Number, &p.Status, &p.Notes, (*int64)(&p.Total), (*int64)(&p.Paid),
		&p.IssuedAt, &p.BillTo.Name, (*int64)(&p.Credited), &p.InvoiceID, (*int64)(&p.Amount), (*int64)(&p.Refunded),
	}, func() { r.now[p.ID] = p }, `
		SELECT id::text, version, name, COALESCE(archived_at::text, ''), '', '', '', 0, 0, '', '', 0, '', 0, 0
		FROM customers
		UNION ALL
		SELECT id::text, version, name, '', '', '', '', 0, 0, '', '', 0, '', 0, 0 FROM settings
		UNION ALL
		SELECT id::text, version, '', '', number, state, notes, total, paid, COALESCE(issued_at::text, ''),
			COALESCE(bill_to->>'name', ''), credited, '', 0, 0
		FROM invoices
		UNION ALL
		SELECT id::text, version, '', '', '', '', '', 0, 0, '', '', 0, invoice_id::text, amount, refunded FROM payments`)
}

// carriedOut returns the stored changes of an intent. Without a key, an edit is identified by its content; other changes cannot be
// attributed to a client.
func (e *evidence) carriedOut(n int) (found []stored) {
	in := e.intents[n]
	if in.key == "" {
		return e.byContent[content(n, 0)]
	}
	for key := range keys(e.attempts[n]) {
		found = append(found, e.byKey[origin{in.tenant, in.kind.operation(), key}]...)
	}
	return found
}

// before holds the records from before the clients started.
type before struct {
	records    map[string]bool // ids of the demo data's records
	businesses [len(tokens)]profile
}

func loadBefore(ctx context.Context, conn *pgx.Conn) (found before, err error) {
	found.records = map[string]bool{}
	var id string
	err = each(ctx, conn, "the demo data", []any{&id}, func() { found.records[id] = true }, `
		SELECT id::text FROM invoices UNION ALL SELECT id::text FROM customers UNION ALL SELECT id::text FROM payments
		UNION ALL SELECT id::text FROM refunds UNION ALL SELECT id::text FROM credit_notes UNION ALL SELECT id::text FROM mails`)
	if err != nil {
		return found, err
	}
	var tenant int
	var business profile
	err = each(ctx, conn, "the settings", []any{&tenant, &business.ID, &business.Version, &business.Name},
		func() { found.businesses[tenant] = business }, `
		WITH `+numberedTenants+` SELECT n, id::text, version, name FROM settings JOIN tenant USING (tenant_id)`, tokens[:])
	return found, err
}

// versions returns the versions of the businesses, by id.
func (b before) versions() map[string]int {
	found := map[string]int{}
	for _, business := range b.businesses {
		found[business.ID] = business.Version
	}
	return found
}
