package mail

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/document"
	"onlyonce/internal/invoice/reminder"
	"onlyonce/internal/record"
)

// Wording has the subjects and texts of a business for its mails, with placeholders such as {number}; "" for the standard ones.
type Wording struct {
	InvoiceSubject    string `json:"invoice_subject,omitzero"`
	InvoiceText       string `json:"invoice_text,omitzero"`
	CreditNoteSubject string `json:"credit_note_subject,omitzero"`
	CreditNoteText    string `json:"credit_note_text,omitzero"`
	ReversalSubject   string `json:"reversal_subject,omitzero"`
	ReversalText      string `json:"reversal_text,omitzero"`
	VoidSubject       string `json:"void_subject,omitzero"`
	VoidText          string `json:"void_text,omitzero"`
	Reminder1Subject  string `json:"reminder_1_subject,omitzero"`
	Reminder1Text     string `json:"reminder_1_text,omitzero"`
	Reminder2Subject  string `json:"reminder_2_subject,omitzero"`
	Reminder2Text     string `json:"reminder_2_text,omitzero"`
	Reminder3Subject  string `json:"reminder_3_subject,omitzero"`
	Reminder3Text     string `json:"reminder_3_text,omitzero"`
}

// Texts is the stored wording. Each tenant has exactly one, created with the tenant, and with its id.
type Texts struct {
	record.Header
	Wording
}

var columns = idempotency.ColumnsOf[Wording]()

// AllTexts is the table of the wordings.
var AllTexts = record.Table[Texts]{Name: "mail_texts", Fields: columns.JSON()}

// Worded is a kind of mails with its part of a wording. The names of the fields begin with the kind.
type Worded struct {
	Kind          string
	Subject, Text *string
}

// Each returns the parts of a wording, in the order of the form.
func (w *Wording) Each() []Worded {
	return []Worded{
		{KindInvoice, &w.InvoiceSubject, &w.InvoiceText}, {KindCreditNote, &w.CreditNoteSubject, &w.CreditNoteText},
		{KindReversal, &w.ReversalSubject, &w.ReversalText},
		{KindVoid, &w.VoidSubject, &w.VoidText}, {KindReminder(1), &w.Reminder1Subject, &w.Reminder1Text},
		{KindReminder(2), &w.Reminder2Subject, &w.Reminder2Text}, {KindReminder(3), &w.Reminder3Subject, &w.Reminder3Text},
	}
}

// KindReminder returns the kind of the reminders of a level, from 1 to [reminder.Levels].
func KindReminder(level int) string { return reminderKind + strconv.Itoa(level) }

// KindOf returns the kind of the mails with a credit note.
func KindOf(n credit.Note) string {
	if n.Reverses.ID != uuid.Nil {
		return KindReversal
	}
	return KindCreditNote
}

// Limits in characters. They are larger where the placeholders are filled in.
const (
	maxSubject, maxText             = 200, 2100
	maxFilledSubject, maxFilledText = 300, 5000
)

// Draft checks the texts. It returns an [*invalid.Error] with all mistakes.
func (w Wording) Draft() (Wording, error) {
	var problems invalid.Error
	for _, of := range w.Each() {
		pointer := "/" + of.Kind
		*of.Subject = problems.Line(pointer+"_subject", "the subject", *of.Subject, maxSubject)
		*of.Text = problems.Lines(pointer+"_text", "the text", *of.Text, maxText)
		checkPlaceholders(pointer+"_subject", *of.Subject, of.Kind, &problems)
		checkPlaceholders(pointer+"_text", *of.Text, of.Kind, &problems)
	}
	return w, problems.Err()
}

var inBraces = regexp.MustCompile(`\{[^{}\n]{0,40}\}|[{}]`)

func checkPlaceholders(pointer, template, kind string, problems *invalid.Error) {
	known := Placeholders(kind)
	for _, found := range inBraces.FindAllString(template, -1) {
		if !slices.Contains(known, found) {
			problems.Add(pointer, fmt.Sprintf("%s isn't a placeholder. The placeholders are %s.", found, document.Listed(known)))
			return
		}
	}
}

// Placeholders returns the placeholders in the texts of a kind.
func Placeholders(kind string) []string {
	all := []string{"{number}", "{issued}", "{due}", "{total}", "{open}", "{customer}", "{contact}", "{business}"}
	if kind == KindCreditNote || kind == KindReversal {
		all = append(all, "{credit_note}", "{credited}", "{credited_on}")
	}
	if kind == KindReversal {
		all = append(all, "{reversed}")
	}
	return all
}

// Standard returns the standard subject and text of a kind, with placeholders.
func Standard(kind string) (subject, text string) {
	switch kind {
	case KindInvoice:
		return "Invoice {number} from {business}",
			invoice.Greeting + "Here is our invoice {number} of {issued} for {total}, due on {due}."
	case KindCreditNote:
		return "Credit note {credit_note} for invoice {number} from {business}", invoice.Greeting +
			"On {credited_on}, we credited {credited} of our invoice {number} of {issued} with credit note {credit_note}."
	case KindReversal:
		return "Reversal {credit_note} for invoice {number} from {business}", invoice.Greeting + "On {credited_on}, we reversed our " +
			"credit note {reversed} of {credited} with {credit_note}. It was for invoice {number} of {issued}."
	case KindVoid:
		return "Invoice {number} from {business} is void",
			invoice.Greeting + "We have voided our invoice {number} of {issued}, {total}. Please do not pay it."
	default:
		level := Mail{Kind: kind}.Level()
		return reminder.LevelName(level) + ": invoice {number} from {business}", invoice.Greeting + reminder.Standard(level)
	}
}

// Fill replaces the placeholders of a text, as the database function mail_wording does. The credit note is zero for mails about something
// else.
func Fill(template string, inv invoice.Invoice, note credit.Note) string {
	amount := func(minor int64) string { return inv.Currency.Display(minor) + " " + inv.Currency.String() }
	return strings.NewReplacer(
		"{number}", inv.Number, "{issued}", inv.IssueDate.Time().Format(day), "{due}", inv.DueDate.Time().Format(day),
		"{total}", amount(inv.Total), "{open}", amount(inv.Open),
		"{customer}", inv.Customer.Name, "{contact}", cmp.Or(inv.Customer.Contact, inv.Customer.Name), "{business}", inv.Seller.Name,
		"{credit_note}", note.Number, "{credited}", amount(max(note.Total, -note.Total)), "{credited_on}", note.Date.Time().Format(day),
		"{reversed}", note.Reverses.Name,
	).Replace(template)
}

// WordingOf returns the subject and the text that a mail about an issued invoice has unless the sender writes others. The credit note is
// zero for mails about something else.
func WordingOf(
	ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, inv invoice.Invoice, kind string, note credit.Note,
) (subject, text string, err error) {
	type wording struct{ Subject, Text string }
	found, err := record.One(ctx, pool, tenant, pgx.RowToStructByPos[wording],
		`SELECT COALESCE(subject, ''), COALESCE(body, '') FROM mail_wording(@tenant_id, @kind, @invoice, @note)`,
		pgx.NamedArgs{"kind": kind, "invoice": inv.ID, "note": note.Header.ID})
	if err != nil {
		return "", "", err
	}
	subject, text = Standard(kind)
	return cmp.Or(found.Subject, Fill(subject, inv, note)), cmp.Or(found.Text, Fill(text, inv, note)), nil
}

// SetTexts replaces the wording of a tenant. Mails queued before keep theirs.
var SetTexts = idempotency.Define(idempotency.Spec[Wording, Texts]{
	Kind: idempotency.Change, Name: "mail_texts.edit", Table: AllTexts,
	Statements: func(tx *idempotency.Tx, w Wording) idempotency.Result {
		tx.Exec(`
			UPDATE mail_texts SET (`+columns.Names()+`) = (`+columns.Values()+`)
			WHERE tenant_id = @tenant_id AND id = @record_id AND (`+columns.Names()+`) IS DISTINCT FROM (`+columns.Values()+`)`,
			columns.Arguments(w))
		return tx.Record()
	},
})
