package reminder

import (
	"context"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
)

// Send sends a reminder of an overdue invoice, or finds the earlier one of the same level.
var Send = idempotency.Define(idempotency.Spec[Draft, Reminder]{
	Kind: idempotency.Upsert, Name: "reminder.send", Table: Table,
	Statements: func(tx *idempotency.Tx, d Draft) idempotency.Result {
		args := pgx.NamedArgs{
			"invoice_id": d.InvoiceID, "level": d.Level, "recipient": string(d.Recipient), "message": d.Message, "usual": d.Usual,
		}
		if d.Usual {
			args["message"] = invoice.Greeting + Standard(d.Level)
		}
		tx.Exec(`
			SELECT send_reminder(@tenant_id, @record_id, @invoice_id, @level::integer, NULLIF(@recipient, ''),
				CASE WHEN @usual THEN (mail_wording(@tenant_id, 'reminder_' || @level::integer, @invoice_id, NULL, @message)).body
					ELSE @message END,
				@operation, @idempotency_key, true)`, args)
		return tx.Return(`
			SELECT `+Table.JSON()+` FROM invoice_reminders r
			WHERE r.tenant_id = @tenant_id AND r.invoice_id = @invoice_id AND r.level = @level`, args)
	},
	Explain: map[string]idempotency.Explanation[Draft]{
		"customers_erased":        idempotency.Always[Draft](customer.ErrErased),
		"mails_of_issued":         idempotency.Always[Draft](errNotIssued),
		"reminders_invoice":       idempotency.Missing[Draft],
		"reminders_mail":          idempotency.Missing[Draft], // can't happen: the same transaction inserts the mail
		"reminders_of_next_level": explained(errNotNext),
		"reminders_of_overdue":    explained(errNotOverdue),
		"reminders_recipient":     idempotency.Invalid[Draft]("/recipient", "The customer has no email address. Enter one."),
	},
	NotInFingerprint: []string{"Usual"},
	Fields: func(d Draft) []slog.Attr {
		return []slog.Attr{slog.String("invoice", d.InvoiceID.String()), slog.Int("level", d.Level)}
	},
})

// NotOverdue is the conflict of a reminder of an invoice that isn't overdue.
var NotOverdue = conflict.Kind{
	Slug: "not-overdue", Title: "Invoice not overdue",
	Meaning: "Nothing is open on the invoice, or it isn't overdue yet: the day after its due date is the first one. " +
		"Nothing was sent. You can use the key again.",
	ToDo: "Read the invoice.",
}

// NotNext is the conflict of a reminder that skips a level, or follows the previous one on the same day.
var NotNext = conflict.Kind{
	Slug: "reminder-not-next", Title: "Not the next reminder",
	Meaning: "A reminder needs the one of the level before it, and an invoice gets one reminder a day. Nothing was sent. " +
		"You can use the key again.",
	ToDo: "Read the invoice's reminders. Send the next level, on a later day than the last one.",
}

// Next returns the level of the next reminder of an invoice. It returns a [*conflict.Error] if none is possible on a day.
func Next(inv invoice.Summary, today date.Date) (level int, err error) {
	switch last := inv.LastReminder; {
	case inv.Status == invoice.StatusDraft, inv.Status == invoice.StatusVoid:
		return 0, errNotIssued()
	case inv.Late == 0:
		return 0, errNotOverdue(inv)
	case last.Level == Levels:
		return 0, &conflict.Error{
			Kind: &NotNext, Title: "This invoice has all of its reminders.", Text: "The last one: " + Last(last) + ".",
		}
	case last.Level > 0 && !last.SentOn.Before(today):
		return 0, errNotNext(inv)
	default:
		return last.Level + 1, nil
	}
}

// explained returns the explanation of a constraint with an error about the invoice.
func explained(say func(invoice.Summary) error) idempotency.Explanation[Draft] {
	return func(ctx context.Context, store *idempotency.Store, intent idempotency.Intent, d Draft, _ *pgconn.PgError) error {
		inv, err := record.Find(ctx, store.Pool, invoice.Summaries, intent.Tenant, d.InvoiceID)
		if err != nil {
			return err
		}
		return say(inv)
	}
}

func errNotIssued() error {
	return &conflict.Error{
		Kind: &invoice.NotIssued, Title: "This invoice isn't issued.", Text: "Only an issued invoice can be reminded. Nothing was sent.",
	}
}

func errNotOverdue(inv invoice.Summary) error {
	title := "This invoice isn't overdue: it is due " + inv.DueDate.Display() + "."
	if inv.Open == 0 {
		title = "Nothing is open on this invoice."
	}
	return &conflict.Error{Kind: &NotOverdue, Title: title, Text: "No reminder was sent."}
}

func errNotNext(inv invoice.Summary) error {
	last := "This invoice was not reminded before."
	text := "Each level needs the one before it, on an earlier day. Nothing was sent."
	if is := inv.LastReminder; is.Level > 0 {
		last = "The last reminder of this invoice: " + Last(is) + "."
		if is.Unsent {
			text = "Each level needs the one before it, on an earlier day, even if its email wasn't sent."
		}
	}
	return &conflict.Error{Kind: &NotNext, Title: last, Text: text}
}
