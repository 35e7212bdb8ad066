package invoicepages

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/people/settings"
	"onlyonce/internal/record"
	"onlyonce/internal/value/money"
	"onlyonce/internal/value/typed"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// lineTable describes the lines of the form.
func lineTable() templates.LineTable {
	table := invoiceviews.LineTable(invoice.MaxLines, treatments())
	table.TooMany = invoice.TooManyLines()
	return table
}

// treatments returns the options for how a line is taxed.
func treatments() []templates.Option {
	options := []templates.Option{{Text: "Taxed"}}
	for _, t := range invoice.Untaxed() {
		options = append(options, templates.Option{Value: string(t), Text: t.Terms().Name})
	}
	return options
}

// draftOfForm parses the command of a form, and normalizes the numbers in the form.
func draftOfForm(r *http.Request) (invoice.Draft, error) {
	if billed := r.PostForm.Get(invoice.BilledField); billed != "" {
		r.PostForm.Set("customer_id", billed)
		r.PostForm.Del(invoice.BilledField)
	}
	in := withoutBlankLines(readInvoice(r.PostForm))
	questions := readNumbers(in.Lines, in.Currency)
	setLines(r.PostForm, in.Lines)
	draft, err := in.Draft()
	return draft, withQuestions(err, questions)
}

// doubt is a question about a date: the problem in a sentence, or "", the label of the button that confirms the date, and the button's
// value, which confirms only this date.
type doubt struct{ answer, problem, confirm string }

// dateField is the name of the button that confirms a date.
const dateField = "answer_date"

// askingAbout makes a command's form ask once about a date that is probably mistyped, or with which a schedule bills at once.
func askingAbout[C any](command web.Command[C], pointer string, unusual func(*http.Request, C) (doubt, error)) web.Command[C] {
	read := command.Form
	command.Form = func(r *http.Request) (C, error) {
		draft, err := read(r)
		if err != nil {
			return draft, err
		}
		is, err := unusual(r, draft)
		if errors.Is(err, record.ErrNotFound) { // the operation returns this error, after looking for a repeat
			return draft, nil
		}
		if err != nil || is.problem == "" || r.PostForm.Get(dateField) == is.answer {
			return draft, err
		}
		return draft, &conflict.Error{
			Kind: &invoice.UnusualDate, Title: is.problem, Text: "Nothing was saved yet. Change the date, or confirm it.",
			Field: pointer, Blame: "Check this date.",
			Buttons: []conflict.Button{{Text: is.confirm, Field: dateField, Value: is.answer}},
		}
	}
	return command
}

// readNumbers parses typed numbers of lines; programs send plain decimals. An ambiguous number stays unchanged, and is in questions at
// its pointer.
func readNumbers(lines []invoice.LineInput, currency string) (questions invalid.Error) {
	decimals := int32(2)
	if c, known := money.ParseCurrency(currency); known {
		decimals = c.Decimals()
	}
	for i := range lines {
		pointer := "/lines/" + strconv.Itoa(i)
		readNumber(&questions, pointer+"/quantity", &lines[i].Quantity, 2)
		readNumber(&questions, pointer+"/unit_price", &lines[i].UnitPrice, decimals)
	}
	return questions
}

func readNumber(questions *invalid.Error, pointer string, value *string, decimals int32) {
	plain, ambiguous := typed.Number(*value, decimals)
	if ambiguous {
		whole, decimal := typed.Readings(plain)
		questions.Add(pointer, "“"+plain+"” can be "+whole+" or "+decimal+". Enter the one that you mean.")
	}
	*value = plain
}

// amountAsTyped makes the form of a command accept a typed amount, in the currency of the record in its path.
func amountAsTyped[C any, P web.Entity](command web.Command[C], of *web.Mounted[P], currency func(P) money.Currency) web.Command[C] {
	read := command.Form
	command.Form = func(r *http.Request) (none C, err error) {
		amount := r.PostForm.Get("amount")
		if plain, ambiguous := typed.Number(amount, 2); plain == amount && !ambiguous {
			return read(r)
		}
		found, err := of.Find(r)
		if err != nil {
			return none, err
		}
		var questions invalid.Error
		readNumber(&questions, "/amount", &amount, currency(found).Decimals())
		r.PostForm.Set("amount", amount)
		command, err := read(r)
		return command, withQuestions(err, questions)
	}
	return command
}

// withQuestions merges questions into err, replacing other errors at the same pointers.
func withQuestions(err error, questions invalid.Error) error {
	wrong, ok := errors.AsType[*invalid.Error](err)
	switch {
	case err == nil:
		return questions.Err()
	case !ok:
		return err
	}
	for _, asked := range questions.Fields {
		i := slices.IndexFunc(wrong.Fields, func(f invalid.Field) bool { return f.Pointer == asked.Pointer })
		if i < 0 {
			wrong.Add(asked.Pointer, asked.Message)
		} else {
			wrong.Fields[i] = asked
		}
	}
	return wrong
}

// readInvoice returns the input of a form.
func readInvoice(form url.Values) invoice.Input {
	customerID, _, _ := strings.Cut(form.Get("customer_id"), " ") // see customerOption
	in := invoice.Input{
		Number: form.Get("number"), CustomerID: customerID,
		IssueDate: form.Get("issue_date"), DueDate: form.Get("due_date"),
		Currency: form.Get("currency"), Notes: form.Get("notes"), Series: form.Get(invoice.SeriesField),
		Exemption: form.Get("exemption_reason"),
	}
	if next := form.Get(invoice.NextNumberField); next != "" {
		in.Number = "" // the next number at that time
		if form.Get(templates.VersionField) != "" {
			in.Number = next // blank would keep the number
		}
	}
	// "Create as a new invoice" must not reuse the number of the form.
	if used := form.Get(templates.UsedField); used != "" && form.Get(templates.FreshKeyField) != "" && invoice.SameNumber(in.Number, used) {
		in.Number = ""
	}
	if in.CustomerID == "" {
		in.Customer = &customer.Input{
			Email: form.Get("customer_email"), Name: form.Get("customer_name"), SameEmailAs: form.Get(customer.SameEmailField),
		}
	}
	for _, line := range lineTable().Lines(form) {
		in.Lines = append(in.Lines, invoice.LineInput{
			Description: line[0], Quantity: line[1], UnitPrice: line[2], TaxRate: typed.Percent(line[3]), Treatment: line[4],
		})
	}
	return in
}

// withoutBlankLines drops the blank lines except the first. Quantity and rate don't count, because the form fills them in.
func withoutBlankLines(in invoice.Input) invoice.Input {
	first := true
	in.Lines = slices.DeleteFunc(slices.Clone(in.Lines), func(l invoice.LineInput) bool {
		blank := !first && strings.TrimSpace(l.Description) == "" && strings.TrimSpace(l.UnitPrice) == ""
		first = false
		return blank
	})
	return in
}

// freshInvoice returns the values of a new form, based on the settings. The query parameter customer chooses a customer, and copy an
// invoice to copy. Without a customer the due date is blank, so that it follows from the customer chosen later.
func (s *Pages) freshInvoice(r *http.Request) (url.Values, error) {
	is, err := settings.Of(r.Context(), s.Pool, web.Principal(r).Tenant)
	if err != nil {
		return nil, err
	}
	fresh := url.Values{
		"issue_date": {s.Today().String()}, "currency": {is.Currency.String()}, "line_quantity": {"1"}, "line_tax_rate": {is.TaxRate},
	}
	of, _ := uuid.Parse(r.URL.Query().Get("customer")) // uuid.Nil if it is no id
	var original invoice.Invoice
	if id, err := uuid.Parse(r.URL.Query().Get("copy")); err == nil {
		if original, err = record.Find(r.Context(), s.Pool, invoice.Table, web.Principal(r).Tenant, id); err != nil {
			return nil, err
		}
		of = original.Customer.ID
	}
	if of == uuid.Nil {
		return fresh, nil
	}
	fresh.Set("customer_id", of.String())
	usual, err := invoice.UsualOf(r.Context(), s.Pool, web.Principal(r).Tenant, []uuid.UUID{of})
	if err != nil {
		return nil, err
	}
	for _, is := range usual { // empty for an unknown customer
		fresh.Set("currency", is.Currency.String())
		fresh.Set("due_date", s.Today().AddDays(is.PaymentDays).String())
		if is.NoTax != "" {
			fresh.Set("line_tax_treatment", string(is.NoTax))
			fresh.Set("line_tax_rate", "0")
			fresh.Set("exemption_reason", is.Exemption)
		}
	}
	if original.Number != "" {
		copyInto(fresh, original)
	}
	return fresh, nil
}

// copyField has the number of the invoice that a form was filled from.
const copyField = "copy_of"

// copyInto fills a form with the values of an invoice. A copy is an intended repeat, so the form does not ask about it.
func copyInto(form url.Values, original invoice.Invoice) {
	for name, values := range fillInvoice(original) {
		switch name {
		case "number", "issue_date", "due_date":
		default:
			form[name] = values
		}
	}
	form.Set(copyField, original.Number)
	form.Set(idempotency.AllowRepeatField, "1")
}

func setLines(form url.Values, lines []invoice.LineInput) {
	var all [][]string
	for _, l := range lines {
		all = append(all, []string{l.Description, l.Quantity, l.UnitPrice, l.TaxRate, l.Treatment})
	}
	lineTable().SetLines(form, all)
}

// invoiceControl returns the form control for a place in the command other than in its lines.
func invoiceControl(pointer string) string {
	if pointer == "/customer" {
		return "customer_name"
	}
	return strings.ReplaceAll(strings.TrimPrefix(pointer, "/"), "/", "_")
}

// invoiceFacts returns the typed values, each line as a fact.
func invoiceFacts(form url.Values) []templates.Fact {
	of := func(label, name string) templates.Fact { return templates.Fact{Label: label, Value: form.Get(name)} }
	facts := []templates.Fact{{Label: "Customer", Value: typedCustomer(form)}}
	facts = append(facts, of("Number", "number"), of("Issue date", "issue_date"), of("Due date", "due_date"),
		of("Currency", "currency"), of("Reason for the exemption", "exemption_reason"), of("Notes", "notes"))
	return append(facts, lineFacts(form)...)
}

// typedCustomer returns the chosen or typed customer, in the format of customerOption.
func typedCustomer(form url.Values) string {
	if id, label, _ := strings.Cut(form.Get("customer_id"), " "); id != "" {
		return cmp.Or(label, id) // the fields of a new customer are ignored
	}
	return joined(form.Get("customer_name"), form.Get("customer_email"))
}

// lineFacts returns each typed line as a fact.
func lineFacts(form url.Values) (facts []templates.Fact) {
	for i, l := range readInvoice(form).Lines {
		parts := []string{l.Description, l.Quantity, l.UnitPrice}
		if l.TaxRate != "" {
			parts = append(parts, "tax "+l.TaxRate+"%")
		}
		parts = append(parts, invoice.Treatment(l.Treatment).Terms().Name)
		facts = append(facts, templates.Fact{Label: "Line " + strconv.Itoa(i+1), Value: joined(parts...)})
	}
	return facts
}

// joined joins the parts that are not blank.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}
