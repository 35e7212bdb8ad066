package customer

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
)

// Differs is the conflict of a command whose email belongs to a customer who may be a different one.
var Differs = conflict.Kind{
	Slug: "customer-differs", Title: "Customer with this email differs",
	Meaning: "A customer with this email address (existing_id) has another name or tax ID, or is archived: differing has the names of " +
		"the fields. Nothing was saved. You can use the key again.",
	ToDo: "If you mean that customer, use its ID. If you mean another one with the same email, send the request with same_email: true. " +
		"Two customers with the same email need different names.",
}

// holder is a customer with the email of a command, either its own or from a customer that was merged into it.
type holder struct {
	Reusable   bool // it has the same name too
	OtherTaxID bool
	Customer   Customer
}

// mostHolders is the maximum number of customers with the same email that a question names.
const mostHolders = 5

// holders returns at most mostHolders+1 customers with the email of a command, starting with the one that the command would reuse.
//
//nolint:unqueryvet // the table has these columns, and LIMIT keeps the lookup by index
func holders(ctx context.Context, store *idempotency.Store, intent idempotency.Intent, d Draft) ([]holder, error) {
	const (
		most = ` LIMIT 6`
		live = `(SELECT id, name_folded FROM customers WHERE tenant_id = @tenant_id AND email_folded = @email
			AND id <> @record_id AND merged_into IS NULL`
		merged = `(SELECT merged_into, name_folded FROM customers WHERE tenant_id = @tenant_id AND email_folded = @email
			AND merged_into <> @record_id AND merged_into IS NOT NULL`
		sameName = ` AND name_folded = fold_text(@name)`
	)
	args := sameKeyOf(d)
	args["record_id"], args["tax_id"] = intent.Record, d.TaxID
	return record.Collect(ctx, store.Pool, intent.Tenant, pgx.RowToStructByPos[holder], `
		SELECT holder.reusable, @tax_id <> '' AND alike_tax_id(@tax_id) <> r.alike_tax_id, `+Table.JSON()+`
		FROM (
			SELECT id, bool_or(name_folded = fold_text(@name)) AS reusable
			FROM (`+live+sameName+`) UNION ALL `+live+most+`) UNION ALL `+merged+sameName+most+`) UNION ALL `+merged+most+`)) AS named
			GROUP BY id) AS holder,
			LATERAL (SELECT * FROM customers WHERE tenant_id = @tenant_id AND id = holder.id LIMIT 1) AS r
		ORDER BY holder.reusable DESC, r.id`+most, args)
}

// Question returns the conflict of a command that neither reuses a customer with its email nor creates another one. It returns
// [record.ErrNotFound] if there is no conflict any more.
func Question(ctx context.Context, store *idempotency.Store, intent idempotency.Intent, d Draft) (*conflict.Error, error) {
	found, err := holders(ctx, store, intent, d)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, record.ErrNotFound
	case !found[0].Reusable:
		return shared(d, found, "Add "+d.Name+" with the same email"), nil
	}
	same := found[0]
	question := same.question()
	switch whose := same.Customer.Name + " (" + string(d.Email) + ")"; {
	case same.OtherTaxID && same.Customer.TaxID == "":
		question.Title = whose + " has no tax ID, and you entered " + d.TaxID + "."
	case same.OtherTaxID:
		question.Title = whose + " has the tax ID " + same.Customer.TaxID + ", and you entered " + d.TaxID + "."
	case !same.Customer.ArchivedAt.IsZero():
		question.Title = whose + " is archived."
	default:
		return nil, record.ErrNotFound
	}
	question.Text = "Two customers with the same email need different names. Nothing was saved."
	question.Field, question.Blame = "/name", "A customer with the same email has this name."
	return question, nil
}

func differs(ctx context.Context, store *idempotency.Store, intent idempotency.Intent, d Draft, _ *pgconn.PgError) error {
	question, err := Question(ctx, store, intent, d)
	if err != nil {
		return err
	}
	return question
}

// differsFrom explains why a customer can't get an email that a different customer has.
func differsFrom(ctx context.Context, store *idempotency.Store, intent idempotency.Intent, d Draft, broken *pgconn.PgError) error {
	err := idempotency.Taken(Table, sameKey, sameKeyOf, emailTaken)(ctx, store, intent, d, broken)
	if !errors.Is(err, record.ErrNotFound) {
		return err
	}
	found, err := holders(ctx, store, intent, d)
	if err == nil && len(found) == 0 {
		err = record.ErrNotFound
	}
	if err != nil {
		return err
	}
	return shared(d, found, "Save with the same email")
}

// shared returns the question whether a customer with a different name has the same email as the found ones. offer is the text of the
// button that confirms it.
func shared(d Draft, found []holder, offer string) *conflict.Error {
	question := found[0].question()
	var names []string
	for i, h := range found {
		switch {
		case i == mostHolders:
			names = append(names, "others")
			continue
		case i > 0:
			question.Others = append(question.Others, conflict.Other{ID: h.Customer.ID, Name: h.Customer.Name})
		}
		name := h.Customer.Name
		if !h.Customer.ArchivedAt.IsZero() {
			name += " (archived)"
		}
		names = append(names, name)
	}
	list, last := names[0], len(names)-1
	if last > 0 {
		list = strings.Join(names[:last], ", ") + " and " + names[last]
	}
	question.Title = string(d.Email) + " belongs to " + list + "."
	question.Text = d.Name + " would be another customer with the same email. Nothing was saved."
	question.Field, question.Blame = "/email", "Another customer has this email."
	question.Buttons = []conflict.Button{{Text: offer, Field: SameEmailField, Value: string(d.Email)}}
	return question
}

// question returns the conflict with this customer, with the fields in which it differs from the command.
func (h holder) question() *conflict.Error {
	question := &conflict.Error{Kind: &Differs, Existing: h.Customer.ID, Name: h.Customer.Name}
	for _, field := range []struct {
		name    string
		differs bool
	}{{"name", !h.Reusable}, {"tax_id", h.OtherTaxID}, {"archived_at", !h.Customer.ArchivedAt.IsZero()}} {
		if field.differs {
			question.Differing = append(question.Differing, field.name)
		}
	}
	return question
}
