package invoice

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
	"onlyonce/internal/record/search"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// Summary is an invoice in a list.
type Summary struct {
	record.Header

	Number    string         `json:"number"`
	Status    string         `json:"status"`
	Customer  Customer       `json:"customer"` // current state
	Currency  money.Currency `json:"currency"`
	IssueDate date.Date      `json:"issue_date"`
	DueDate   date.Date      `json:"due_date"`
	Subtotal  int64          `json:"subtotal"`  // minor units
	TaxTotal  int64          `json:"tax_total"` // minor units
	Total     int64          `json:"total"`     // minor units
	Credited  int64          `json:"credited"`  // minor units
	Open      int64          `json:"open"`      // minor units
	TaxID     string         `json:"tax_id"`    // of the customer, as the invoice has it
	// MailFailed reports whether the newest email about the invoice has failed, unless voiding or paying the invoice made it pointless.
	MailFailed   bool         `json:"mail_failed"`
	LastReminder LastReminder `json:"last_reminder,omitzero"`
	// Late is the number of days for which an open invoice has been overdue; 0 if it isn't.
	Late  int    `json:"late"`
	Lines []Line `json:"lines"` // nil unless [Filter.Lines] is set
	// CopiesTo has the addresses that get copies of emails to the customer, from [Chosen] only; "" for none.
	CopiesTo string `json:"copies_to"`
	Closed   bool   `json:"closed"` // whether its issue date is closed, from [Chosen] only
}

// LastReminder is the last reminder of an invoice, or zero if there is none.
type LastReminder struct {
	Level  int       `json:"level"`
	SentOn date.Date `json:"sent_on"` // the day on which its email was queued
	Unsent bool      `json:"unsent"`  // its email has failed, or there is no mail server
}

// Filter selects and sorts invoices. The zero value selects all, newest first.
type Filter struct {
	// Search has prefixes of words in the invoice's number, its lines, or the name, email, tax ID, contact or
	// reference of its customer. All must match. It may have a total.
	Search   string
	States   []string  // empty for all
	Overdue  date.Date // only open invoices that were due before that day; zero for any
	Customer uuid.UUID // uuid.Nil for all
	From, To date.Date // issue dates, both included; zero for any
	// PaidFrom and PaidTo select invoices with a payment in these days, both included; zero for any.
	PaidFrom, PaidTo date.Date
	Sort             string // one of [Sorts]; "" is the first
	// Lines reads the lines too, of at most [MaxWithLines] invoices at once.
	Lines bool

	totals []string // see [Filter.byTotal]
}

// MaxWithLines is the maximum number of invoices on a page with their lines, which have up to [MaxLines] each.
const MaxWithLines = 20

// Sorts returns the orders of a list of invoices. "number" sorts by year of issue first, and "total" by currency first, because amounts
// in different currencies can't be compared.
func Sorts() []string { return []string{"newest", "oldest", "due", "number", "total"} }

// orders returns the order of a sort in [Sorts].
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

// List returns a page of the invoices that a filter selects. The page may be short although more invoices follow: see [search.Query]. It
// returns [record.ErrKey] for a wrong key, or [search.ErrTooMany] if a search or a customer matches too many invoices to sort by due
// date, number or total.
func List(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, f Filter, page record.Page) (record.List[Summary], error) {
	if f.Lines {
		page.Limit = min(page.Limit, MaxWithLines)
		withLines := record.Table[Summary]{Name: Summaries.Name, Fields: Summaries.Fields + `, 'lines', ` + linesJSON}
		return listOf[Summary](ctx, pool, tenant, f, withLines.JSON(), page)
	}
	return listOf[Summary](ctx, pool, tenant, f, Summaries.JSON(), page)
}

// listOf is [List] with the SQL expression for the JSON of an R, on the row r.
func listOf[R any](
	ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, f Filter, shown string, page record.Page,
) (record.List[R], error) {
	f, err := f.byTotal(ctx, pool, tenant)
	if err != nil {
		return record.List[R]{}, err
	}
	var terms []search.Term
	if f.Search != "" {
		if terms, err = words.Terms(ctx, pool, tenant, f.Search); err != nil {
			return record.List[R]{}, err
		}
		if !slices.ContainsFunc(terms, func(t search.Term) bool { return t.Matches > 0 }) {
			if f.totals = wholeTotals(f.Search); f.totals == nil {
				return record.List[R]{}, nil
			}
			terms = nil
		}
	}
	q := search.Query[R]{
		Table: "invoices", Shown: shown, Order: orders(f.Sort), Terms: terms, Words: words, Where: wanted, Args: f.arguments(),
	}
	if f.Customer != uuid.Nil {
		q.Terms = append(q.Terms, search.Term{Others: []uuid.UUID{f.Customer}, Matches: 500})
	}
	switch q.Order.Columns[0].Name {
	case "issue_date":
		q.Range = `issue_date >= @from::date AND issue_date <= @to::date`
		if f.Customer != uuid.Nil && f.Search == "" && len(f.states()) == len(states()) && !f.byPayment() && f.totals == nil {
			q.Look = 1 // no invoice of the customer is left out, so none is read in vain
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
	if f.totals != nil {
		q.Where += ` AND r.total_rank = ANY (@totals::text[])`
		q.Source = withTotal + ` LIMIT $LOOKED`
	}
	switch {
	case q.Filtered && q.Order.Columns[0].Name != "issue_date" && (f.From != date.Date{} || f.To != date.Date{}):
		q.Narrow = `issue_date >= @from::date AND issue_date <= @to::date`
	case q.Filtered && q.Order.Columns[0].Name != "due_date" && f.Overdue != date.Date{}:
		q.Narrow = `due_date < @due_before::date`
	}
	return q.List(ctx, pool, tenant, page)
}

// states returns all states of an invoice.
func states() []string {
	return []string{StatusDraft, StatusIssued, StatusPartly, StatusPaid, StatusCredited, StatusWrittenOff, StatusVoid}
}

// OpenStates returns the states of invoices with an open amount.
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

// filtered reports whether the filter leaves out rows of the index of the order.
func (f Filter) filtered() bool {
	byDate := f.Sort == "" || f.Sort == "newest" || f.Sort == "oldest"
	return f.byPayment() || f.totals != nil || !byDate && (f.From != date.Date{} || f.To != date.Date{}) ||
		f.Sort != "due" && f.Overdue != date.Date{} || f.Sort == "number" && len(f.states()) < len(states())
}

// byPayment reports whether the filter selects by day of payment.
func (f Filter) byPayment() bool { return f.PaidFrom != date.Date{} || f.PaidTo != date.Date{} }

func (f Filter) arguments() pgx.NamedArgs {
	args := pgx.NamedArgs{"states": f.states(), "from": "-infinity", "to": "infinity", "due_before": "infinity"}
	if f.totals != nil {
		args["totals"] = f.totals
	}
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

// wanted is the condition of a filter on an invoice r, without the search.
const wanted = `r.state = ANY (@states::text[]) AND r.issue_date >= @from::date AND r.issue_date <= @to::date
	AND r.due_date < @due_before::date`

// paid is the condition of a filter by day of payment on an invoice r. LIMIT forces a lookup for each invoice.
const paid = ` AND (
	SELECT true FROM payments p
	WHERE p.tenant_id = r.tenant_id AND p.invoice_id = r.id AND p.removed_at IS NULL
		AND p.paid_on >= @paid_from::date AND p.paid_on <= @paid_to::date LIMIT 1)`

// paidInvoices selects the ids of the invoices that match such a filter, some more than once.
const paidInvoices = `
	SELECT p.invoice_id AS id FROM payments p
	WHERE p.tenant_id = @tenant_id AND p.removed_at IS NULL AND p.paid_on >= @paid_from::date AND p.paid_on <= @paid_to::date
	ORDER BY p.paid_on, p.id LIMIT $LOOKED`

// Summaries is the table of invoices for lists. The LIMITs force lookups of the customer and the email for each invoice: for a join,
// PostgreSQL may choose to read all customers of the tenant.
var Summaries = record.Table[Summary]{Name: "invoices", Fields: `
	'number', r.number, 'status', r.state,
	'customer', (
		SELECT json_build_object('id', c.id, 'email', c.email, 'name', c.name)
		FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1),
	'currency', r.currency, 'issue_date', r.issue_date, 'due_date', r.due_date, 'subtotal', r.subtotal,
	'tax_total', r.tax_total, 'total', r.total, 'credited', r.credited, 'open', ` + openAmount + `,
	'tax_id', COALESCE(r.bill_to->>'tax_id', (
		SELECT c.tax_id FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1)),
	'mail_failed', COALESCE((
		SELECT m.state = 'failed' AND CASE m.kind
			WHEN 'void' THEN true WHEN 'invoice' THEN r.state <> 'void' ELSE r.state IN ('issued', 'partially_paid') END
		FROM mails m WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.id DESC LIMIT 1), false),
	'last_reminder', (
		SELECT json_build_object('level', m.level, 'sent_on', m.sent_on, 'unsent', (
			SELECT e.state = 'failed' OR e.kept FROM mails e
			WHERE e.tenant_id = m.tenant_id AND e.invoice_id = m.invoice_id AND e.kind = 'reminder_' || m.level
				AND e.kind IN ('reminder_1', 'reminder_2', 'reminder_3') -- as in the index
			ORDER BY e.id DESC LIMIT 1))
		FROM invoice_reminders m
		WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.level DESC LIMIT 1),
	'late', CASE WHEN ` + overdue + ` THEN (SELECT business_day()) - r.due_date ELSE 0 END`}

// WithOpen returns the newest invoices with an open amount, in minor units of a currency, at most limit.
func WithOpen(
	ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, currency money.Currency, amount int64, limit int,
) ([]Summary, error) {
	found, err := record.ListBy(ctx, pool, Summaries, tenant, record.Page{Limit: limit}, `
		r.currency COLLATE "C" = @currency AND r.open_amount = @amount AND r.state IN ('issued', 'partially_paid')`,
		pgx.NamedArgs{"currency": currency.String(), "amount": amount})
	return found.Rows, err
}

// NextNumber returns the number that an invoice of a year would be allocated now. It is not reserved.
func NextNumber(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, year int) (string, error) {
	return record.One(ctx, pool, tenant, pgx.RowTo[string], `
		SELECT next_number_by_pattern(@tenant_id, @year)`,
		pgx.NamedArgs{"year": year})
}

// MaxChosen is the maximum number of invoices that [Chosen] returns.
const MaxChosen = 100

// Chosen returns the invoices with the ids, newest first.
func Chosen(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, ids []string) ([]Summary, error) {
	withCopies := record.Table[Summary]{Name: Summaries.Name, Fields: Summaries.Fields + closed + `, 'copies_to', (
		SELECT c.copies_to FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1)`}
	found, err := record.ListBy(ctx, pool, withCopies, tenant, record.Page{Limit: MaxChosen}, `r.id = ANY (@ids::uuid[])`,
		pgx.NamedArgs{"ids": ids})
	return found.Rows, err
}

// ChosenWhole is like [Chosen], with the lines and parties of the invoices.
func ChosenWhole(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, ids []string) ([]Invoice, error) {
	found, err := record.ListBy(ctx, pool, Table, tenant, record.Page{Limit: MaxChosen}, `r.id = ANY (@ids::uuid[])`,
		pgx.NamedArgs{"ids": ids})
	return found.Rows, err
}

// CopiesTo returns the addresses that get copies of emails to the customer of an invoice, which may lack the customer's id: see [Buyer].
func CopiesTo(ctx context.Context, pool *pgxpool.Pool, tenant, id uuid.UUID) (string, error) {
	found, err := Chosen(ctx, pool, tenant, []string{id.String()})
	if len(found) == 0 {
		return "", err
	}
	return found[0].CopiesTo, err
}
