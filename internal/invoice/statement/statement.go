// Package statement reads the account of a customer: the balance, and the entries that change it. The database writes an entry with each
// invoice, payment or other record: see migrations/00223_invoice_accounts.sql.
package statement

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/shopspring/decimal"

	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// Account is a period of the account of a customer in a currency.
type Account struct {
	Customer    uuid.UUID
	Currency    money.Currency
	First, Last date.Date
}

// Statement is a page of the entries of a period, the earliest first, with the balances before and after the period. A balance is the open
// amount less the credit, in minor units. It may exceed an int64.
type Statement struct {
	Opening, Closing decimal.Decimal
	Entries          record.List[Entry]
}

// Entry is an entry of an account.
type Entry struct {
	Day date.Date `json:"day"`
	// Kind is "invoice", "credit_note", "payment", "refund", "write_off", "receipt" or "repayment", or for one that was undone "void",
	// "write_off_reversal", "payment_removal", "refund_removal", "receipt_removal" or "repayment_removal".
	Kind   string    `json:"kind"`
	ID     uuid.UUID `json:"id"`     // of that record
	Of     uuid.UUID `json:"of"`     // the receipt of a receipt or a repayment, or else the invoice
	Amount int64     `json:"amount"` // minor units; less than 0 if the customer owes less
	// Number is the number of the credit note, or else of the invoice; "" for a receipt and a repayment.
	Number    string          `json:"number"`
	DueDate   date.Date       `json:"due_date"`  // of an invoice; zero for others
	Reference string          `json:"reference"` // of a payment or a receipt, with the bank or provider, or of a refund or a repayment
	Balance   decimal.Decimal `json:"-"`         // after the entry
}

// What returns the kind for programs, which is "credit_note_reversal" for the reversal of a credit note.
func (e Entry) What() string {
	if e.Kind == "credit_note" && e.Amount > 0 {
		return "credit_note_reversal"
	}
	return e.Kind
}

// Text returns the kind for users: "Credit note reversed".
func (e Entry) Text() string {
	return map[string]string{
		"invoice": "Invoice", "void": "Invoice voided", "credit_note": "Credit note", "credit_note_reversal": "Credit note reversed",
		"payment": "Payment", "payment_removal": "Payment removed", "refund": "Refund", "refund_removal": "Refund removed",
		"write_off": "Write-off", "write_off_reversal": "Write-off taken back", "receipt": "Receipt", "receipt_removal": "Receipt removed",
		"repayment": "Credit paid back", "repayment_removal": "Repayment removed",
	}[e.What()]
}

// OfReceipt reports whether the entry belongs to a receipt, and not to an invoice.
func (e Entry) OfReceipt() bool {
	return strings.HasPrefix(e.Kind, "receipt") || strings.HasPrefix(e.Kind, "repayment")
}

// Currencies returns the currencies of a customer's account, the one with the most entries first.
func Currencies(ctx context.Context, pool *pgxpool.Pool, tenant, customer uuid.UUID) ([]money.Currency, error) {
	return record.Collect(ctx, pool, tenant, pgx.RowTo[money.Currency], `
		SELECT currency FROM standing WHERE tenant_id = @tenant_id AND of_id = @customer AND kind = 'account_month'
		GROUP BY currency ORDER BY sum(invoices) DESC, currency LIMIT 200`, pgx.NamedArgs{"customer": customer})
}

// Of returns a page of a statement. It reads the sums of the months before, at most a month of entries, and those of the page. It returns
// [record.ErrKey] for a wrong key.
func Of(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, of Account, page record.Page) (s Statement, err error) {
	at := place{Day: of.First}
	if page.From != (record.Key{}) {
		if at, err = parsePlace(page.From); err != nil {
			return s, err
		}
	}
	behind, upTo, order := `>`, `<=`, ``
	if page.Back {
		behind, upTo, order = `<`, `<`, ` DESC`
	}
	rows, err := record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[row], `
		SELECT b.opening, b.closing, b.at, e.json FROM (
			SELECT sum(amount) FILTER (WHERE n = 1) AS opening, sum(amount) FILTER (WHERE n = 2) AS closing,
				sum(amount) FILTER (WHERE n = 3) AS at
			FROM (VALUES
					(1, @first::date, '00000000-0000-0000-0000-000000000000'::uuid, ''),
					(2, @last::date + 1, '00000000-0000-0000-0000-000000000000', ''),
					(3, @day::date, @source::uuid, @kind::text)) AS place (n, day, source_id, kind),
				LATERAL (
					SELECT COALESCE((
							SELECT sum(amount) FROM standing
							WHERE tenant_id = @tenant_id AND of_id = @customer AND kind = 'account_month' AND currency = @currency
								AND day < date_trunc('month', place.day)::date), 0)
						+ COALESCE((
							SELECT sum(amount) FROM account_entries
							WHERE tenant_id = @tenant_id AND customer_id = @customer AND currency = @currency
								AND day >= date_trunc('month', place.day)::date
								AND (day, source_id, kind) `+upTo+` (place.day, place.source_id, place.kind)), 0) AS amount
				) AS balance
		) AS b
		LEFT JOIN LATERAL (
			SELECT l.day, l.source_id, l.kind, json_build_object(
				'day', l.day, 'kind', l.kind, 'id', l.source_id, 'of', l.of_id, 'amount', l.amount,
				'number', COALESCE(n.number, i.number), 'due_date', CASE l.kind WHEN 'invoice' THEN i.due_date END,
				'reference', concat_ws(' ', p.provider, p.reference, r.provider, r.reference, f.reference, b.reference)) AS json
			FROM (
				SELECT day, kind, source_id, of_id, amount FROM account_entries
				WHERE tenant_id = @tenant_id AND customer_id = @customer AND currency = @currency
					AND day >= @first::date AND day <= @last::date AND (day, source_id, kind) `+behind+` (@day::date, @source::uuid, @kind)
				ORDER BY day`+order+`, source_id`+order+`, kind`+order+` LIMIT `+record.MaxRows+`) AS l
			LEFT JOIN LATERAL (
				SELECT number FROM credit_notes WHERE tenant_id = @tenant_id AND id = l.source_id LIMIT 1) AS n ON true
			LEFT JOIN LATERAL (SELECT number, due_date FROM invoices WHERE tenant_id = @tenant_id AND id = l.of_id LIMIT 1) AS i ON true
			LEFT JOIN LATERAL (
				SELECT provider, reference FROM payments WHERE tenant_id = @tenant_id AND id = l.source_id LIMIT 1) AS p ON true
			LEFT JOIN LATERAL (
				SELECT NULLIF(reference, '') AS reference FROM refunds WHERE tenant_id = @tenant_id AND id = l.source_id LIMIT 1
			) AS f ON true
			LEFT JOIN LATERAL (
				SELECT NULLIF(reference, '') AS reference FROM repayments WHERE tenant_id = @tenant_id AND id = l.source_id LIMIT 1
			) AS b ON true
			LEFT JOIN LATERAL (
				SELECT provider, reference FROM receipts
				WHERE tenant_id = @tenant_id AND id = l.of_id AND b.reference IS NULL LIMIT 1) AS r ON true
		) AS e ON true
		ORDER BY e.day`+order+`, e.source_id`+order+`, e.kind`+order+` LIMIT @limit`,
		pgx.NamedArgs{
			"customer": of.Customer, "currency": of.Currency.String(), "first": of.First.Time(), "last": of.Last.Time(),
			"day": at.Day.Time(), "source": at.Source, "kind": at.Kind, "limit": page.Limit + 1,
		})
	if err != nil {
		return s, err
	}
	s.Opening, s.Closing = rows[0].Opening, rows[0].Closing
	balance := rows[0].At
	if rows[0].Entry == nil {
		rows = nil
	}
	s.Entries = record.Cut(page, rows, func(r row) (record.Key, Entry) { return placeOf(*r.Entry), *r.Entry }, record.Key{})
	if page.Back {
		for _, e := range s.Entries.Rows {
			balance = balance.Sub(decimal.NewFromInt(e.Amount))
		}
	}
	for i := range s.Entries.Rows {
		e := &s.Entries.Rows[i]
		balance = balance.Add(decimal.NewFromInt(e.Amount))
		e.Balance = balance
	}
	return s, nil
}

// row has the balances with each entry of the page, so that they are read at the same moment. Without entries, it has none.
type row struct {
	Opening, Closing, At decimal.Decimal
	Entry                *Entry
}

// place is a position in the order of the entries of an account, at which a page begins.
type place struct {
	Day    date.Date
	Source uuid.UUID
	Kind   string
}

func placeOf(e Entry) record.Key { return record.Key{e.Day.String(), e.ID.String() + " " + e.Kind} }

func parsePlace(key record.Key) (p place, err error) {
	id, kind, _ := strings.Cut(key[1], " ")
	p.Kind = kind
	if p.Day, err = date.Parse(key[0]); err == nil {
		p.Source, err = uuid.Parse(id)
	}
	if err != nil {
		return p, record.ErrKey
	}
	return p, nil
}
