package invoice

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/shopspring/decimal"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
)

// Create creates an invoice.
var Create = idempotency.Define(idempotency.Spec[Draft, Invoice]{
	Kind: idempotency.Create, Name: "invoice.create", Table: Table,
	Statements: insert, External: external,
	Explain: map[string]idempotency.Explanation[Draft]{
		"invoices_number_once_per_year":            numberTaken,
		"invoices_number_ahead":                    numberAhead,
		"invoices_customer":                        customerGone,
		"customers_differ":                         whichCustomer,
		"customers_erased":                         customerErased,
		idempotency.LookAlike(customer.Table.Name): likeCustomer,
		"invoices_number_of_its_year":              numberOfAnotherYear,
		// This happens only if the database folds a character differently than this program.
		"invoices_number_ascii": numberRefused,
	},
	Alike: idempotency.Alike[Invoice]{
		Fields: []string{"customer.id currency lines"}, Within: alikeFor, Name: func(i Invoice) string { return i.Number },
	},
	NotInFingerprint: []string{"totals", "SameEmail"}, // derived from Lines, and the answer to a question
	Fields:           fields,
})

// alikeFor is the time after an invoice in which another one looks like a repeat.
const alikeFor = 10 * time.Minute

func external(d Draft) idempotency.External { return d.External }

// fields returns the unique field of a draft, for the log, unless the number is still to be allocated.
func fields(d Draft) []slog.Attr {
	if d.Number == "" {
		return nil
	}
	return []slog.Attr{slog.String("number", string(d.Number))}
}

func insert(tx *idempotency.Tx, d Draft) idempotency.Result {
	args := arguments(d)
	args["new_customer_id"] = tx.ID(1)
	wantOfSeries(tx, d)
	return tx.ReturnWith(insertInvoice, insertedInvoice, args)
}

// wantOfSeries passes the command's Series to the trigger number_invoice, which needs it for a typed number ahead of the series; without
// it, the trigger raises the question. An unchanged number raises no question.
func wantOfSeries(tx *idempotency.Tx, d Draft) {
	if d.Number != "" {
		tx.Exec(`
			SELECT set_config('onlyonce.series', CASE WHEN @series <> '' THEN @series WHEN @ask THEN 'ask' ELSE '' END, true)
			WHERE NOT EXISTS (
				SELECT FROM invoices
				WHERE tenant_id = @tenant_id AND id = @record_id AND number_folded = fold_invoice_number(@number))`,
			pgx.NamedArgs{"series": d.Series, "number": string(d.Number)})
	}
}

// insertInvoice inserts an invoice and its customer, in the order of the locks: the key, the customer's email, the likeness, the number.
// testdata/create.sql shows the whole transaction as PostgreSQL executes it.
//
// The customer is either chosen by id, or found by email and name, or new. If it was merged, the winner is billed. If the chosen id does
// not exist, the other columns are NULL. An invoice without a number gets the next number of its year's series from the trigger
// number_invoice: see migrations/00201_invoice_number_patterns.sql.
var insertInvoice = `
	WITH billed AS MATERIALIZED (
		SELECT
			COALESCE(c.id, @customer_id::uuid) AS id, c.email, c.name, c.address, c.country, c.tax_id, c.contact, c.reference,
			c.payment_days
		FROM live_customer(@tenant_id, @customer_id::uuid) AS c
		WHERE @customer_id::uuid <> @nobody::uuid
		UNION ALL
		SELECT id, email, name, address, country, tax_id, contact, reference, payment_days
		FROM find_or_create_customer(@tenant_id, @new_customer_id, ` + customer.OfNew + `)
		WHERE @customer_id::uuid = @nobody::uuid
	), inserted AS (
		INSERT INTO invoices (
			tenant_id, id, number, customer_id, currency, issue_date, due_date, notes, exemption_reason, supplied_from, supplied_to,
			subtotal, tax_total, total, ` + idempotency.ExternalColumns + `)
		SELECT
			@tenant_id, @record_id, NULLIF(@number, ''), c.id, @currency, @issue_date, ` + dueDate + `, @notes,
			@exemption_reason, @supplied_from::date, @supplied_to::date, @subtotal, @tax_total, @total, ` + idempotency.ExternalValues + `
		FROM billed c, note_alike('invoices', @tenant_id, @record_id, @alike_for, ARRAY[sha256(convert_to(jsonb_build_array(
			'invoices', c.id, @currency::text, @descriptions::text[], @quantities::text[], @unit_prices::bigint[], @price_fractions::text[],
			@tax_rates::text[]
		)::text, 'UTF8'))])
		RETURNING *
	), inserted_lines AS (
		` + insertLines + `
		RETURNING *
	), inserted_effect AS (
		INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
		SELECT @tenant_id, id, @operation, @idempotency_key, 'customer created' FROM billed WHERE id = @new_customer_id
	)`

// insertLines inserts the lines of the command.
const (
	insertLines = `INSERT INTO invoice_lines (
			tenant_id, invoice_id, position, description, quantity, unit, unit_price, price_fraction, discount_rate, discount, tax_rate,
			tax_treatment, net)
		SELECT
			@tenant_id, @record_id, position, description, quantity::numeric, NULLIF(unit, ''), unit_price, price_fraction::numeric,
			NULLIF(discount_rate, '')::numeric, discount, tax_rate::numeric, NULLIF(tax_treatment, ''), net
		FROM ` + typedLines
	typedLines = `unnest(
			@descriptions::text[], @quantities::text[], @units::text[], @unit_prices::bigint[], @price_fractions::text[],
			@discount_rates::text[], @discounts::bigint[], @tax_rates::text[], @tax_treatments::text[], @nets::bigint[]) WITH ORDINALITY
			AS typed (description, quantity, unit, unit_price, price_fraction, discount_rate, discount, tax_rate, tax_treatment, net,
				position)`
)

// insertedInvoice selects an [Invoice], as Find returns it, from the rows that insertInvoice returns.
var insertedInvoice = `
	SELECT json_build_object(
		'id', i.id, 'number', i.number, 'status', i.status, 'overdue', false, 'paid', 0, 'credited', 0, 'written_off', 0, 'open', 0,
		'currency', i.currency,
		'seller', (SELECT ` + sellerJSON + `
			FROM settings s WHERE s.tenant_id = @tenant_id AND s.id = @tenant_id),
		'customer', CASE WHEN repeats() ? c.id::text
			THEN json_build_object(` + buyerFields + `, 'possible_duplicate_of', repeats() -> c.id::text -> 'of')
			ELSE ` + buyerJSON + ` END,
		'issue_date', i.issue_date, 'due_date', i.due_date, 'notes', i.notes,
		'exemption_reason', i.exemption_reason, 'supplied_from', i.supplied_from, 'supplied_to', i.supplied_to,
		'lines', (
			SELECT json_agg(` + lineJSON + ` ORDER BY l.position)
			FROM inserted_lines l),
		'subtotal', i.subtotal, 'tax_total', i.tax_total, 'total', i.total,
		'version', i.version, 'created_at', i.created_at, 'source', COALESCE(i.source, ''), 'external_id', COALESCE(i.external_id, ''))
	FROM inserted i, billed c`

// dueDate is the due date of the command, or follows from the payment terms of the customer c, or else of the settings.
const dueDate = `COALESCE(@due_date::date, @issue_date::date + COALESCE(c.payment_days, (
		SELECT s.payment_days FROM settings s WHERE s.tenant_id = @tenant_id AND s.id = @tenant_id)))`

func arguments(d Draft) pgx.NamedArgs {
	n := len(d.Lines)
	descriptions, quantities, rates, treatments := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	units, fractions, discountRates := make([]string, n), make([]string, n), make([]string, n)
	prices, discounts, nets := make([]int64, n), make([]int64, n), make([]int64, n)
	for i, line := range d.Lines {
		descriptions[i], quantities[i], rates[i] = line.Description, line.Quantity.String(), line.TaxRate.String()
		treatments[i], nets[i] = string(line.NoTax), line.Net
		prices[i], fractions[i] = line.UnitPrice.IntPart(), line.UnitPrice.Mod(decimal.New(1, 0)).String()
		units[i], discounts[i] = string(line.Unit), line.Discount
		if !line.DiscountRate.IsZero() {
			discountRates[i] = line.DiscountRate.String()
		}
	}
	var due *time.Time
	if (d.DueDate != date.Date{}) {
		day := d.DueDate.Time()
		due = &day
	}
	all := customer.Arguments(d.Customer)
	maps.Copy(all, pgx.NamedArgs{
		"customer_id": d.CustomerID, "nobody": uuid.Nil, "alike_for": alikeFor,
		"number": string(d.Number), "currency": d.Currency.String(),
		"issue_date": d.IssueDate.Time(), "due_date": due, "notes": d.Notes,
		"supplied_from": d.SuppliedFrom, "supplied_to": d.SuppliedTo,
		"exemption_reason": d.Exemption, "tax_treatments": treatments,
		"units": units, "discount_rates": discountRates, "discounts": discounts,
		"subtotal": d.totals.Subtotal, "tax_total": d.totals.Tax, "total": d.totals.Total,
		"descriptions": descriptions, "quantities": quantities, "tax_rates": rates, "nets": nets,
		"unit_prices": prices, "price_fractions": fractions,
	})
	return all
}

// NumberTaken is the conflict of two invoices with the same number. Its member next_number is free.
var NumberTaken = conflict.Kind{
	Slug: "number-taken", Title: "Invoice number already exists",
	Meaning: "Another invoice from that year or of the series already has this number. The original was kept and no second one was " +
		"created. You can use the key again.",
	ToDo: "Open the existing invoice (existing_id), or send the request with another number, such as next_number, which is free.",
}

func numberTaken(
	ctx context.Context, store *idempotency.Store, intent idempotency.Intent, d Draft, violation *pgconn.PgError,
) error {
	year := d.IssueDate.Year()
	where, args := `r.issue_year = @year AND r.number_folded = fold_invoice_number(@number)`,
		pgx.NamedArgs{"year": year, "number": string(d.Number)}
	if violation.Hint != "" { // the id of the invoice, if another year has it
		where, args = `r.id = @id`, pgx.NamedArgs{"id": violation.Hint}
	}
	existing, err := record.FindBy(ctx, store.Pool, Table, intent.Tenant, where, args)
	if err != nil {
		return err
	}
	next, err := NextNumber(ctx, store.Pool, intent.Tenant, year)
	if err != nil {
		return err
	}
	return &conflict.Error{
		Kind: &NumberTaken, Title: "Invoice number " + existing.Number + " already exists.",
		Text:     "We kept the original and didn't create a second one.",
		Existing: existing.ID, Name: existing.Number,
		Field: "/number", Blame: "Another invoice has the number " + existing.Number + ".",
		Buttons: []conflict.Button{{Text: "Use the next number, " + next, Field: NextNumberField, Value: next}},
		Members: map[string]string{"next_number": next},
	}
}

// NextNumberField is the name of the button that takes the next number. An edit takes the button's value. A new invoice ignores it, and
// gets the number that is next when it is created.
const NextNumberField = "next_number"

// BilledField is the form field with the id of the customer that the user chose.
const BilledField = "billed_customer"

func whichCustomer(ctx context.Context, store *idempotency.Store, intent idempotency.Intent, d Draft, _ *pgconn.PgError) error {
	question, err := customer.Question(ctx, store, intent, d.Customer)
	if err != nil {
		return err
	}
	question.Many = customer.Table.Name
	if question.Field != "" {
		question.Field = "/customer" + question.Field
	}
	holders := append([]conflict.Other{{ID: question.Existing, Name: question.Name}}, question.Others...)
	var buttons []conflict.Button
	for _, holder := range holders {
		buttons = append(buttons, conflict.Button{Text: "Bill " + holder.Name, Field: BilledField, Value: holder.ID.String()})
	}
	question.Buttons = append(buttons, question.Buttons...)
	return question
}

// likeCustomer returns the question about a new customer that looks like a repeat, and offers to bill the existing one.
func likeCustomer(ctx context.Context, store *idempotency.Store, intent idempotency.Intent, d Draft, broken *pgconn.PgError) error {
	alike := idempotency.Alike[customer.Customer]{Name: customer.Name}
	err := idempotency.Repeats[Draft](customer.Table, alike)(ctx, store, intent, d, broken)
	if question, ok := errors.AsType[*conflict.Error](err); ok && question.Existing != uuid.Nil {
		question.Many = customer.Table.Name
		bill := conflict.Button{Text: "Bill " + question.Name, Field: BilledField, Value: question.Existing.String()}
		question.Buttons = append([]conflict.Button{bill}, question.Buttons...)
	}
	return err
}

// NumberAhead is the question about a typed number ahead of the next number of its series. It is asked until it was answered once.
var NumberAhead = conflict.Kind{
	Slug: "number-ahead", Title: "Number ahead of the series",
	Meaning: "The typed number is ahead of the next one, and nobody has said yet where the series goes on. " +
		"Only the form asks. Nothing was saved.",
	ToDo: "Choose where the series goes on.",
}

func numberAhead(_ context.Context, _ *idempotency.Store, _ idempotency.Intent, d Draft, broken *pgconn.PgError) error {
	next, behind, _ := strings.Cut(broken.Detail, "\n")
	return &conflict.Error{
		Kind: &NumberAhead, Title: string(d.Number) + " is ahead of the next number, " + next + ".",
		Text:  "Which number comes after it? You are asked once for each series, and can change it in the settings.",
		Field: "/number", Blame: "This number is ahead of the series.",
		Buttons: []conflict.Button{
			{Text: "Go on with " + behind, Field: SeriesField, Value: SeriesContinue},
			{Text: "Go on with " + next, Field: SeriesField, Value: SeriesKeep},
		},
	}
}

var (
	customerErased = idempotency.Always[Draft](customer.ErrErased)
	customerGone   = idempotency.Invalid[Draft]("/customer_id", "This customer doesn't exist. Choose another one.")
	// numberOfAnotherYear is the message for a number of the tenant's pattern. [Number.problem] has one for the default pattern.
	numberOfAnotherYear = idempotency.Invalid[Draft]("/number", "This is a number of another year. Change the issue date, choose another "+
		"number, or leave it blank for the next one.")
	numberRefused = idempotency.Invalid[Draft]("/number", "Choose another number, or leave it blank for the next one.")
)
