package app

import (
	"github.com/google/uuid"

	"onlyonce/internal/customer"
	"onlyonce/internal/invoice"
)

const demoPassword = "only-once-demo"

// demoTenant is a business that exists in demo mode only. Its logins are known to everybody.
type demoTenant struct {
	id           uuid.UUID
	name         string
	email, token string
	currency     string
	rate         string
	customers    []customer.Input
	work         []invoice.LineInput
	abroad       []demoAssignment
	invoices     int // over the last year
}

// demoAssignment is work for a customer abroad, in their currency and without tax.
type demoAssignment struct {
	customer customer.Input
	currency string
	work     []invoice.LineInput
}

func demoTenants() []demoTenant {
	return []demoTenant{
		{
			id: uuid.MustParse("0a3e0000-0000-4000-8000-00000000ac3e"), name: "Acme Studio",
			email: "acme@onlyonce.test", token: "oo_demo_acme", currency: "EUR", rate: "23", invoices: 54,
			customers: []customer.Input{
				{Email: "accounts@northwind.example", Name: "Northwind Traders"},
				{Email: "hello@brightline.example", Name: "Brightline Architects"},
				{Email: "billing@halden-books.example", Name: "Halden Books"},
				{Email: "finance@osei-partners.example", Name: "Osei & Partners"},
				{Email: "office@kuma-roasters.example", Name: "Kuma Coffee Roasters"},
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
		},
		{
			id: uuid.MustParse("610be000-0000-4000-8000-0000000610be"), name: "Globex Works",
			email: "globex@onlyonce.test", token: "oo_demo_globex", currency: "USD", rate: "0", invoices: 24,
			customers: []customer.Input{
				{Email: "ap@cypress-creek.example", Name: "Cypress Creek Clinics"},
				{Email: "invoices@redwood-mills.example", Name: "Redwood Mills"},
				{Email: "ops@tern-logistics.example", Name: "Tern Logistics"},
				{Email: "accounts@northwind.example", Name: "Northwind Traders Inc."},
			},
			work: []invoice.LineInput{
				{Description: "Site survey", Quantity: "1", UnitPrice: "950.00"},
				{Description: "Controller firmware, hours", Quantity: "18", UnitPrice: "135.00"},
				{Description: "Pressure sensor PS-4", Quantity: "40", UnitPrice: "27.35"},
				{Description: "On-call support, month", Quantity: "1", UnitPrice: "1200.00"},
				{Description: "Calibration", Quantity: "8", UnitPrice: "64.00"},
			},
		},
	}
}
