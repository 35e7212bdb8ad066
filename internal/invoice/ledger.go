package invoice

import (
	"context"
	"math"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
)

// Posting is an entry in the ledger of an invoice.
type Posting struct {
	// Kind is "payment", "removal", "refund", "refund_removal", "credit", "credit_reversal", "to_credit", "from_credit",
	// "write_off" or "reversal".
	Kind string    `json:"kind"`
	ID   uuid.UUID `json:"id"`
	Date date.Date `json:"date"`
	// Amount is in minor units; less than 0 for a refund, the removal of a payment, a reversal or what became credit.
	Amount  int64  `json:"amount"`
	Number  string `json:"number"`  // of a credit note, or the one whose credit a payment is from
	Removed bool   `json:"removed"` // of a payment or a refund, or a write-off that was taken back
	Closed  bool   `json:"closed"`  // whether the books are closed for the date of a payment or a refund
	// The fields of a payment, a refund or a write-off, even if it was removed or taken back.
	Left    int64  `json:"left"`    // of a payment, in minor units: Amount less refunds
	Method  string `json:"method"`  // or the reason of a write-off
	Details string `json:"details"` // the reference with its provider, or the note of a write-off
	// Receipt is the receipt that a payment is a part of, or that has what became credit; zero for none.
	Receipt uuid.UUID `json:"receipt"`
}

// postingKind is the SQL of the kind of a posting. The removal of a refund adds to the paid amount, and so does the reversal of a credit
// note with what became credit.
const postingKind = `CASE
	WHEN kind = 'removal' AND amount > 0 THEN 'refund_removal'
	WHEN kind = 'credit' AND amount < 0 THEN 'credit_reversal'
	WHEN kind = 'to_credit' AND amount > 0 THEN 'from_credit'
	ELSE kind::text END`

// Ledger returns a page of the ledger of an invoice, last recorded first. It returns [record.ErrKey] for a wrong key.
func Ledger(
	ctx context.Context, pool *pgxpool.Pool, tenant, invoice uuid.UUID, page record.Page,
) (list record.List[Posting], err error) {
	from := int64(math.MaxInt32)
	if page.From != (record.Key{}) {
		if from, err = strconv.ParseInt(page.From[1], 10, 32); err != nil || page.From[0] != "" {
			return list, record.ErrKey
		}
	}
	behind, order := `<`, ` DESC`
	if page.Back {
		behind, order = `>`, ``
	}
	rows, err := record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[posted], `
		SELECT l.position, json_build_object(
			'kind', `+postingKind+`, 'id', l.source_id, 'amount', l.amount, 'date',
				CASE WHEN l.kind IN ('removal', 'reversal') THEN business_day(l.at)
					ELSE COALESCE(p.paid_on, f.refunded_on, n.issue_date, w.written_off_on) END,
			'number', COALESCE(n.number, c.credit_note), 'left', p.left_amount,
			'removed', COALESCE(p.removed_at, f.removed_at, w.reversed_at) IS NOT NULL,
			'closed', COALESCE(COALESCE(p.paid_on, f.refunded_on) <= (SELECT books_closed(@tenant_id, '2000-01-01')), false),
			'method', COALESCE(p.method, w.reason), 'receipt', COALESCE(p.receipt_id, became.id),
			'details', concat_ws(' ', COALESCE(p.provider, c.provider), COALESCE(p.reference, c.reference), p.source, p.external_id,
				NULLIF(f.reference, ''), w.note))
		FROM (
			SELECT position, kind, source_id, amount, at FROM postings
			WHERE tenant_id = @tenant_id AND invoice_id = @invoice AND position `+behind+` @from
			ORDER BY position`+order+` LIMIT `+record.MaxRows+`) AS l
		LEFT JOIN LATERAL (
			SELECT paid_on, left_amount, removed_at, method, provider, reference, source, external_id, receipt_id FROM payments
			WHERE l.kind IN ('payment', 'removal') AND tenant_id = @tenant_id AND id = l.source_id LIMIT 1) AS p ON true
		LEFT JOIN LATERAL (
			SELECT provider, reference, (
				SELECT number FROM credit_notes WHERE tenant_id = @tenant_id AND id = r.credit_note_id) AS credit_note
			FROM receipts r WHERE tenant_id = @tenant_id AND id = p.receipt_id LIMIT 1) AS c ON true
		LEFT JOIN LATERAL (
			SELECT refunded_on, removed_at, reference FROM refunds
			WHERE l.kind = 'refund' AND tenant_id = @tenant_id AND id = l.source_id LIMIT 1) AS f ON true
		LEFT JOIN LATERAL (
			SELECT issue_date, number FROM credit_notes
			WHERE l.kind IN ('credit', 'to_credit') AND tenant_id = @tenant_id AND id = l.source_id LIMIT 1) AS n ON true
		LEFT JOIN LATERAL (
			SELECT id FROM receipts
			WHERE l.kind = 'to_credit' AND tenant_id = @tenant_id AND credit_note_id = l.source_id LIMIT 1) AS became ON true
		LEFT JOIN LATERAL (
			SELECT written_off_on, reversed_at, reason, note FROM write_offs
			WHERE l.kind IN ('write_off', 'reversal') AND tenant_id = @tenant_id AND id = l.source_id LIMIT 1) AS w ON true
		ORDER BY l.position`+order+` LIMIT @limit`,
		pgx.NamedArgs{"invoice": invoice, "from": from, "limit": page.Limit + 1})
	place := func(p posted) (record.Key, Posting) { return record.Key{"", strconv.Itoa(p.Position)}, p.Posting }
	return record.Cut(page, rows, place, record.Key{}), err
}

// Postings selects the ledger's entries for the history of an invoice; the details are a [PostingDetails].
const Postings idempotency.Beside = `
	SELECT source_id, CASE WHEN kind IN ('removal', 'reversal') THEN 'changed' ELSE 'created' END AS outcome, at,
		lpad(position::text, 10, '0') COLLATE "C" AS place, ` + postingKind + ` AS what,
		json_build_object('amount', abs(amount), 'number', (
			SELECT number FROM credit_notes n
			WHERE kind IN ('credit', 'to_credit') AND n.tenant_id = l.tenant_id AND n.id = source_id)) AS details
	FROM postings l WHERE tenant_id = @tenant_id AND invoice_id = @record`

// PostingDetails are the details of an entry from [Postings].
type PostingDetails struct {
	Amount int64  `json:"amount"` // minor units, 0 or more
	Number string `json:"number"` // of a credit note
}

// posted is a posting with its position in the ledger of its invoice.
type posted struct {
	Position int
	Posting  Posting
}
