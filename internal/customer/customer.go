// Package customer has the people and companies that receive invoices. A customer is identified by email and name: creating the same one
// again reuses it. Customers may share an email or have none.
package customer

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
	"onlyonce/internal/record/search"
	"onlyonce/internal/value/email"
	"onlyonce/internal/value/party"
)

// Customer is a stored customer.
type Customer struct {
	record.Header
	record.Alike

	Email string `json:"email,omitzero" format:"email"`
	Name  string `json:"name"`
	Texts

	// PaymentDays is the number of days from the issue date of an invoice to its due date; "" if the settings apply.
	PaymentDays string `json:"payment_days,omitzero" doc:"From the issue date to the due date, if they differ from the settings."`
	CopiesTo    string `json:"copies_to,omitzero" doc:"Up to 5 email addresses with commas between them, which get copies of emails."`
	idempotency.External

	// ArchivedAt is the time in UTC when the customer was archived, or zero. Archived customers are neither listed nor offered, with no
	// other effect.
	ArchivedAt time.Time `json:"archived_at,omitzero"`
	// ErasedAt is the time in UTC when the personal data was erased, or zero.
	ErasedAt time.Time `json:"erased_at,omitzero" doc:"When the personal data was erased. The customer can't be used any more."`
	// TakenBack reports whether the customer was erased because its import was taken back. Then it is in no list.
	TakenBack bool `json:"taken_back,omitzero" doc:"Whether its import was taken back."`
	// MergedInto is the customer that this one was merged into, or zero. MergedFrom lists the customers merged into this one, at most
	// 100.
	MergedInto record.Reference   `json:"merged_into,omitzero"`
	MergedFrom []record.Reference `json:"merged_from,omitzero" doc:"The customers merged into this one; their URLs lead here."`
}

// Texts are the optional texts that a customer, its input and its command share. A new one has the tag omitzero, so that the fingerprints
// of earlier commands stay the same.
type Texts struct {
	party.Details

	Contact   string `json:"contact,omitzero" doc:"The person or department that documents are addressed to."`
	Reference string `json:"reference,omitzero" doc:"What the customer asks for on documents, such as an order or routing number."`
}

// maxReference is in characters.
const maxReference = 100

func (t Texts) check(prefix string, problems *invalid.Error) Texts {
	return Texts{
		Details:   t.Details.Check(prefix, problems),
		Contact:   problems.Line(prefix+"/contact", "the contact", t.Contact, party.MaxName),
		Reference: problems.Line(prefix+"/reference", "the reference", t.Reference, maxReference),
	}
}

// columns are the columns that a command sets.
var columns = idempotency.ColumnsOf[Draft](
	idempotency.Column{Name: "email", Value: `NULLIF(@email, '')`, JSON: `'email', COALESCE(r.email, '')`},
	idempotency.Column{
		Name: "payment_days", Value: `NULLIF(@payment_days, '')::integer`, JSON: `'payment_days', COALESCE(r.payment_days::text, '')`,
	},
)

// Table is the table of customers.
var Table = record.Table[Customer]{
	Name: "customers", LeadsTo: "merged_into",
	Fields: columns.JSON() + `, 'archived_at', r.archived_at, 'erased_at', r.erased_at, 'taken_back', r.taken_back,
		'merged_into', (SELECT json_build_object('id', m.id, 'name', m.name) FROM customers m
			WHERE m.tenant_id = r.tenant_id AND m.id = r.merged_into LIMIT 1),
		'merged_from', (SELECT json_agg(json_build_object('id', m.id, 'name', m.name)) FROM (
			SELECT id, name FROM customers m WHERE m.tenant_id = r.tenant_id AND m.merged_into = r.id ORDER BY id LIMIT 100) AS m),
		` + idempotency.ExternalJSON,
}

// Name returns the display name of a customer.
func Name(c Customer) string { return c.Name }

// Names reads the display names of referenced customers, and finds those to choose from.
var Names = search.Names{Names: record.Names{Table: Table.Name, Column: "name"}, Words: words}

// SameEmailField is the name of the field of forms for Input.SameEmailAs.
const SameEmailField = "same_email"

// Input is the input as text.
type Input struct {
	Email string `json:"email,omitzero" format:"email"`
	Name  string `json:"name"`
	Texts

	PaymentDays string `json:"payment_days,omitzero" doc:"From the issue date to the due date, if they differ from the settings."`
	CopiesTo    string `json:"copies_to,omitzero" doc:"Up to 5 email addresses with commas between them, which get copies of emails."`
	idempotency.External

	SameEmail bool `json:"same_email,omitzero" doc:"Whether it is known that another customer has this email."`
	// SameEmailAs is the email for which the user confirmed SameEmail.
	SameEmailAs string `json:"-" form:"same_email"`
}

// Draft is a valid input: an email, or none, and a name without surrounding space.
type Draft struct {
	Email email.Address `json:"email"`
	Name  string        `json:"name"`
	Texts

	PaymentDays string `json:"payment_days"`
	// CopiesTo has email addresses with ", " between them. The tag omitzero keeps the fingerprints of earlier commands.
	CopiesTo string `json:"copies_to,omitzero"`
	idempotency.External

	// SameEmail lets a customer have the email of a second customer. The fingerprint leaves it out, because the confirmed command is
	// about the same customer.
	SameEmail bool `json:"-"`
}

// Draft checks the input. It returns an [*invalid.Error] with all mistakes.
func (in Input) Draft() (Draft, error) {
	var problems invalid.Error
	return in.DraftIn("", &problems), problems.Err()
}

// DraftIn checks an input that is part of an enclosing input. It adds mistakes to problems, with pointers below prefix.
func (in Input) DraftIn(prefix string, problems *invalid.Error) Draft {
	d := Draft{Email: email.Typed(in.Email)}
	d.SameEmail = in.SameEmail || d.Email != "" && d.Email.Folded() == email.Typed(in.SameEmailAs).Folded()
	if d.Email != "" {
		if problem := d.Email.Problem(); problem != "" {
			problems.Add(prefix+"/email", problem)
		}
	}
	if d.Name = problems.Line(prefix+"/name", "the name", in.Name, party.MaxName); d.Name == "" {
		problems.Add(prefix+"/name", "Enter the customer's name.")
	}
	d.Texts = in.Texts.check(prefix, problems)
	d.PaymentDays = party.PaymentDays(prefix+"/payment_days", in.PaymentDays, problems)
	d.CopiesTo = copies(prefix+"/copies_to", in.CopiesTo, problems)
	d.External = in.External.Check(prefix, problems)
	return d
}

// maxCopies is the maximum number of addresses for copies of emails.
const maxCopies = 5

// copies returns typed email addresses with ", " between them.
func copies(pointer, typed string, problems *invalid.Error) string {
	var all []string
	for _, typed := range strings.FieldsFunc(typed, func(r rune) bool { return r == ',' || r == ';' || unicode.IsSpace(r) }) {
		address := email.Typed(typed)
		if problem := address.Problem(); problem != "" {
			problems.Add(pointer, fmt.Sprintf("%.80q isn't an email address. Put a comma between two addresses.", typed))
			return ""
		}
		all = append(all, string(address))
	}
	if len(all) > maxCopies {
		problems.Add(pointer, fmt.Sprintf("Enter at most %d addresses.", maxCopies))
	}
	return strings.Join(all, ", ")
}

// Rules returns the uniqueness rules of customers.
func Rules() []conflict.Rule {
	return []conflict.Rule{
		{
			Constraint: "customers_email_once",
			Sentence:   "One customer per email address and name in each tenant, ignoring case, width and accents.",
			Answer: "The existing customer is reused, unchanged. You are asked if only the email is the same, if the tax ID differs, " +
				"or if the customer is archived. An external id is not attached by creating a customer again.",
			Conflict: &EmailTaken, Optional: true,
		},
		{
			Constraint: "customers_live",
			Sentence:   "A merged customer has no records of its own.",
			Answer:     "References to it point to the customer it was merged into.",
			Conflict:   &Merged, Optional: true,
		},
		idempotency.ExternalRule(Table.Name, "customer"),
	}
}
