package invoice

import (
	"context"

	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
)

// Edit replaces a draft.
var Edit = idempotency.Define(idempotency.Spec[Draft, Invoice]{
	Kind: idempotency.Change, Name: "invoice.edit", Table: Table,
	Statements: replace, External: external,
	Explain: map[string]idempotency.Explanation[Draft]{
		"invoices_number_once_per_year": numberTaken,
		"invoices_number_ahead":         numberAhead,
		"invoices_customer":             customerGone,
		"customers_differ":              whichCustomer,
		"customers_erased":              customerErased,
		"invoices_number_ascii":         numberRefused,
		"invoices_number_of_its_year":   numberOfAnotherYear,
	},
	NotInFingerprint: []string{"totals", "SameEmail"},
	Fields:           fields,
})

// replace changes the draft and all of its lines. A blank number stays unchanged, and a number of a yearly series follows the invoice to
// another year. Rows without a difference keep their version.
func replace(tx *idempotency.Tx, d Draft) idempotency.Result {
	args := arguments(d)
	args["new_customer_id"] = tx.ID(1)
	tx.Check(notDraft("change"), `SELECT status = 'draft' FROM invoices WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
	wantOfSeries(tx, d)
	tx.Exec(`
		WITH customer AS MATERIALIZED (
			SELECT COALESCE(c.id, @customer_id::uuid) AS id, c.payment_days
			FROM live_customer(@tenant_id, @customer_id::uuid) AS c
			WHERE @customer_id::uuid <> @nobody::uuid
			UNION ALL
			SELECT id, payment_days FROM find_or_create_customer(@tenant_id, @new_customer_id, `+customer.OfNew+`)
			WHERE @customer_id::uuid = @nobody::uuid
		), wanted AS (
			SELECT
				CASE
					WHEN @number <> '' THEN @number
					WHEN issue_year = extract(year FROM @issue_date::date) OR NOT invoice_number_of_year(@tenant_id, number_folded)
						THEN number
				END AS number,
				c.id AS customer_id, `+dueDate+` AS due_date,
				(SELECT array_agg(
						(description, quantity::numeric, unit::text, unit_price::bigint, price_fraction::numeric, discount_rate, discount,
							tax_rate::numeric, tax_treatment::text) ORDER BY position)
					FROM invoice_lines WHERE tenant_id = @tenant_id AND invoice_id = @record_id) IS DISTINCT FROM
				(SELECT array_agg(
						(description, quantity::numeric, NULLIF(unit, ''), unit_price, price_fraction::numeric,
							NULLIF(discount_rate, '')::numeric, discount, tax_rate::numeric, NULLIF(tax_treatment, '')) ORDER BY position)
					FROM `+typedLines+`) AS other_lines
			FROM invoices, customer c
			WHERE invoices.tenant_id = @tenant_id AND invoices.id = @record_id
		)
		UPDATE invoices i SET
			(number, customer_id, currency, issue_date, due_date, notes, exemption_reason, supplied_from, supplied_to,
				subtotal, tax_total, total,
				`+idempotency.ExternalColumns+`) =
			(w.number, w.customer_id, @currency, @issue_date, w.due_date, @notes, @exemption_reason,
				@supplied_from::date, @supplied_to::date, @subtotal, @tax_total, @total,
				`+idempotency.ExternalKept+`)
		FROM wanted w
		WHERE i.tenant_id = @tenant_id AND i.id = @record_id AND (w.other_lines
			OR (i.number, i.customer_id, i.currency, i.issue_date, i.due_date, i.notes, i.exemption_reason, i.supplied_from,
				i.supplied_to,
				`+idempotency.ExternalColumns+`)
			IS DISTINCT FROM (w.number, w.customer_id, @currency, @issue_date, w.due_date, @notes, @exemption_reason, @supplied_from::date,
				@supplied_to::date,
				`+idempotency.ExternalKept+`))`, args)
	tx.Exec(`DELETE FROM invoice_lines WHERE tenant_id = @tenant_id AND invoice_id = @record_id`, nil)
	tx.Exec(insertLines, args)
	tx.Exec(`
		INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
		SELECT tenant_id, id, @operation, @idempotency_key, 'customer created' FROM customers
		WHERE tenant_id = @tenant_id AND id = @new_customer_id`, args)
	return tx.Record()
}

// NotDraft is the conflict of changing or issuing an invoice that is not a draft.
var NotDraft = conflict.Kind{
	Slug: "not-draft", Title: "No longer a draft",
	Meaning: "The invoice was issued or voided, so it can't be edited. Nothing was changed.",
	ToDo:    "Read the invoice. To bill something else, void it and create another one.",
}

// HasPayments is the conflict of voiding an invoice that was paid in part or in full.
var HasPayments = conflict.Kind{
	Slug: "has-payments", Title: "Invoice has payments",
	Meaning: "The invoice was paid, in part or in full, so it can't be voided. Nothing was changed.",
	ToDo:    "Keep the invoice. If a payment was recorded by mistake, remove it; otherwise credit the invoice.",
}

// HasCreditNotes is the conflict of voiding an invoice that was credited in part or in full.
var HasCreditNotes = conflict.Kind{
	Slug: "has-credit-notes", Title: "Invoice has credit notes",
	Meaning: "The invoice has credit notes, also if they were reversed, so it can't be voided. Nothing was changed.",
	ToDo:    "Keep the invoice. If it won't be paid, credit the rest of it.",
}

// HasWriteOffs is the conflict of voiding an invoice that was written off in part or in full.
var HasWriteOffs = conflict.Kind{
	Slug: "has-write-offs", Title: "Invoice has write-offs",
	Meaning: "The invoice was written off, in part or in full, so it can't be voided. Nothing was changed.",
	ToDo:    "Keep the invoice. If it was written off by mistake, take the write-off back, then void it.",
}

// NotDuplicate is the conflict of voiding an invoice as the duplicate of itself, of a void invoice, or of an invoice with a different
// customer.
var NotDuplicate = conflict.Kind{
	Slug: "not-a-duplicate", Title: "No duplicate of that invoice",
	Meaning: "The invoice in duplicate_of isn't another invoice of the same customer, or it's void. Nothing was changed.",
	ToDo:    "Look at both invoices. Name the one that is kept, or void the invoice without duplicate_of.",
}

// BecameCredit is the conflict of a change that would take back credit that a customer has from a credit note. The member left of a refund
// is the refundable amount.
var BecameCredit = conflict.Kind{
	Slug: "became-credit", Title: "Payment became credit",
	Meaning: "With a credit note, some of what was paid became credit of the customer, so that part of the payment can't be refunded " +
		"(beyond left) or removed, nor the receipt of the credit note. Nothing was changed.",
	ToDo: "Use the credit: pay another invoice from the receipt of the credit note, or record a repayment. Or reverse the credit note.",
}

// OpenChanged is the question that a user is asked if the amount that can be paid, refunded, credited or written off differs from the form.
var OpenChanged = conflict.Kind{
	Slug: "open-amount-changed", Title: "Open amount changed",
	Meaning: "A payment, a refund, a credit note or a write-off was recorded, or taken back, since the form was opened. " +
		"Only the form asks. Nothing was recorded.",
	ToDo: "Look at the amount that the form shows now, and send it again.",
}

// Unusual is the question about a value that is probably mistyped or has an effect that is easily missed.
var Unusual = conflict.Kind{
	Slug: "unusual-value", Title: "Unusual value",
	Meaning: "A date is unusual or has effects on other records, or an amount is large for its reason. Only forms ask. Nothing was saved.",
	ToDo:    "Change the value, or confirm it.",
}

// NotIssued is the conflict of an operation that needs an issued invoice, such as a payment, a credit note, a write-off, a mail or an
// e-invoice, with a draft or void one.
var NotIssued = conflict.Kind{
	Slug: "not-issued", Title: "Invoice not issued",
	Meaning: "Only an issued invoice can be paid, credited, written off or sent, and this one is a draft or void. " +
		"Nothing was recorded. You can use the key again.",
	ToDo: "Issue the invoice first. A void invoice stays void.",
}

// Sendable returns a [*conflict.Error] if an invoice can't be sent as an e-invoice, because it is a draft or void.
func Sendable(inv Invoice) error {
	if inv.Status != StatusDraft && inv.Status != StatusVoid {
		return nil
	}
	return &conflict.Error{
		Kind: &NotIssued, Title: "This invoice isn't issued.", Text: "Only an issued invoice can be downloaded as an e-invoice.",
	}
}

func notDuplicate(context.Context, *idempotency.Store, idempotency.Intent, VoidDraft, *pgconn.PgError) error {
	return &conflict.Error{
		Kind: &NotDuplicate, Title: "You can't void this invoice as a duplicate of that one.",
		Text: "The other invoice is void, or isn't for the same customer. Nothing was changed.",
	}
}

func errHasPayments() error {
	return &conflict.Error{
		Kind: &HasPayments, Title: "You can't void this invoice.",
		Text: "It has payments. Remove those recorded by mistake first, or credit the invoice. Nothing was changed.",
	}
}

func errHasCreditNotes() error {
	return &conflict.Error{
		Kind: &HasCreditNotes, Title: "You can't void this invoice.",
		Text: "It has credit notes, which stay even if reversed. Credit what is left instead. Nothing was changed.",
	}
}

func errHasWriteOffs() error {
	return &conflict.Error{
		Kind: &HasWriteOffs, Title: "You can't void this invoice.", Text: "It has write-offs. Take them back first. Nothing was changed.",
	}
}

func notDraft(verb string) error { return stays(verb, "issued or voided") }

// Final returns a [*conflict.Error] if an invoice is not a draft, so that it can't be changed.
func Final(inv Invoice) error {
	switch inv.Status {
	case StatusDraft:
		return nil
	case StatusVoid:
		return stays("change", "voided")
	default:
		return stays("change", "issued")
	}
}

func stays(verb, became string) error {
	return &conflict.Error{
		Kind: &NotDraft, Title: "You can no longer " + verb + " this invoice.",
		Text: "It was " + became + ", and stays as it is. Nothing was changed.",
	}
}
