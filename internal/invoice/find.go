package invoice

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
	"onlyonce/internal/record/search"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// Summary is an invoice as a list shows it.
type Summary struct {
	record.Header

	Number    string         `json:"number"`
	Status    string         `json:"status"`
	Customer  Customer       `json:"customer"` // as they are now
	Currency  money.Currency `json:"currency"`
	IssueDate date.Date      `json:"issue_date"`
	DueDate   date.Date      `json:"due_date"`
	Total     int64          `json:"total"` // minor units
	Open      int64          `json:"open"`  // minor units
	// MailFailed reports that the newest email about the invoice has failed, and is not one that a void invoice made pointless.
	MailFailed bool `json:"mail_failed"`
}

// Filter selects invoices and their order. The zero value selects all of them, newest first.
type Filter struct {
	// Search has words that an invoice's number, its lines, or the name or email of its customer begin with. All of
	// them must be found.
	Search   string
	States   []string  // empty for all
	Overdue  date.Date // only those that were due before that day and are open; zero for no matter
	Customer uuid.UUID // uuid.Nil for all
	From, To date.Date // of the issue dates, both included; zero for no matter
	// PaidFrom and PaidTo are days, both included, of which one had a payment; zero for no matter.
	PaidFrom, PaidTo date.Date
	Sort             string // one of [Sorts]; "" is the first of them
}

// Sorts lists the orders of a list of invoices. By number is by year of issue first, and by total is by currency first, since
// amounts of two currencies do not compare.
func Sorts() []string { return []string{"newest", "oldest", "due", "number", "total"} }

// orders are those of [Sorts].
func orders(sort string) search.Order {
	id := search.Column{Name: "id", Type: "uuid"}
	switch sort {
	case "oldest":
		return search.Order{Columns: [2]search.Column{{Name: "issue_date", Type: "date"}, id}}
	case "due":
		return search.Order{Columns: [2]search.Column{{Name: "due_date", Type: "date"}, id}}
	case "number":
		return search.Order{Columns: [2]search.Column{{Name: "issue_year", Type: "integer"}, {Name: "number_folded", Type: "text"}}}
	case "total":
		return search.Order{Columns: [2]search.Column{{Name: "total_rank", Type: "text"}, id}}
	default:
		return search.Order{Columns: [2]search.Column{{Name: "issue_date", Type: "date"}, id}, Descending: true}
	}
}

var words = search.Words{
	Table: "invoice_words", ID: "invoice_id", First: "issue_date", FirstOf: "issue_date",
	Other: search.Other{Column: "customer_id", Words: "customer_words", ID: "customer_id"},
}

// List returns a page of the invoices that a filter wants. A page may be shorter than asked for although more come behind
// it, when few of those that were looked at are wanted: see [search.Query]. The error is [record.ErrKey], or
// [search.ErrTooMany] if a search, or a customer, has more than are sorted by due date, number or total.
func List(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, f Filter, page record.Page) (record.List[Summary], error) {
	var terms []search.Term
	if f.Search != "" {
		var err error
		if terms, err = words.Terms(ctx, pool, tenant, f.Search); err != nil || len(terms) == 0 {
			return record.List[Summary]{}, err
		}
	}
	q := search.Query[Summary]{
		Table: "invoices", Shown: Summaries.JSON(), Order: orders(f.Sort), Terms: terms, Words: words, Where: wanted, Args: f.arguments(),
	}
	if f.Customer != uuid.Nil {
		q.Terms = append(q.Terms, search.Term{Others: []uuid.UUID{f.Customer}, Matches: 500})
	}
	switch q.Order.Columns[0].Name {
	case "issue_date":
		q.Range = `issue_date >= @from::date AND issue_date <= @to::date`
		if f.Customer != uuid.Nil && f.Search == "" && len(f.states()) == len(states()) && !f.byPayment() {
			q.Look = 1 // none of a customer's invoices is left out, so none is looked at that is not shown
		}
		switch {
		case q.Order.Descending && f.To != date.Date{}:
			q.Start = record.Key{f.To.String(), uuid.Max.String()}
		case !q.Order.Descending && f.From != date.Date{}:
			q.Start = record.Key{f.From.String(), uuid.Nil.String()}
		}
	case "due_date":
		q.Range = `due_date < @due_before::date`
	}
	q.Filtered = f.filtered()
	if f.byPayment() {
		q.Where += paid
		q.Source = paidInvoices
	}
	switch {
	case q.Filtered && q.Order.Columns[0].Name != "issue_date" && (f.From != date.Date{} || f.To != date.Date{}):
		q.Narrow = `issue_date >= @from::date AND issue_date <= @to::date`
	case q.Filtered && q.Order.Columns[0].Name != "due_date" && f.Overdue != date.Date{}:
		q.Narrow = `due_date < @due_before::date`
	}
	return q.List(ctx, pool, tenant, page)
}

// states are all states of an invoice, of which a filter wants some.
func states() []string {
	return []string{StatusDraft, StatusIssued, StatusPartly, StatusPaid, StatusCredited, StatusVoid}
}

// OpenStates are the states of invoices of which something is open.
func OpenStates() []string { return []string{StatusIssued, StatusPartly} }

func (f Filter) states() []string {
	switch {
	case f.Overdue != date.Date{}:
		return OpenStates()
	case len(f.States) == 0:
		return states()
	default:
		return f.States
	}
}

// filtered reports whether rows have to be left out that the index of the order leads to.
func (f Filter) filtered() bool {
	byDate := f.Sort == "" || f.Sort == "newest" || f.Sort == "oldest"
	return f.byPayment() || !byDate && (f.From != date.Date{} || f.To != date.Date{}) || f.Sort != "due" && f.Overdue != date.Date{} ||
		f.Sort == "number" && len(f.states()) < len(states())
}

// byPayment reports whether it matters when an invoice was paid.
func (f Filter) byPayment() bool { return f.PaidFrom != date.Date{} || f.PaidTo != date.Date{} }

func (f Filter) arguments() pgx.NamedArgs {
	args := pgx.NamedArgs{"states": f.states(), "from": "-infinity", "to": "infinity", "due_before": "infinity"}
	if f.byPayment() {
		args["paid_from"], args["paid_to"] = "-infinity", "infinity"
	}
	for name, day := range map[string]date.Date{
		"from": f.From, "to": f.To, "due_before": f.Overdue, "paid_from": f.PaidFrom, "paid_to": f.PaidTo,
	} {
		if day != (date.Date{}) {
			args[name] = day.String()
		}
	}
	return args
}

// wanted is what a filter wants of an invoice r, besides what is searched for.
const wanted = `r.state = ANY (@states::text[]) AND r.issue_date >= @from::date AND r.issue_date <= @to::date
	AND r.due_date < @due_before::date`

// paid is what a filter by day of payment wants of an invoice r. The LIMIT makes a lookup of it for each invoice.
const paid = ` AND (
	SELECT true FROM payments p
	WHERE p.tenant_id = r.tenant_id AND p.invoice_id = r.id AND p.removed_at IS NULL
		AND p.paid_on >= @paid_from::date AND p.paid_on <= @paid_to::date LIMIT 1)`

// paidInvoices are the ids of the invoices that such a filter wants, some more than once.
const paidInvoices = `
	SELECT p.invoice_id AS id FROM payments p
	WHERE p.tenant_id = @tenant_id AND p.removed_at IS NULL AND p.paid_on >= @paid_from::date AND p.paid_on <= @paid_to::date
	ORDER BY p.paid_on, p.id LIMIT $LOOKED`

// Summaries has the invoices as a list shows them. The LIMITs make the customer and the email lookups for each invoice: for a join,
// PostgreSQL may choose to read all customers of the tenant.
var Summaries = record.Table[Summary]{Name: "invoices", Fields: `
	'number', r.number, 'status', r.state,
	'customer', (
		SELECT json_build_object('id', c.id, 'email', c.email, 'name', c.name)
		FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1),
	'currency', r.currency, 'issue_date', r.issue_date, 'due_date', r.due_date, 'total', r.total,
	'open', ` + openAmount + `,
	'mail_failed', COALESCE((
		SELECT m.state = 'failed' AND (m.kind = 'void' OR r.state <> 'void')
		FROM mails m WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.id DESC LIMIT 1), false)`}

// WithOpen returns invoices of which an amount is open, in minor units of a currency: at most limit, the newest.
func WithOpen(
	ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, currency money.Currency, amount int64, limit int,
) ([]Summary, error) {
	found, err := Summaries.List(ctx, pool, tenant, record.Page{Limit: limit}, `
		r.currency COLLATE "C" = @currency AND r.open_amount = @amount AND r.state IN ('issued', 'partially_paid')`,
		pgx.NamedArgs{"currency": currency.String(), "amount": amount})
	return found.Rows, err
}

// NextNumber returns the number that the series of a year would allocate now: a suggestion, not a
// reservation.
func NextNumber(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, year int) (string, error) {
	return record.One(ctx, pool, tenant, pgx.RowTo[string], `
		SELECT format_invoice_number(@year, next_invoice_number(@tenant_id, @year))`,
		pgx.NamedArgs{"year": year})
}
