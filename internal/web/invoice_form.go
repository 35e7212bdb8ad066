package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/money"
	"onlyonce/templates"
)

// invoiceForm is the HTML face of invoice.Create.
func (s *Server) invoiceForm() face[invoice.Draft, invoice.Invoice] {
	return face[invoice.Draft, invoice.Invoice]{
		key: formKey,
		decode: func(r *http.Request) (invoice.Draft, error) {
			if err := eachOnce(r.PostForm); err != nil {
				return invoice.Draft{}, err
			}
			return withoutBlankLines(readInvoice(r.PostForm)).Draft()
		},
		respond: func(w http.ResponseWriter, r *http.Request, done idempotency.Done[invoice.Invoice]) error {
			path := "/invoices/" + done.Value.ID.String()
			if done.Replayed {
				s.setFlash(w, path, flashReplayed)
			} else {
				s.setFlash(w, path, flashCreated)
			}
			return seeOther(w, r, path)
		},
		refuse: s.refuseInvoice,
	}
}

// readInvoice takes the fields of the form.
func readInvoice(form url.Values) invoice.Input {
	customerID, _, _ := strings.Cut(form.Get("customer_id"), " ") // see customerOption
	in := invoice.Input{
		Number: form.Get("number"), CustomerID: customerID,
		IssueDate: form.Get("issue_date"), DueDate: form.Get("due_date"),
		Currency: form.Get("currency"), Notes: form.Get("notes"),
		AllowRepeat: form.Get("allow_repeat") == "1",
	}
	if form.Get("next_number") != "" {
		in.Number = ""
	}
	// "Create as a new invoice" is an answer: whoever says so is not asked whether a repeat is meant, and
	// does not mean the number that the form has used.
	if used := form.Get("used_number"); used != "" && form.Get("fresh_key") != "" {
		in.AllowRepeat = true
		if invoice.SameNumber(in.Number, used) {
			in.Number = ""
		}
	}
	if in.CustomerID == "" {
		in.Customer = &customer.Input{Email: form.Get("customer_email"), Name: form.Get("customer_name")}
	}
	at := func(name string, i int) string {
		if values := form[name]; i < len(values) {
			return values[i]
		}
		return ""
	}
	lines := max(len(form["line_description"]), len(form["line_quantity"]), len(form["line_unit_price"]), len(form["line_tax_rate"]))
	for i := range lines {
		in.Lines = append(in.Lines, invoice.LineInput{
			Description: at("line_description", i), Quantity: at("line_quantity", i),
			UnitPrice: at("line_unit_price", i), TaxRate: at("line_tax_rate", i),
		})
	}
	return in
}

// withoutBlankLines drops the lines that were left blank, but for the first. Quantity and rate do not
// count: the form fills them in.
func withoutBlankLines(in invoice.Input) invoice.Input {
	first := true
	in.Lines = slices.DeleteFunc(slices.Clone(in.Lines), func(l invoice.LineInput) bool {
		blank := !first && strings.TrimSpace(l.Description) == "" && strings.TrimSpace(l.UnitPrice) == ""
		first = false
		return blank
	})
	return in
}

// newLine is a line to fill in. There is no default tax rate: an invoice must not be free of tax because
// nobody looked. Further lines take the rate of the one above.
func newLine(above []invoice.LineInput) invoice.LineInput {
	line := invoice.LineInput{Quantity: "1"}
	if len(above) > 0 {
		line.TaxRate = above[len(above)-1].TaxRate
	}
	return line
}

// newInvoice shows the form under a key of its own, which stays with this intent through refresh, Back,
// duplicated tabs and restored sessions. A bare address is a new intent.
func (s *Server) newInvoice(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	key, err := idempotency.ParseKey(query.Get("key"))
	if err != nil {
		bound := url.Values{"key": {idempotency.NewKey().String()}}
		for _, name := range []string{"customer", "copy"} {
			if id, err := uuid.Parse(query.Get(name)); err == nil {
				bound.Set(name, id.String())
			}
		}
		return seeOther(w, r, "/invoices/new?"+bound.Encode())
	}
	tenant := principal(r).Tenant
	id, used, err := invoice.Create.Used(r.Context(), s.store, tenant, key)
	if err != nil {
		return err
	}
	if used {
		made, err := invoice.Find(r.Context(), s.pool, tenant, id)
		if err != nil {
			return err
		}
		return s.render(w, r, http.StatusOK, templates.FormUsedPage(s.page(w, r), templates.FormUsed{
			Kind: "invoice", NewHref: "/invoices/new",
			Existing: templates.Record{Name: made.Number, Href: "/invoices/" + id.String()},
		}))
	}

	today := invoice.DateOf(time.Now().UTC())
	in := invoice.Input{
		IssueDate: today.String(), DueDate: today.AddDays(30).String(), Currency: "EUR",
		CustomerID: query.Get("customer"),
		Lines:      []invoice.LineInput{newLine(nil)},
	}
	copied := ""
	if id, err := uuid.Parse(query.Get("copy")); err == nil {
		original, err := invoice.Find(r.Context(), s.pool, tenant, id)
		if err != nil {
			return err
		}
		copied = original.Number
		copyInto(&in, original)
	}
	form, err := s.fillForm(r, key, in)
	if err != nil {
		return err
	}
	form.CopyOf = copied
	return s.render(w, r, http.StatusOK, templates.InvoiceFormPage(s.page(w, r), form))
}

// copyInto fills a form like an invoice. A copy is a wanted repeat, so it is not asked about.
func copyInto(in *invoice.Input, original invoice.Invoice) {
	in.AllowRepeat = true
	in.CustomerID, in.Currency, in.Notes = original.Customer.ID.String(), original.Currency.String(), original.Notes
	in.Lines = nil
	for _, l := range original.Lines {
		in.Lines = append(in.Lines, invoice.LineInput{
			Description: l.Description, Quantity: l.Quantity.String(),
			UnitPrice: original.Currency.Format(l.UnitPrice), TaxRate: l.TaxRate.String(),
		})
	}
}

// editLines adds or removes a line for people without JavaScript. It only shows the form again.
func (s *Server) editLines(w http.ResponseWriter, r *http.Request) error {
	key, err := formKey(r)
	if err == nil {
		err = eachOnce(r.PostForm)
	}
	if err != nil {
		return s.refuseInvoice(w, r, err)
	}
	in := readInvoice(r.PostForm)
	focus := ""
	action, index, _ := strings.Cut(r.PostForm.Get("action"), ":")
	switch i, err := strconv.Atoi(index); {
	case action == "add_line" && len(in.Lines) >= invoice.MaxLines:
		full := &invalid.Error{}
		full.Add("/lines", invoice.TooManyLines())
		return s.refuseInvoice(w, r, full)
	case action == "add_line":
		in.Lines = append(in.Lines, newLine(in.Lines))
		focus = templates.LineControl("line_description", len(in.Lines)-1)
	case action == "remove_line" && err == nil && i >= 0 && i < len(in.Lines):
		in.Lines = slices.Delete(in.Lines, i, i+1)
		if len(in.Lines) == 0 {
			in.Lines = append(in.Lines, newLine(nil))
		}
		focus = templates.LineControl("line_description", min(i, len(in.Lines)-1))
	}
	form, err := s.fillForm(r, key, in)
	if err != nil {
		return err
	}
	form.Focus = focus
	return s.render(w, r, http.StatusOK, templates.InvoiceFormPage(s.page(w, r), form))
}

// refuseInvoice shows the form again, as typed and with the same key, and says what stands in the way.
func (s *Server) refuseInvoice(w http.ResponseWriter, r *http.Request, refused error) error {
	objection, err := s.objectionOf(r, refused)
	if err != nil {
		return err
	}
	problems, invalidFields := errors.AsType[*invalid.Error](refused)
	if !invalidFields && objection.notice == nil {
		return refused
	}
	key, _ := postedKey(r)
	form, err := s.fillForm(r, key, withoutBlankLines(readInvoice(r.PostForm)))
	if err != nil && problemOf(refused).retry > 0 {
		return refused // which can be said without the database, and says more
	}
	if err != nil {
		return err
	}
	form.Notice, form.TakenNumber, form.UsedNumber = objection.notice, objection.taken, objection.used
	if invalidFields {
		for _, f := range problems.Fields {
			form.Errors = append(form.Errors, templates.FieldError{Control: control(f.Pointer), Message: f.Message})
		}
	}
	kind := s.classify(r, refused)
	retryAfter(w, kind)
	return s.render(w, r, kind.status, templates.InvoiceFormPage(s.page(w, r), form))
}

// objection is what stands in the way of an invoice, in the words of its form.
type objection struct {
	notice *templates.Notice
	taken  string // the number that another invoice has
	used   string // the number of the invoice that the form has created
}

func (s *Server) objectionOf(r *http.Request, refused error) (objection, error) {
	if taken, ok := errors.AsType[*invoice.NumberTakenError](refused); ok {
		return objection{notice: templates.NumberTaken(invoiceRecord(taken.Existing), taken.Next), taken: taken.Existing.Number}, nil
	}
	if repeat, ok := errors.AsType[*invoice.RepeatError](refused); ok {
		return objection{
			notice: templates.LooksLikeRepeat(invoiceRecord(repeat.Existing), age(time.Since(repeat.Existing.CreatedAt))),
		}, nil
	}
	if id, spent := spentOn(refused); spent {
		made, err := invoice.Find(r.Context(), s.pool, principal(r).Tenant, id)
		if err != nil {
			return objection{}, err
		}
		record := templates.Record{Name: made.Number, Href: "/invoices/" + id.String()}
		return objection{notice: templates.FormSpent(record, "invoice", idempotency.NewKey().String()), used: made.Number}, nil
	}
	return objection{notice: commonNotice(r, refused)}, nil
}

func invoiceRecord(ref invoice.Ref) templates.Record {
	return templates.Record{Name: ref.Number, Href: "/invoices/" + ref.ID.String()}
}

// control finds the form control for a place in the command.
func control(pointer string) string {
	parts := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	switch {
	case parts[0] == "lines" && len(parts) == 3:
		index, _ := strconv.Atoi(parts[1])
		return templates.LineControl("line_"+parts[2], index)
	case parts[0] == "lines":
		return templates.LineControl("line_description", 0)
	case parts[0] == "customer" && len(parts) == 1:
		return "customer_email"
	default:
		return strings.Join(parts, "_")
	}
}

// fillForm shows an input as it was typed, with amounts where they can be known.
func (s *Server) fillForm(r *http.Request, key idempotency.Key, in invoice.Input) (templates.InvoiceForm, error) {
	customers, err := s.customersToChoose(r, in.CustomerID)
	if err != nil {
		return templates.InvoiceForm{}, err
	}
	issued, err := invoice.ParseDate(in.IssueDate)
	if err != nil {
		issued = invoice.DateOf(time.Now().UTC())
	}
	next, err := invoice.NextNumber(r.Context(), s.pool, principal(r).Tenant, issued.Year())
	if err != nil {
		return templates.InvoiceForm{}, err
	}
	form := templates.InvoiceForm{
		NextNumber: next, Owner: formOwner(r),
		Key: key.String(), AllowRepeat: in.AllowRepeat, CustomerID: in.CustomerID, Number: in.Number,
		IssueDate: in.IssueDate, DueDate: in.DueDate, Currency: in.Currency, Notes: in.Notes,
		Currencies: s.currencies, MaxLines: invoice.MaxLines,
	}
	if sent := r.PostForm.Get("customer_id"); sent != "" {
		form.CustomerID = sent
	}
	// What was typed for a new customer stays, even while another one is chosen.
	form.CustomerEmail, form.CustomerName = r.PostForm.Get("customer_email"), r.PostForm.Get("customer_name")
	for _, c := range customers {
		option := customerOption(c)
		form.Customers = append(form.Customers, option)
		if id, err := uuid.Parse(in.CustomerID); err == nil && id == c.ID {
			form.CustomerID = option.Value
		}
	}
	amounts := in.Preview().Lines
	for i, l := range in.Lines {
		form.Lines = append(form.Lines, templates.InvoiceFormLine{
			Description: l.Description, Quantity: l.Quantity, UnitPrice: l.UnitPrice, TaxRate: l.TaxRate,
			Amount: amounts[i],
		})
	}
	if len(form.Lines) == 0 {
		form.Lines = []templates.InvoiceFormLine{{}}
	}
	totals := withoutBlankLines(in).Preview()
	form.Subtotal, form.Tax, form.Total = totals.Subtotal, totals.Tax, totals.Total
	return form, nil
}

// customerOption sends the customer's name along with the id, so that the choice can be shown again when
// the database cannot be asked for it.
func customerOption(c customer.Customer) templates.Option {
	label := c.Name + " · " + c.Email
	return templates.Option{Value: c.ID.String() + " " + label, Text: label}
}

// customersToChoose are the newest ones, and the one that is chosen already.
func (s *Server) customersToChoose(r *http.Request, chosen string) ([]customer.Customer, error) {
	tenant := principal(r).Tenant
	list, err := customer.List(r.Context(), s.pool, tenant, uuid.Max, formCustomers)
	if err != nil {
		return nil, err
	}
	id, _ := uuid.Parse(chosen) // what is no id is nobody
	if id == uuid.Nil || slices.ContainsFunc(list, func(c customer.Customer) bool { return c.ID == id }) {
		return list, nil
	}
	c, err := customer.Find(r.Context(), s.pool, tenant, id)
	if errors.Is(err, customer.ErrNotFound) {
		return list, nil
	}
	return append(list, c), err
}

// formCustomers is how many customers the form offers. Any other is found by email.
const formCustomers = 200

func currencies() []templates.Currency {
	var list []templates.Currency
	for _, code := range money.Currencies() {
		c, _ := money.ParseCurrency(code)
		list = append(list, templates.Currency{Code: code, Digits: int(c.Decimals())})
	}
	return list
}
