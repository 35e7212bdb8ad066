package invoice

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
)

// NumberTaken is the conflict of two invoices with the same number. Its member next_number is free.
var NumberTaken = conflict.Kind{
	Slug: "number-taken", Title: "Invoice number already exists",
	Meaning: "Another invoice from that year already has this number. The original was kept and no second one was created. " +
		"You can use the key again.",
	ToDo: "Open the existing invoice (existing_id), or send the request with another number, such as next_number, which is free.",
}

func numberTaken(
	ctx context.Context, store *idempotency.Store, intent idempotency.Intent, d Draft, _ *pgconn.PgError,
) error {
	year := d.IssueDate.Year()
	existing, err := Table.FindBy(ctx, store.Pool, intent.Tenant,
		`r.issue_year = @year AND r.number_folded = fold_invoice_number(@number)`,
		pgx.NamedArgs{"year": year, "number": string(d.Number)})
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
		Ways:    []conflict.Way{{Text: "Use the next number, " + next, Field: "next_number", Value: next}},
		Members: map[string]string{"next_number": next},
	}
}

// BilledField is the form field with the id of the customer that the user chose.
const BilledField = "billed_customer"

func whichCustomer(
	ctx context.Context, store *idempotency.Store, intent idempotency.Intent, d Draft, _ *pgconn.PgError,
) error {
	question, err := customer.Question(ctx, store, intent, d.Customer)
	if err != nil {
		return err
	}
	question.Many = customer.Table.Name
	if question.Field != "" {
		question.Field = "/customer" + question.Field
	}
	holders := append([]conflict.Other{{ID: question.Existing, Name: question.Name}}, question.Others...)
	var ways []conflict.Way
	for _, holder := range holders {
		ways = append(ways, conflict.Way{Text: "Bill " + holder.Name, Field: BilledField, Value: holder.ID.String()})
	}
	question.Ways = append(ways, question.Ways...)
	return question
}

// likeCustomer returns the question about a new customer that looks like a repeat, and offers to bill the existing one.
func likeCustomer(ctx context.Context, store *idempotency.Store, intent idempotency.Intent, d Draft, broken *pgconn.PgError) error {
	err := idempotency.Repeats[Draft](customer.Table, customer.Name)(ctx, store, intent, d, broken)
	if question, ok := errors.AsType[*conflict.Error](err); ok && question.Existing != uuid.Nil {
		question.Many = customer.Table.Name
		bill := conflict.Way{Text: "Bill " + question.Name, Field: BilledField, Value: question.Existing.String()}
		question.Ways = append([]conflict.Way{bill}, question.Ways...)
	}
	return err
}

// NumberAhead is the question about a typed number ahead of the next number of its series. It is asked until it was answered once.
var NumberAhead = conflict.Kind{
	Slug: "number-ahead", Title: "Number ahead of the series",
	Meaning: "The typed number is ahead of the next one, and nobody has said yet where the series of that year goes on. " +
		"Only the form asks. Nothing was saved.",
	ToDo: "Choose where the series goes on.",
}

func numberAhead(_ context.Context, _ *idempotency.Store, _ idempotency.Intent, d Draft, broken *pgconn.PgError) error {
	next, behind, _ := strings.Cut(broken.Detail, " ")
	return &conflict.Error{
		Kind: &NumberAhead, Title: string(d.Number) + " is ahead of the next number, " + next + ".",
		Text:  "Which number comes after it? You are asked once a year, and can change it in the settings.",
		Field: "/number", Blame: "This number is ahead of the series.",
		Ways: []conflict.Way{
			{Text: "Go on with " + behind, Field: "answer_series", Value: SeriesContinue},
			{Text: "Go on with " + next, Field: "answer_series", Value: SeriesKeep},
		},
	}
}

var (
	customerGone  = idempotency.Invalid[Draft]("/customer_id", "This customer doesn't exist. Choose another one.")
	numberRefused = idempotency.Invalid[Draft]("/number", "Choose another number, or leave it blank for the next one.")
)
