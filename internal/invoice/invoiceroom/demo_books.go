package invoiceroom

import (
	"onlyonce/internal/customer"
	"onlyonce/internal/invoice"
	"onlyonce/internal/room"
	"onlyonce/internal/value/party"
)

// books are the invoices of a demo tenant.
type books struct {
	room.Tenant

	work     []invoice.LineInput
	abroad   []assignment
	invoices int // over the last year
	// twin is the position of an invoice with the content of the one before it, entered twice; 0 for none.
	twin    int
	untaxed map[string]invoice.Treatment // by the country of the customer: an Irish business bills services abroad without tax
	sources []source                     // of webhooks
}

// assignment is work for a customer abroad, in their currency.
type assignment struct {
	customer customer.Input
	currency string
	work     []invoice.LineInput
}

func booksOf(t room.Tenant) books {
	if t.Business.Currency == "USD" {
		return books{
			Tenant: t, invoices: 24,
			work: []invoice.LineInput{
				{Description: "Site survey", Quantity: "1", UnitPrice: "950.00"},
				{Description: "Controller firmware, hours", Quantity: "18", UnitPrice: "135.00"},
				{Description: "Pressure sensor PS-4", Quantity: "40", UnitPrice: "27.35"},
				{Description: "On-call support, month", Quantity: "1", UnitPrice: "1200.00"},
				{Description: "Calibration", Quantity: "8", UnitPrice: "64.00"},
			},
		}
	}
	return books{
		Tenant: t, invoices: 54, twin: 50, sources: demoSources(),
		untaxed: map[string]invoice.Treatment{
			"DE": invoice.ReverseCharge, "FR": invoice.ReverseCharge,
			"JP": invoice.OutsideScope, "NO": invoice.OutsideScope, "US": invoice.OutsideScope,
		},
		work: []invoice.LineInput{
			{Description: "Brand workshop", Quantity: "1", UnitPrice: "1800.00"},
			{Description: "Website design, hours", Quantity: "12.5", UnitPrice: "95.00"},
			{Description: "Illustration set", Quantity: "6", UnitPrice: "140.00"},
			{Description: "Packaging concept", Quantity: "1", UnitPrice: "2450.00"},
			{Description: "Font licence", Quantity: "2", UnitPrice: "89.90"},
			{Description: "Print supervision, days", Quantity: "1.5", UnitPrice: "620.00"},
			{Description: "Photo retouching", Quantity: "24", UnitPrice: "12.50"},
		},
		abroad: []assignment{
			{
				customer: customer.Input{
					Email: "keiri@hoshino-tea.example", Name: "Hoshino Tea",
					Texts: customer.Texts{Details: party.Details{Address: "2-14 Teramachi\nKyoto 604-8091", Country: "JP"}},
				},
				currency: "JPY",
				work: []invoice.LineInput{
					{Description: "Label design", Quantity: "3", UnitPrice: "68000"},
					{Description: "Tea tin, packaging concept", Quantity: "1", UnitPrice: "240000"},
					{Description: "Website translation, pages", Quantity: "14", UnitPrice: "5500"},
				},
			},
			{
				customer: customer.Input{
					Email: "payables@larkspur-outdoor.example", Name: "Larkspur Outdoor",
					Texts: customer.Texts{Details: party.Details{Address: "212 Pearl Street\nBoulder, CO 80302", Country: "US"}},
				},
				currency: "USD",
				work: []invoice.LineInput{
					{Description: "Catalogue layout, pages", Quantity: "32", UnitPrice: "85.00"},
					{Description: "Product photography, days", Quantity: "2", UnitPrice: "1150.00"},
				},
			},
		},
	}
}
