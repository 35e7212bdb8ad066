package app

import (
	"onlyonce/internal/customer"
	"onlyonce/internal/invoice"
)

// demoBooks are the invoices of a demo tenant.
type demoBooks struct {
	demoTenant

	work     []invoice.LineInput
	abroad   []demoAssignment
	invoices int // over the last year
}

// demoAssignment is work for a customer abroad, in their currency and without tax.
type demoAssignment struct {
	customer customer.Input
	currency string
	work     []invoice.LineInput
}

func booksOf(t demoTenant) demoBooks {
	if t.currency == "USD" {
		return demoBooks{
			demoTenant: t, invoices: 24,
			work: []invoice.LineInput{
				{Description: "Site survey", Quantity: "1", UnitPrice: "950.00"},
				{Description: "Controller firmware, hours", Quantity: "18", UnitPrice: "135.00"},
				{Description: "Pressure sensor PS-4", Quantity: "40", UnitPrice: "27.35"},
				{Description: "On-call support, month", Quantity: "1", UnitPrice: "1200.00"},
				{Description: "Calibration", Quantity: "8", UnitPrice: "64.00"},
			},
		}
	}
	return demoBooks{
		demoTenant: t, invoices: 54,
		work: []invoice.LineInput{
			{Description: "Brand workshop", Quantity: "1", UnitPrice: "1800.00"},
			{Description: "Website design, hours", Quantity: "12.5", UnitPrice: "95.00"},
			{Description: "Illustration set", Quantity: "6", UnitPrice: "140.00"},
			{Description: "Packaging concept", Quantity: "1", UnitPrice: "2450.00"},
			{Description: "Font licence", Quantity: "2", UnitPrice: "89.90"},
			{Description: "Print supervision, days", Quantity: "1.5", UnitPrice: "620.00"},
			{Description: "Photo retouching", Quantity: "24", UnitPrice: "12.50"},
		},
		abroad: []demoAssignment{
			{
				customer: customer.Input{Email: "keiri@hoshino-tea.example", Name: "Hoshino Tea"}, currency: "JPY",
				work: []invoice.LineInput{
					{Description: "Label design", Quantity: "3", UnitPrice: "68000"},
					{Description: "Tea tin, packaging concept", Quantity: "1", UnitPrice: "240000"},
					{Description: "Website translation, pages", Quantity: "14", UnitPrice: "5500"},
				},
			},
			{
				customer: customer.Input{Email: "payables@larkspur-outdoor.example", Name: "Larkspur Outdoor"}, currency: "USD",
				work: []invoice.LineInput{
					{Description: "Catalogue layout, pages", Quantity: "32", UnitPrice: "85.00"},
					{Description: "Product photography, days", Quantity: "2", UnitPrice: "1150.00"},
				},
			},
		},
	}
}
