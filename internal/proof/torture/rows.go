package torture

import (
	"context"
	_ "embed" // for rows.sql
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// origin identifies the intent of a row, in the database's terms.
type origin struct {
	tenant    int // index into tokens
	operation string
	key       string
}

// row is a record in the database: a customer, a payment, a refund, a credit note, a mail that was sent again, a webhook event, or
// an invoice in its original state. The records made by events and schedules are left to rules.sql.
type row struct {
	origin

	id      string
	number  string // of an invoice or a credit note, or of the invoice of a mail
	total   cents  // of an invoice or a credit note, or the amount of a payment, a refund or an event
	notes   string // of an invoice, or the reference of a payment or an event, or the recipient of a mail
	email   string // of the customer, in lower case
	invoice string // of a payment, a refund, a credit note, a mail or an event
	payment string // of a refund
	lines   string // of a credit note, each as in [creditLine]
	became  cents  // of a credit note: the part of its total that became credit

	event happened // of an event of a webhook
}

// about returns the record that a payment, a refund, a credit note or a mail belongs to.
func (r row) about() string {
	if r.payment != "" {
		return r.payment
	}
	return r.invoice
}

func (r row) isCustomer() bool { return r.email != "" && r.number == "" }

// rows are the records made during the run.
type rows struct {
	all      []row
	byOrigin map[origin][]row
	byEmail  map[origin][]row // customers; the key is the email
	changes  []stored
	// now has the current customers, invoices, payments and businesses, by id.
	now map[string]profile
	// before has the versions of existing records that the clients change, by id.
	before map[string]int
	// freed has the numbers that invoices no longer use; its keys have the number.
	freed map[origin]bool
}

//go:embed rows.sql
var rowsText string

// loadRows reads all records made by the clients.
func loadRows(ctx context.Context, conn *pgx.Conn, demo before) (rows, error) {
	found := rows{
		byOrigin: map[origin][]row{}, byEmail: map[origin][]row{}, now: map[string]profile{}, freed: map[origin]bool{},
		before: demo.versions(),
	}
	var all []row
	var r row
	err := each(ctx, conn, "the records", []any{
		&r.tenant, &r.operation, &r.key, &r.id, &r.number, (*int64)(&r.total), &r.notes, &r.email, &r.invoice, &r.payment, &r.lines,
		(*int64)(&r.became),
	}, func() { all = append(all, r) }, "WITH "+numberedTenants+"\n"+rowsText, tokens[:])
	if err != nil {
		return found, err
	}
	events, err := loadEvents(ctx, conn)
	if err != nil {
		return found, err
	}
	for _, r := range append(all, events...) {
		if r.isCustomer() {
			at := origin{tenant: r.tenant, key: r.email}
			found.byEmail[at] = append(found.byEmail[at], r)
		}
		ofOthers := func(prefix string) bool { return strings.HasPrefix(r.key, prefix) }
		if demo.records[r.id] || slices.ContainsFunc([]string{programKeys, batchKeys, importKeys}, ofOthers) {
			continue
		}
		found.all = append(found.all, r)
		if !r.isCustomer() {
			found.byOrigin[r.origin] = append(found.byOrigin[r.origin], r)
		}
	}
	var of origin
	err = each(ctx, conn, "the numbers that were given up", []any{&of.tenant, &of.key}, func() { found.freed[of] = true }, `
		WITH `+numberedTenants+`
		SELECT n, changes->'number'->>0 FROM intents JOIN tenant USING (tenant_id)
		WHERE operation = 'invoice.edit' AND changes ? 'number'`, tokens[:])
	if err != nil {
		return found, err
	}
	return found, found.loadChanges(ctx, conn)
}

// mayBeFree reports whether an invoice has freed the number that an intent wants.
func (r rows) mayBeFree(in intent) bool {
	return in.number != "" && r.freed[origin{tenant: in.tenant, key: in.number}]
}

// numberedTenants selects the tenants with their indexes into tokens, the first argument.
const numberedTenants = `tenant AS (
	SELECT tenant_id, ordinality::int - 1 AS n
	FROM unnest($1::text[]) WITH ORDINALITY AS token (token, ordinality)
	JOIN api_tokens ON token_hash = sha256(token::bytea)
)`

// of returns the records of an intent. Customers are also matched by the answers, since another intent may have created them.
func (r rows) of(in intent, attempts []attempt) []row {
	if in.kind == contact {
		return slices.DeleteFunc(slices.Clone(r.byEmail[origin{tenant: in.tenant, key: in.email}]), func(r row) bool {
			mine := r.origin == origin{in.tenant, in.kind.operation(), in.key}
			return !mine && !slices.ContainsFunc(attempts, func(a attempt) bool { return a.Outcome.acknowledges() && a.ID == r.id })
		})
	}
	var found []row
	for key := range keys(attempts) {
		found = append(found, r.byOrigin[origin{in.tenant, in.kind.operation(), key}]...)
	}
	if in.kind.delivers() && len(attempts) > 0 {
		found = slices.DeleteFunc(found, func(r row) bool { return r.event.apart != (attempts[0].Command == 1) })
	}
	return found
}

// keys returns the keys of attempts: one, unless the clients use a new one for each.
func keys(attempts []attempt) map[string]bool {
	all := map[string]bool{}
	for _, a := range attempts {
		all[a.Key] = true
	}
	return all
}

// matches reports whether an answer is about this row and agrees with it.
func (r row) matches(a attempt) bool {
	switch {
	case a.Kind.delivers():
		return a.ID == r.id && a.Record == r.invoice && a.Asked == r.total
	case a.ID != r.id, a.Outcome.original() && (a.Number != r.number || a.Total != r.total):
		return false
	case r.invoice == "":
		return true
	case a.Kind == credit: // the answer to the other command names only the record
		return a.Record == r.invoice && (a.Outcome == mismatch || a.Lines == "" || a.Lines == r.lines)
	default:
		return a.Record == r.about() && a.Asked == r.total
	}
}

var (
	ofSeries  = regexp.MustCompile(`^\d{4}-\d{4,}$`)
	ofPattern = regexp.MustCompile(`^(\d{4}-\d{4,}|R\d{2}/\d{3,}|S\d{4,})$`) // one of the patterns that programs set
)

// unlike describes a difference between the row and the intent, or returns "".
func (r row) unlike(in intent) string {
	switch {
	case (in.kind == pay || in.kind.delivers()) && r.notes != in.reference:
		return "wrong reference"
	case in.kind.posts() || in.kind.delivers():
		return ""
	case in.kind == send && r.notes != in.recipient(0) && r.notes != in.recipient(1):
		return "wrong recipient"
	case in.kind == send:
		return ""
	case r.email != in.email:
		return "wrong customer"
	case in.kind == contact:
		return ""
	case in.kind == typed && r.number != in.number:
		return "wrong number"
	case in.kind == allocated && !ofPattern.MatchString(r.number):
		return "number not of the series"
	case r.notes != content(in.n, 0) && r.notes != content(in.n, 1):
		return "wrong command"
	default:
		return ""
	}
}
