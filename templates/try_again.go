package templates

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// TryAgain is a page for requests that were not carried out, or of which
// nobody knows: it carries what was sent and can send it again, under the
// same key.
type TryAgain struct {
	// Title and Message say what happened: "Still saving", "Please wait".
	Title   string
	Message string
	// Status is the HTTP status, shown small; 0 hides it.
	Status int
	// Href is what to open again after a GET; Action and Fields are then unset.
	Href string
	// Action is where to post again, and Fields everything that was posted, in
	// order. A password is not kept on the page: it is asked for again.
	Action string
	Fields []Field
	// Links are further ways on, such as logging in again in a new tab.
	Links []Link
}

// resend is what the form posts again.
func (v TryAgain) resend() []Field {
	return slices.DeleteFunc(slices.Clone(v.Fields), func(f Field) bool { return f.Name == "password" })
}

// AsksPassword tells whether a password was posted.
func (v TryAgain) AsksPassword() bool { return len(v.typed("password")) > 0 }

// fact is something the person typed, for reading.
type fact struct {
	Label string
	Value string
}

// readable gives the posted fields that people typed, in the order of the
// page; the others, such as the key, mean nothing to them.
var readable = [...]Field{
	{"email", "Email"},
	{"name", "Name"},
	{"customer_email", "Customer email"},
	{"customer_name", "Customer name"},
	{"number", "Number"},
	{"issue_date", "Issue date"},
	{"due_date", "Due date"},
	{"currency", "Currency"},
	{"notes", "Notes"},
}

// summary reads back what was typed, each invoice line as one fact.
func (v TryAgain) summary() []fact {
	var facts []fact
	chosen := at(v.typed("customer_id"), 0)
	if chosen != "" {
		facts = append(facts, fact{"Customer", customerLabel(chosen)})
	}
	for _, f := range readable {
		if chosen != "" && (f.Name == "customer_email" || f.Name == "customer_name") {
			continue // of a new customer, which was not wanted in the end
		}
		if typed := at(v.typed(f.Name), 0); typed != "" {
			facts = append(facts, fact{f.Value, beginning(typed)})
		}
	}
	return append(facts, v.lines()...)
}

// customerLabel is what the form called the chosen customer: its value is the
// id, a space and the label.
func customerLabel(value string) string {
	id, label, _ := strings.Cut(value, " ")
	return cmp.Or(label, id)
}

func (v TryAgain) lines() []fact {
	var facts []fact
	quantities, prices, rates := v.typed("line_quantity"), v.typed("line_unit_price"), v.typed("line_tax_rate")
	for i, description := range v.typed("line_description") {
		parts := []string{description, at(quantities, i), at(prices, i)}
		if rate := at(rates, i); rate != "" {
			parts = append(parts, "tax "+rate+"%")
		}
		parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
		if len(parts) > 0 {
			facts = append(facts, fact{"Line " + strconv.Itoa(i+1), beginning(strings.Join(parts, " · "))})
		}
	}
	return facts
}

// beginning is enough of a text to know it again; the whole is in the form.
func beginning(text string) string {
	const enough = 2000 // bytes
	if len(text) <= enough {
		return text
	}
	return strings.ToValidUTF8(text[:enough], "") + "…"
}

// typed gives all values posted under a name.
func (v TryAgain) typed(name string) []string {
	var values []string
	for _, f := range v.Fields {
		if f.Name == name {
			values = append(values, f.Value)
		}
	}
	return values
}

func at(values []string, i int) string {
	if i < len(values) {
		return values[i]
	}
	return ""
}
