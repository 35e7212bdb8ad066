package invoiceimport

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/importing"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// Kind is the kind of imports of invoices.
var Kind = importing.Define(importing.Spec[*bill]{
	One: "invoice", Many: "invoices", Fields: fields(), Prefixes: []string{"invoice", "client", "contact", "customer"},
	Lacks: lacks, Group: group, Read: read, Judge: judge, Do: do, Caution: caution,
})

// do creates the customer if it is new, and the invoice, issues it, and records the payment: each is an intent, so the next attempt goes
// on after the last one.
func do(ctx context.Context, a importing.Attempt, b *bill) (created bool, err error) {
	d := b.invoice
	if d.CustomerID = b.customerID; d.CustomerID == uuid.Nil {
		of := sha256.Sum256([]byte(strings.ToLower(b.customer.Name) + "\n" + b.customer.Email.Folded() + "\n" + b.customer.ExternalID))
		key := fmt.Sprintf("import %s customer %x", a.Import.ID, of[:16])
		if d.CustomerID, _, err = importing.Do(ctx, a, key, customer.Upsert, uuid.Nil, b.customer); err != nil {
			return false, err
		}
	}
	id, created, err := importing.Do(ctx, a, a.Key, invoice.Create, uuid.Nil, d)
	if err != nil || !created || !b.issue {
		return created, err
	}
	if _, _, err := importing.Do(ctx, a, a.Key+" issue", invoice.Issue, id, invoice.IssueDraft{NoEmail: true}); err != nil {
		return true, partly("The invoice is there as a draft, and wasn't issued.", err)
	}
	if b.paid > 0 {
		_, _, err := importing.Do(ctx, a, a.Key+" payment", payment.Create, uuid.Nil, payment.Draft{
			InvoiceID: id, Currency: d.Currency, Amount: b.paid, Date: b.paidOn, Method: "other", SeenOpen: -1,
			External: idempotency.External{
				Source: a.Import.Source, ExternalID: fmt.Sprintf("imported with %s of %s", d.Number, d.IssueDate),
			},
		})
		if err != nil {
			return true, partly("The invoice is there, but its payment wasn't recorded.", err)
		}
	}
	return true, nil
}

// partly returns the refusal of a later intent of an invoice with a sentence about what was done. Other errors stay.
func partly(done string, err error) error {
	problem, refused := idempotency.Refusal(err)
	if !refused {
		return err
	}
	return &conflict.Error{Kind: &invoice.NotIssued, Title: done, Text: problem}
}

// found has the records in the database that an entry is compared with.
type found struct {
	Begun    bool       // an earlier attempt has created the invoice
	Closed   *date.Date // the last closed day, if the invoice or its payment is of a closed one
	Customer uuid.UUID  // or uuid.Nil
	Named    string     // the name of the customer, if it was found by its ID

	// The invoice with the external id, or else with the number; uuid.Nil for none.
	ID          uuid.UUID
	Number      string
	State       string
	Currency    money.Currency
	Total, Paid int64 // minor units
	Issued, Due date.Date
}

// judge sets the verdicts of invoices and finds their customers, in one round trip.
func judge(
	ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, i importing.Import, entries []*importing.Entry, bills []*bill,
) error {
	var keys, ids, numbers, days, customerIDs, emails, names []string
	for n, b := range bills {
		day := b.invoice.IssueDate
		if b.paid > 0 && b.paidOn.Before(day) {
			day = b.paidOn
		}
		keys, ids = append(keys, i.Key(entries[n].Line())), append(ids, b.invoice.ExternalID)
		numbers, days = append(numbers, string(b.invoice.Number)), append(days, day.String())
		customerIDs, emails = append(customerIDs, b.customer.ExternalID), append(emails, string(b.customer.Email))
		names = append(names, b.customer.Name)
	}
	var issued []string
	for _, b := range bills {
		issued = append(issued, b.invoice.IssueDate.String())
	}
	all, err := record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[found], lookup, pgx.NamedArgs{
		"keys": keys, "ids": ids, "numbers": numbers, "issued": issued, "days": days, "customer_ids": customerIDs, "emails": emails,
		"names": names, "source": i.Source, "none": uuid.Nil,
	})
	for n, f := range all {
		bills[n].customerID = f.Customer
		f.judge(entries[n], bills[n])
	}
	return err
}

// lookup finds the intent, the invoice and the customer of entries.
const lookup = `
	WITH wanted AS MATERIALIZED (
		SELECT n, key, id, fold_invoice_number(number) AS number, extract(year FROM issued::date)::integer AS year, day::date AS day,
			fold_text(@source) AS source, customer, lower(email COLLATE "C") AS email, fold_text(name) AS name
		FROM unnest(@keys::text[], @ids::text[], @numbers::text[], @issued::text[], @days::text[], @customer_ids::text[],
			@emails::text[], @names::text[]) WITH ORDINALITY AS row (key, id, number, issued, day, customer, email, name, n)
	)
	SELECT COALESCE(begun.yes, false), books_closed(@tenant_id, w.day), COALESCE(c.id, @none::uuid), COALESCE(c.name, ''),
		COALESCE(i.id, @none::uuid), COALESCE(i.number, ''), COALESCE(i.state, ''), COALESCE(i.currency, 'EUR'), COALESCE(i.total, 0),
		COALESCE(i.paid, 0), COALESCE(i.issue_date, w.day), COALESCE(i.due_date, w.day)
	FROM wanted w
	LEFT JOIN LATERAL (
		SELECT true AS yes FROM intents
		WHERE tenant_id = @tenant_id AND operation = 'invoice.create' AND key = w.key LIMIT 1) AS begun ON true
	LEFT JOIN LATERAL (
		SELECT * FROM (
			(SELECT 1 AS rank, id, number, state, currency, total, paid, issue_date, due_date FROM invoices
				WHERE tenant_id = @tenant_id AND source_folded = w.source AND external_id = w.id LIMIT 1) UNION ALL
			(SELECT 2, id, number, state, currency, total, paid, issue_date, due_date FROM invoices
				WHERE tenant_id = @tenant_id AND issue_year = w.year AND number_folded = w.number LIMIT 1)
		) AS i ORDER BY rank LIMIT 1) AS i ON true
	LEFT JOIN LATERAL (
		SELECT id, name FROM (
			(SELECT 1 AS rank, COALESCE(merged_into, id) AS id, name FROM customers
				WHERE tenant_id = @tenant_id AND source_folded = w.source AND external_id = w.customer LIMIT 1) UNION ALL
			(SELECT 2, id, '' FROM customers
				WHERE tenant_id = @tenant_id AND email_folded = w.email AND name_folded = w.name AND merged_into IS NULL
				LIMIT 1) UNION ALL
			(SELECT 3, (array_agg(id))[1], '' FROM (
				SELECT id FROM customers WHERE tenant_id = @tenant_id AND name_folded = w.name AND archived_at IS NULL
				ORDER BY id LIMIT 2) AS named HAVING count(*) = 1)
		) AS c ORDER BY rank LIMIT 1) AS c ON true
	ORDER BY w.n`

// judge sets the verdict of an invoice.
func (f found) judge(e *importing.Entry, b *bill) {
	switch {
	case f.Begun:
		e.Verdict = importing.New
	case f.ID != uuid.Nil:
		e.Verdict, e.Existing = importing.Known, record.Reference{ID: f.ID, Name: f.Number}
		e.Differ(f.differences(b))
	case f.Customer == uuid.Nil && b.unnamed():
		e.Refuse("No customer has the ID " + b.customer.ExternalID + ". Import the customers first, with the same source, or choose the " +
			"column of their names.")
	case b.issue && f.Closed != nil:
		e.Refuse("The books are closed through " + f.Closed.Display() + ". Change the dates, or reopen the books.")
	case f.Named != "" && !b.unnamed() && !strings.EqualFold(f.Named, b.customer.Name):
		e.Verdict = importing.Alike
		e.Problem = "The customer with this ID is " + f.Named + ", and the file has " + b.customer.Name + "."
	default:
		e.Verdict = importing.New
		if f.Customer == uuid.Nil {
			e.Detail += ", new customer"
		}
	}
}

// differences returns the fields in which the invoice differs. More that was paid here, or a missing due date, is none.
func (f found) differences(b *bill) (all []importing.Difference) {
	d := b.invoice
	add := func(label, saved, inFile string) {
		if saved != inFile {
			all = append(all, importing.Difference{Label: label, Saved: saved, InFile: inFile})
		}
	}
	if !invoice.SameNumber(f.Number, string(d.Number)) {
		add("Number", f.Number, string(d.Number))
	}
	add("Issue date", f.Issued.Display(), d.IssueDate.Display())
	if d.DueDate != (date.Date{}) {
		add("Due date", f.Due.Display(), d.DueDate.Display())
	}
	add("Total", f.Currency.Display(f.Total)+" "+f.Currency.String(), d.Currency.Display(b.total)+" "+d.Currency.String())
	if f.Paid < b.paid {
		add("Paid", f.Currency.Display(f.Paid), d.Currency.Display(b.paid))
	}
	switch {
	case f.State == invoice.StatusVoid:
		add("Status", "void", "not void")
	case (f.State == invoice.StatusDraft) == b.issue:
		add("Status", map[bool]string{true: "draft", false: "issued"}[b.issue], map[bool]string{true: "issued", false: "draft"}[b.issue])
	}
	return all
}

// caution returns a sentence about new invoices that are overdue, if a plan sends reminders of them.
func caution(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, overdue int) (string, error) {
	planned, err := record.One(ctx, pool, tenant, pgx.RowTo[bool], `
		SELECT EXISTS (SELECT FROM reminder_plans WHERE tenant_id = @tenant_id AND settings_id = @tenant_id)`, nil)
	if err != nil || !planned {
		return "", err
	}
	return fmt.Sprintf("Overdue and new: %d. Reminders of them are emailed automatically, by the plan in the settings. "+
		"If you don't want that, remove the plan before you import.", overdue), nil
}
