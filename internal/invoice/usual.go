package invoice

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
	"onlyonce/internal/value/money"
)

// Usual has the defaults of a new invoice for a customer.
type Usual struct {
	Customer    uuid.UUID
	Currency    money.Currency // of their last invoice, or else of the business
	PaymentDays int            // from their payment terms, or else from the settings
	NoTax       Treatment      // of the first line of their last invoice; "" for a taxed one
	Exemption   string         // the reason of that invoice
	Business    money.Currency // from the settings
	Number      string         // of that invoice, the last issued one that isn't void; "" for none
}

// UsualOf returns the defaults for existing customers, in any order, with an index lookup for each.
func UsualOf(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, customers []uuid.UUID) ([]Usual, error) {
	return record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[Usual], `
		SELECT c.id, COALESCE(last.currency, s.currency), COALESCE(c.payment_days, s.payment_days),
			COALESCE(last.tax_treatment, ''), COALESCE(last.exemption_reason, ''), s.currency, COALESCE(last.number, '')
		FROM unnest(@ids::uuid[]) AS wanted (id),
			LATERAL (SELECT id, payment_days FROM customers WHERE tenant_id = @tenant_id AND id = wanted.id LIMIT 1) AS c
			CROSS JOIN LATERAL (SELECT currency, payment_days FROM settings WHERE tenant_id = @tenant_id AND id = @tenant_id) AS s
			LEFT JOIN LATERAL (
				SELECT number, currency, exemption_reason, (
					SELECT tax_treatment FROM invoice_lines l WHERE l.tenant_id = @tenant_id AND l.invoice_id = i.id AND l.position = 1)
				FROM invoices i WHERE i.tenant_id = @tenant_id AND i.customer_id = c.id AND i.status = 'issued'
				ORDER BY i.issued_at DESC, i.id DESC LIMIT 1) AS last ON true`,
		pgx.NamedArgs{"ids": record.IDs(customers)})
}

// LastEInvoice selects whether the last email about one of the last invoices of the customer of billed had the e-invoice attached. It
// selects no row if there was no email.
const LastEInvoice = `
	SELECT m.e_invoice
	FROM (
		SELECT id FROM invoices WHERE tenant_id = @tenant_id AND customer_id = billed.customer_id
		ORDER BY issue_date DESC, id DESC LIMIT 10) AS last,
		LATERAL (
			SELECT id, e_invoice FROM mails WHERE tenant_id = @tenant_id AND invoice_id = last.id AND kind = 'invoice'
			ORDER BY id DESC LIMIT 1) AS m
	ORDER BY m.id DESC LIMIT 1`

// UsualEInvoice reports whether the last email to the customer of an invoice had the e-invoice attached.
func UsualEInvoice(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, inv Invoice) (bool, error) {
	found, err := record.Collect(ctx, pool, tenant, pgx.RowTo[bool],
		`SELECT COALESCE((`+LastEInvoice+`), false) FROM (SELECT @customer::uuid) AS billed (customer_id)`,
		pgx.NamedArgs{"customer": inv.Customer.ID})
	return len(found) > 0 && found[0], err
}
