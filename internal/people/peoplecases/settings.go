package peoplecases

import (
	"net/url"

	domain "onlyonce/internal/people/settings"
	"onlyonce/internal/site/sitetest"
)

// Settings are the single record that each tenant has.
func Settings() sitetest.Resource {
	command := url.Values{
		"name": {"Acme Ltd"}, "email": {"office@acme.example"}, "address": {"12 Dame Street"}, "country": {"IE"}, "tax_id": {"IE6388047V"},
		"account_holder": {"Acme Limited"}, "account_number": {"IE29AIBK93115212345678"}, "bic": {"AIBKIE2D"},
		"currency": {"EUR"}, "tax_rate": {"23"}, "payment_days": {"30"}, "footer": {"Registered in Ireland, 123456"},
		"time_zone": {"Europe/Dublin"},
	}
	return sitetest.Resource{
		Name: "settings", Path: "/settings", Only: true, Command: command, Label: "Acme Ltd",
		Other: sitetest.Change(command, "name", "Acme Holding"),
		Fields: []sitetest.Field{
			{Name: "name", Valid: "Acme Limited", Invalid: " ", Pointer: "/name"},
			{Name: "email", Valid: "billing@acme.example", Invalid: "billing at acme", Pointer: "/email"},
			{Name: "address", Valid: "13 Dame Street", Invalid: "a\u202eb", Pointer: "/address"},
			{Name: "country", Valid: "PL", Invalid: "XX", Pointer: "/country"},
			{Name: "tax_id", Valid: "IE1234567T", Invalid: "a\u202eb", Pointer: "/tax_id"},
			{Name: "account_holder", Valid: "Ada Lovelace", Invalid: "a\u202eb", Pointer: "/account_holder"},
			{Name: "account_number", Valid: "12345678", Invalid: "IE29AIBK93115212345679", Pointer: "/account_number"},
			{Name: "bic", Valid: "BOFIIE2D", Invalid: "AIBK", Pointer: "/bic"},
			{Name: "currency", Valid: "USD", Invalid: "XXY", Pointer: "/currency"},
			{Name: "tax_rate", Valid: "13.5", Invalid: "101", Pointer: "/tax_rate"},
			{Name: "payment_days", Valid: "14", Invalid: "366", Pointer: "/payment_days"},
			{Name: "footer", Valid: "Directors: Ada King", Invalid: "1\n2\n3\n4\n5", Pointer: "/footer"},
			{Name: "time_zone", Valid: "Asia/Tokyo", Invalid: "Local", Pointer: "/time_zone"},
		},
		Edited: sitetest.Edited{Command: sitetest.Change(command, "name", "Acme Studio", "payment_days", "7"), Label: "Acme Studio"},
		API: sitetest.API{Encode: func(form url.Values) string {
			command := map[string]any{}
			for name := range form {
				command[name] = form.Get(name)
			}
			return sitetest.Encode(command)
		}, Input: domain.Input{}},
	}
}
