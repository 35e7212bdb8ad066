package app

import (
	"github.com/google/uuid"

	"onlyonce/internal/customer"
	business "onlyonce/internal/people/settings"
	"onlyonce/internal/room"
	"onlyonce/internal/value/party"
)

const demoPassword = "only-once-demo"

// demoTenant is a business of the demo. Its logins are public.
type demoTenant struct {
	room.Tenant

	name         string
	email, token string           // of its owner
	member       string           // the email of a second user; "" for none
	twice        []customer.Input // customers again under another email
}

func demoTenants() []demoTenant {
	return []demoTenant{
		{
			name:  "Acme Studio",
			email: "acme@onlyonce.test", member: "kim@onlyonce.test", token: "oo_demo_acme",
			Tenant: room.Tenant{
				ID: uuid.MustParse("0a3e0000-0000-4000-8000-00000000ac3e"),
				Business: business.Input{
					Name: "Acme Studio Ltd", Email: "accounts@acme-studio.example",
					Details: party.Details{Address: "12 Dame Street\nDublin 2\nD02 X285", Country: "IE", TaxID: "IE6388047V"},
					BankAccount: party.BankAccount{
						AccountHolder: "Acme Studio Ltd", AccountNumber: "IE29 AIBK 9311 5212 3456 78", BIC: "AIBKIE2D",
					},
					Currency: "EUR", TaxRate: "23", PaymentDays: "30",
				},
				Customers: []customer.Input{
					{
						Email: "accounts@northwind.example", Name: "Northwind Traders", PaymentDays: "45",
						Texts: customer.Texts{Details: party.Details{
							Address: "7 Harbour Road\nCork\nT12 W8XK", Country: "IE", TaxID: "IE8256796U",
						}},
					},
					{
						Email: "hello@brightline.example", Name: "Brightline Architects", PaymentDays: "45",
						Texts: customer.Texts{Details: party.Details{
							Address: "24 Rue des Lilas\n69003 Lyon", Country: "FR", TaxID: "FR40303265045",
						}},
					},
					{
						Email: "billing@halden-books.example", Name: "Halden Books",
						Texts: customer.Texts{Details: party.Details{
							Address: "Torggata 11\n1767 Halden", Country: "NO", TaxID: "NO995525828MVA",
						}},
					},
					{
						Email: "finance@osei-partners.example", Name: "Osei & Partners", PaymentDays: "14",
						Texts: customer.Texts{Details: party.Details{
							Address: "48 O’Connell Street\nLimerick\nV94 T8R3", Country: "IE",
						}},
					},
					{
						Email: "office@kuma-roasters.example", Name: "Kuma Coffee Roasters",
						Texts: customer.Texts{Details: party.Details{
							Address: "Kastanienallee 82\n10435 Berlin", Country: "DE", TaxID: "DE136695976",
						}},
					},
				},
			},
			twice: []customer.Input{
				{
					Email: "accounts+orders@northwind.example", Name: "Northwind Traders Ltd.",
					Texts: customer.Texts{Details: party.Details{
						Address: "7 Harbour Road, Cork", Country: "IE", TaxID: "IE 8256796 U",
					}},
				},
			},
		},
		{
			name: "Globex Works", email: "globex@onlyonce.test", token: "oo_demo_globex",
			Tenant: room.Tenant{
				ID: uuid.MustParse("610be000-0000-4000-8000-0000000610be"),
				Business: business.Input{
					Name: "Globex Works Inc.", Email: "billing@globex-works.example",
					Details: party.Details{Address: "400 Industrial Way\nPortland, OR 97209", Country: "US", TaxID: "93-1234567"},
					BankAccount: party.BankAccount{
						AccountHolder: "Globex Works Inc.", AccountNumber: "123000220 / 153912345678", BIC: "USBKUS44",
					},
					Currency: "USD", TaxRate: "0", PaymentDays: "14",
				},
				Customers: []customer.Input{
					{
						Email: "ap@cypress-creek.example", Name: "Cypress Creek Clinics", PaymentDays: "45",
						Texts: customer.Texts{Details: party.Details{
							Address: "1800 Cypress Creek Boulevard\nSpringfield, OR 97477", Country: "US",
						}},
					},
					{
						Email: "accounts@redwood-mills.example", Name: "Redwood Mills", PaymentDays: "30",
						Texts: customer.Texts{Details: party.Details{Address: "55 Mill Road\nEureka, CA 95501", Country: "US"}},
					},
					{
						Email: "ops@tern-logistics.example", Name: "Tern Logistics",
						Texts: customer.Texts{Details: party.Details{
							Address: "900 Marine Drive\nVancouver, BC V6P 5Y7", Country: "CA",
						}},
					},
					{
						Email: "accounts@northwind.example", Name: "Northwind Traders Inc.",
						Texts: customer.Texts{Details: party.Details{Address: "310 Lake Street\nSeattle, WA 98101", Country: "US"}},
					},
				},
			},
		},
	}
}
