// Package customercases declares customers, merges and distinctions for the tests of sitetest. Only tests import it. It is no part of
// them, because other resources refer to customers.
package customercases

import (
	"net/url"

	"onlyonce/internal/customer"
	"onlyonce/internal/site/sitetest"
)

// Resources returns the resources of the room.
func Resources() []sitetest.Resource {
	return []sitetest.Resource{Customers(), Merges(), Distinctions(), Erasures()}
}

// Unbroken returns the constraints that no command of an operation breaks: see sitecases. Merged and erased customers are archived, and an
// erased one is found by nothing.
func Unbroken() map[string][]string {
	return map[string][]string{
		"customer.archive": {"customers_erased", "customers_merged"},
		"customer.restore": {"customers_merged"},
		"customer.upsert":  {"customers_erased"},
	}
}

// Customers are created, edited and archived in the usual way.
func Customers() sitetest.Resource {
	command := url.Values{
		"email": {"ada@example.com"}, "name": {"Ada Lovelace"}, "address": {"12 St James's Square"}, "country": {"GB"},
		"tax_id": {"GB123456789"}, "payment_days": {"14"},
	}
	return sitetest.Resource{
		Name: "customer", Path: "/customers", Words: sitetest.Words{Verb: "create", Past: "created"}, Command: command,
		Label:  "Ada Lovelace",
		Leaves: sitetest.Rows{"customers": 1, "intents": 1},
		Other:  sitetest.Change(command, "email", "grace@example.com", "name", "Grace Hopper"),
		Fields: []sitetest.Field{
			{Name: "email", Valid: "king@example.com", Invalid: "ada at example", Pointer: "/email"},
			{Name: "name", Valid: "Ada Byron", Invalid: " ", Pointer: "/name"},
			{Name: "address", Valid: "13 St James's Square", Invalid: "a\u202eb", Pointer: "/address"},
			{Name: "country", Valid: "FR", Invalid: "XX", Pointer: "/country"},
			{Name: "tax_id", Valid: "GB987654321", Invalid: "a\u202eb", Pointer: "/tax_id"},
			{Name: "payment_days", Valid: "", Invalid: "366", Pointer: "/payment_days"},
		},
		Uniques: []sitetest.Unique{{Field: "email", Value: "ada@example.com", Free: "byron@example.com", Slug: "customer-differs"}},
		Repeats: sitetest.Repeats{
			Reused: sitetest.Change(command, "email", "ADA@example.com", "name", "ada LOVELACE", "address", "", "country", "",
				"payment_days", "7", "tax_id", ""),
			Alike: []url.Values{command, sitetest.Change(command, "email", "countess@example.com", "name", "ADA LOVELACE", "tax_id", "")},
		},
		Edited: sitetest.Edited{
			Command: sitetest.Change(command, "name", "Ada King", "tax_id", "", "payment_days", "7"),
			Label:   "Ada King",
		},
		Filters: []string{"sort=name", "sort=-name"},
		Transitions: []sitetest.Transition{
			{Verb: "archive", Past: "archived", Undo: "restore"},
			{Verb: "restore", Past: "restored", From: []string{"archive"}, Undo: "archive"},
		},
		API: sitetest.API{Encode: func(form url.Values) string {
			command := map[string]any{}
			for name := range form {
				command[name] = form.Get(name)
			}
			return sitetest.Encode(command)
		}, Input: customer.Input{}},
	}
}
