package schedulepages

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/customer"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoiceform"
	"onlyonce/internal/invoice/schedule"
	"onlyonce/internal/people/settings"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// scheduleFields returns the fields of the form, except for the lines.
func scheduleFields() []templates.Field {
	return []templates.Field{
		{Name: "customer_id", Value: "Customer"}, {Name: "currency", Value: "Currency"}, {Name: "bill_as", Value: "Each invoice is"},
		{Name: "missed", Value: "Missed periods"}, {Name: "every", Value: "Every"}, {Name: "unit", Value: "Unit"},
		{Name: "first_day", Value: "First day"}, {Name: "last_day", Value: "Last day"},
		{Name: "exemption_reason", Value: "Reason for the exemption"}, {Name: "notes", Value: "Notes"},
	}
}

// scheduleChoices returns the options of the select fields, by field name, for a typed number of units.
func scheduleChoices(every string) map[string][]templates.Option {
	s := "s"
	if every == "1" {
		s = ""
	}
	return map[string][]templates.Option{
		"unit": {
			{Value: schedule.Week, Text: "week" + s}, {Value: schedule.Month, Text: "month" + s}, {Value: schedule.Year, Text: "year" + s},
		},
		"bill_as": {{Value: schedule.AsDraft, Text: "a draft, to look at first"}, {Value: schedule.AsIssued, Text: "issued and emailed"}},
		"missed":  {{Value: schedule.Each, Text: "bill each of them"}, {Value: schedule.Latest, Text: "bill the latest only"}},
	}
}

// choiceText returns the label of the chosen value of a field, or the value itself if the field has no options.
func choiceText(field, value, every string) string {
	for _, o := range scheduleChoices(every)[field] {
		if o.Value == value {
			return o.Text
		}
	}
	return value
}

func scheduleOfForm(r *http.Request) (schedule.Draft, error) {
	in := readSchedule(r.PostForm)
	in.Lines = invoiceform.WithoutBlankLines(invoice.Input{Lines: in.Lines}).Lines
	questions := invoiceform.ReadNumbers(in.Lines, in.Currency)
	invoiceform.SetLines(r.PostForm, in.Lines)
	draft, err := in.Draft()
	return draft, invoiceform.WithQuestions(err, questions)
}

// readSchedule returns the input of a form.
func readSchedule(form url.Values) schedule.Input {
	billed := invoiceform.Read(form)
	return schedule.Input{
		CustomerID: billed.CustomerID, Currency: billed.Currency, Lines: billed.Lines, Notes: billed.Notes,
		Exemption: billed.Exemption,
		Every:     form.Get("every"), Unit: form.Get("unit"), FirstDay: form.Get("first_day"), LastDay: form.Get("last_day"),
		BillAs: form.Get("bill_as"), Missed: form.Get("missed"),
	}
}

// freshSchedule returns the values of a new form: monthly from today on, or based on the invoice in the query parameter invoice, which is
// then the period before the first.
func (s *pages) freshSchedule(r *http.Request) (url.Values, error) {
	tenant, today := web.Principal(r).Tenant, s.site.Today(r)
	is, err := settings.Of(r.Context(), s.site.Pool, tenant)
	if err != nil {
		return nil, err
	}
	fresh := url.Values{
		"every": {"1"}, "unit": {schedule.Month}, "first_day": {today.String()}, "bill_as": {schedule.AsDraft}, "missed": {schedule.Each},
		"currency": {is.Currency.String()}, "line_quantity": {"1"}, "line_tax_rate": {is.TaxRate},
	}
	id, err := uuid.Parse(r.URL.Query().Get("invoice"))
	if err != nil {
		return fresh, nil //nolint:nilerr // no invoice to repeat
	}
	original, err := record.Find(r.Context(), s.site.Pool, invoice.Table, tenant, id)
	if err != nil {
		return nil, err
	}
	fresh.Set("currency", original.Currency.String())
	fresh.Set("exemption_reason", original.Exemption)
	fresh.Set("notes", original.Notes)
	invoiceform.SetLines(fresh, invoiceform.LinesOf(original))
	fresh.Set("customer_id", original.Customer.ID.String())
	monthly := schedule.Rhythm{Every: 1, Unit: schedule.Month, FirstDay: original.IssueDate}
	first := monthly.After(original.IssueDate)
	if first.Before(today) {
		first = monthly.After(today.AddDays(-1))
	}
	fresh.Set("first_day", first.String())
	return fresh, nil
}

// fillSchedule returns the form values of an existing schedule.
func fillSchedule(s schedule.Schedule) url.Values {
	form := url.Values{
		"customer_id": {s.Customer.ID.String()}, "currency": {s.Currency.String()}, "notes": {s.Notes},
		"exemption_reason": {s.Exemption},
		"every":            {strconv.Itoa(s.Every)}, "unit": {s.Unit}, "first_day": {s.FirstDay.String()}, "last_day": {""},
		"bill_as": {s.BillAs}, "missed": {s.Missed},
	}
	if s.LastDay != (date.Date{}) {
		form.Set("last_day", s.LastDay.String())
	}
	invoiceform.SetLines(form, s.Lines)
	return form
}

// scheduleForm returns the page with the form of a schedule.
func (s *pages) scheduleForm(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
	in := invoiceform.Read(f.Typed)
	if f.Notice != nil || len(f.Errors) > 0 {
		in = invoiceform.WithoutBlankLines(in)
	}
	form := invoiceviews.ScheduleForm{Choices: scheduleChoices(f.Typed.Get("every")), InvoiceForm: invoiceviews.InvoiceForm{
		Form: f, Currency: in.Currency, Notes: in.Notes, MaxLines: invoice.MaxLines,
		Currencies: invoiceform.Currencies(s.site.Today(r), in.Currency),
		Units:      invoiceform.Units(), Treatments: invoiceform.Treatments(),
	}}
	// The id alone, because two edits are compared by it.
	option := func(c customer.Offered) templates.Option {
		return templates.Option{Value: c.ID.String(), Text: invoiceform.CustomerOption(c).Text}
	}
	chosen, err := invoiceform.OfferCustomers(r, s.site.Pool, &form.InvoiceForm, option)
	if err != nil {
		return nil, err
	}
	err = invoiceform.FillLines(r, s.site.Pool, &form.InvoiceForm, in, chosen.ID)
	return invoiceviews.ScheduleFormPage(p, form), err
}

// typedSchedule returns the typed values, each line as a fact.
func typedSchedule(typed url.Values) (facts []templates.Fact) {
	for _, f := range scheduleFields() {
		value := choiceText(f.Name, typed.Get(f.Name), typed.Get("every"))
		if strings.HasSuffix(f.Name, "_day") {
			value = web.TypedDay(value)
		}
		facts = append(facts, templates.Fact{Label: f.Value, Value: value})
	}
	return append(facts, invoiceform.LineFacts(typed)...)
}

// freshPeriod fills in the next period.
func (s *pages) freshPeriod(r *http.Request) (url.Values, error) {
	found, err := s.schedules.Find(r)
	if err != nil {
		return nil, err
	}
	return url.Values{"period": {found.NextDay.String()}}, nil
}

func (s *pages) periodForm(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
	found, err := s.schedules.Find(r)
	if err != nil {
		return nil, err
	}
	return invoiceviews.PeriodForm(p, invoiceviews.PeriodFormView{
		Form: f, Name: schedule.Name(found), Href: s.schedules.URL(found.ID),
	}), nil
}
