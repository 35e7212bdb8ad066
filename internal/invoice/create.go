package invoice

import (
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
)

// RepeatWindow is how long after an invoice an equal one looks like a repeat.
const RepeatWindow = 10 * time.Minute

// Create creates an invoice, once.
var Create = idempotency.Define(idempotency.Spec[Draft, Invoice]{
	Name:    "invoice.create",
	Work:    insert,
	Retain:  24 * time.Hour,
	Visible: `SELECT FROM invoices i WHERE i.tenant_id = @tenant_id AND i.id = record.id`,
	Explain: explain,
	Fields:  fields,
})

// fields names what is unique about a draft, for the log. A number that is still to be allocated is not.
func fields(d Draft) []slog.Attr {
	if d.Number == "" {
		return nil
	}
	return []slog.Attr{slog.String("number", string(d.Number))}
}

// insert is the transaction of one new invoice, in the order in which it happens. The order is also
// that of the locks: the key, the customer's email, the number, the likeness. An invoice without a number
// gets the next one of its year's series from the trigger number_invoice; see migrations/.
func insert(tx *idempotency.Tx, d Draft) idempotency.Result {
	who := chosen
	if d.CustomerID == uuid.Nil {
		who = named
	}
	// Each part of the WITH has the name of the table that it stands for: the SELECT reads there what was
	// just written, and not the tables.
	return tx.ReturnWith(`
		WITH customers AS MATERIALIZED (`+who+`
		), invoices AS (
			INSERT INTO invoices (
				tenant_id, id, idempotency_key, number, customer_id, currency, issue_date, due_date, notes,
				subtotal, tax_total, total, likeness)
			SELECT
				@tenant_id, @record_id, @idempotency_key, NULLIF(@number, ''), c.id, @currency, @issue_date, @due_date, @notes,
				@subtotal, @tax_total, @total, `+likeness+`
			FROM customers c
			RETURNING *
		), invoice_lines AS (
			INSERT INTO invoice_lines (tenant_id, invoice_id, position, description, quantity, unit_price, tax_rate, net)
			SELECT @tenant_id, @record_id, position, description, quantity::numeric, unit_price, tax_rate::numeric, net
			FROM unnest(@descriptions::text[], @quantities::text[], @unit_prices::bigint[], @tax_rates::text[], @nets::bigint[])
				WITH ORDINALITY AS line (description, quantity, unit_price, tax_rate, net, position)
			RETURNING *
		), events AS (
			INSERT INTO events (tenant_id, name, record_id, actor, key)
			VALUES (@tenant_id, 'invoice.created', @record_id, @actor, @idempotency_key)
		)`, `
		SELECT json_build_object(`+shown+`, 'possible_duplicate_of', COALESCE(`+repeat+`, @none))
		FROM invoices i, customers c`,
		arguments(d))
}

const (
	// chosen is the customer with the id, of which nothing is known if it does not exist; named is the one
	// with the email, new or not.
	chosen = `
			SELECT chosen.id, c.email, c.name FROM (SELECT @customer_id::uuid AS id) AS chosen
			LEFT JOIN customers c ON c.tenant_id = @tenant_id AND c.id = chosen.id`
	named = `
			SELECT id, email, name FROM ` + customer.CreateOrReuse

	// likeness is equal for invoices with the same customer, currency and lines.
	likeness = `sha256(uuid_send(c.id) || @content::bytea)`

	// repeat is the last invoice like i. It is looked for behind the insert, so that a number that is
	// taken speaks first: it is the surer sign.
	repeat = `likely_repeat_of(i.tenant_id, i.id, i.likeness, @window, @refuse_repeat)`
)

func arguments(d Draft) pgx.NamedArgs {
	n := len(d.Lines)
	descriptions, quantities, rates := make([]string, n), make([]string, n), make([]string, n)
	prices, nets := make([]int64, n), make([]int64, n)
	for i, line := range d.Lines {
		descriptions[i], quantities[i], rates[i] = line.Description, line.Quantity.String(), line.TaxRate.String()
		prices[i], nets[i] = line.UnitPrice, line.Net
	}
	return pgx.NamedArgs{
		"customer_id": d.CustomerID, "email": string(d.Customer.Email), "name": d.Customer.Name,
		"number": string(d.Number), "currency": d.Currency.String(),
		"issue_date": d.IssueDate.Time(), "due_date": d.DueDate.Time(), "notes": d.Notes,
		"subtotal": d.totals.Subtotal, "tax_total": d.totals.Tax, "total": d.totals.Total, "content": d.content(),
		"descriptions": descriptions, "quantities": quantities, "tax_rates": rates, "unit_prices": prices, "nets": nets,
		"window": RepeatWindow, "refuse_repeat": !d.AllowRepeat, "none": uuid.Nil,
	}
}
