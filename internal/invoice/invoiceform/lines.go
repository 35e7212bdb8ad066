// Package invoiceform has the form of invoices and schedules: the customer, the lines, and questions about typed numbers and days, which
// the forms of payments, refunds, write-offs and credit notes ask too. It also has the search in lists of payments and credit notes.
package invoiceform

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/invoice"
	"onlyonce/internal/people/settings"
	"onlyonce/internal/value/typed"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// LineTable describes the lines of the form.
func LineTable() templates.LineTable {
	table := invoiceviews.LineTable(invoice.MaxLines, Units(), Treatments())
	table.TooMany = invoice.TooManyLines()
	return table
}

// Units returns the options for the unit of a quantity.
func Units() []templates.Option {
	options := []templates.Option{{Text: "–"}}
	for _, u := range invoice.Units() {
		options = append(options, templates.Option{Value: string(u), Text: u.Name()})
	}
	return options
}

// Treatments returns the options for how a line is taxed.
func Treatments() []templates.Option {
	options := []templates.Option{{Text: "Taxed"}}
	for _, t := range invoice.Untaxed() {
		options = append(options, templates.Option{Value: string(t), Text: t.Terms().Name})
	}
	return options
}

// SetLines replaces the lines of a form.
func SetLines(form url.Values, lines []invoice.LineInput) {
	var all [][]string
	for _, l := range lines {
		all = append(all, asTyped(l))
	}
	LineTable().SetLines(form, all)
}

// asTyped returns the values of a line in the order of the columns.
func asTyped(l invoice.LineInput) []string {
	return []string{l.Description, l.Quantity, l.Unit, l.UnitPrice, l.Discount, l.TaxRate, l.Treatment}
}

// LinesOf returns the lines of an invoice as typed.
func LinesOf(inv invoice.Invoice) (lines []invoice.LineInput) {
	for _, l := range inv.Lines {
		price := inv.Currency.FormatPrice(l.UnitPrice)
		if inv.Currency.Decimals() < 3 {
			price = typed.Unambiguous(price)
		}
		lines = append(lines, invoice.LineInput{
			Description: l.Description, Quantity: typed.Unambiguous(l.Quantity.String()), Unit: string(l.Unit),
			UnitPrice: price, Discount: l.DiscountText(inv.Currency),
			TaxRate: l.TaxRate.String(), Treatment: string(l.NoTax),
		})
	}
	return lines
}

// WithoutBlankLines drops the blank lines except the first. Quantity and rate don't count, because the form fills them in.
func WithoutBlankLines(in invoice.Input) invoice.Input {
	first := true
	in.Lines = slices.DeleteFunc(slices.Clone(in.Lines), func(l invoice.LineInput) bool {
		blank := !first && strings.TrimSpace(l.Description) == "" && strings.TrimSpace(l.UnitPrice) == ""
		first = false
		return blank
	})
	return in
}

// LineFacts returns each typed line as a fact.
func LineFacts(form url.Values) (facts []templates.Fact) {
	for i, l := range Read(form).Lines {
		parts := []string{l.Description, strings.TrimSpace(l.Quantity + " " + invoice.Unit(l.Unit).Name()), l.UnitPrice}
		if l.Discount != "" {
			parts = append(parts, "discount "+l.Discount)
		}
		if l.TaxRate != "" {
			parts = append(parts, "tax "+l.TaxRate+"%")
		}
		parts = append(parts, invoice.Treatment(l.Treatment).Terms().Name)
		facts = append(facts, templates.Fact{Label: "Line " + strconv.Itoa(i+1), Value: Joined(parts...)})
	}
	return facts
}

// FillLines adds the lines of a form, with amounts where they are known. A new line has the rate and the treatment that are usual for the
// customer, or else those of the business. A new form also has the source of such defaults.
func FillLines(r *http.Request, pool *pgxpool.Pool, form *invoiceviews.InvoiceForm, in invoice.Input, customer uuid.UUID) error {
	is, err := settings.Of(r.Context(), pool, web.Principal(r).Tenant)
	if err != nil {
		return err
	}
	form.NewRate = is.TaxRate
	if customer != uuid.Nil {
		usual, err := invoice.UsualOf(r.Context(), pool, web.Principal(r).Tenant, []uuid.UUID{customer})
		if err != nil {
			return err
		}
		if len(usual) > 0 && form.Version == 0 {
			form.CustomerAddress = Joined(form.CustomerAddress, UsualText(usual[0]))
		}
		if len(usual) > 0 && usual[0].NoTax != "" {
			form.NewRate, form.NewTreatment = "0", string(usual[0].NoTax)
		}
	}
	edited := form.Typed.Get(templates.RedisplayField) != "" && !form.CameBack()
	if last := len(in.Lines) - 1; edited && last >= 0 && slices.Equal(asTyped(in.Lines[last]), LineTable().Next()) {
		in.Lines[last].TaxRate, in.Lines[last].Treatment = form.NewRate, form.NewTreatment
	}
	amounts := preview(in).Lines
	for i, l := range in.Lines {
		form.Lines = append(form.Lines, invoiceviews.InvoiceFormLine{
			Description: l.Description, Quantity: l.Quantity, Unit: l.Unit, UnitPrice: l.UnitPrice, Discount: l.Discount,
			TaxRate: l.TaxRate, Treatment: l.Treatment, Amount: amounts[i],
		})
	}
	totals := preview(WithoutBlankLines(in))
	form.Subtotal, form.Tax, form.Total = totals.Subtotal, totals.Tax, totals.Total
	return nil
}

// preview computes the amounts that are known. A line with an ambiguous number has none.
func preview(in invoice.Input) invoice.Preview {
	in.Lines = slices.Clone(in.Lines)
	for i := range in.Lines {
		if questions := ReadNumbers(in.Lines[i:i+1], in.Currency); questions.Err() != nil {
			in.Lines[i].Quantity = ""
		}
	}
	return in.Preview()
}

// EditLines adds or removes a line without JavaScript.
func EditLines(f *templates.Form) error {
	in := Read(f.Typed)
	ReadNumbers(in.Lines, in.Currency) // nothing is saved, and the form shows the parsed numbers
	SetLines(f.Typed, in.Lines)
	return web.EditLines(LineTable())(f)
}
