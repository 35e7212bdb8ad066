// Package customercases declares customers, merges and distinctions for the tests of sitetest. Only tests import it. It is no part of
// them, because other resources refer to customers.
package customercases

import (
	"fmt"
	"net/url"

	"onlyonce/internal/customer"
	"onlyonce/internal/site/sitetest"
)

// Resources returns the resources of the room.
func Resources() []sitetest.Resource {
	return []sitetest.Resource{Customers(), Merges(), Distinctions(), Erasures(), Imports()}
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
		"tax_id": {"GB123456789"}, "contact": {"Accounts payable"}, "reference": {"PO-1815"}, "payment_days": {"14"},
		"copies_to": {"boss@example.com, tax@example.org"},
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
			{Name: "tax_id", Valid: "GB987654321", Invalid: "IE6388047U", Pointer: "/tax_id"},
			{Name: "contact", Valid: "Mary Somerville", Invalid: "a\u202eb", Pointer: "/contact"},
			{Name: "reference", Valid: "", Invalid: "a\u202eb", Pointer: "/reference"},
			{Name: "copies_to", Valid: "tax@example.org", Invalid: "boss@example.com tax", Pointer: "/copies_to"},
			{Name: "payment_days", Valid: "", Invalid: "366", Pointer: "/payment_days"},
		},
		Uniques: []sitetest.Unique{{Field: "email", Value: "ada@example.com", Free: "byron@example.com", Slug: "customer-differs"}},
		Repeats: sitetest.Repeats{
			Reused: sitetest.Change(command, "email", "ADA@example.com", "name", "ada LOVELACE", "address", "", "country", "",
				"contact", "", "reference", "", "payment_days", "7", "tax_id", ""),
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

// GrowMerges inserts merges of acme, with merged customers, distinctions, erasures, and imports with a new and a known customer.
func GrowMerges(b *sitetest.Bundle) {
	b.Helper()
	b.Exec(fmt.Sprintf(`
		SET LOCAL session_replication_role = replica;
		CREATE OR REPLACE FUNCTION pg_temp.id(n bigint) RETURNS uuid LANGUAGE sql AS
			$$ SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid $$;
		INSERT INTO customers (tenant_id, id, email, name, archived_at, merged_into)
		SELECT '%[1]s', pg_temp.id(n), n || '@example.com', 'Customer', now(), pg_temp.id(n - 2 * %[2]d)
		FROM generate_series(2 * %[2]d + 1, 3 * %[2]d) AS n;
		INSERT INTO customer_merges (tenant_id, id, moved, winner_id, loser_ids)
		SELECT '%[1]s', pg_temp.id(n), 1, pg_temp.id(n), ARRAY[pg_temp.id(n + 2 * %[2]d)] FROM generate_series(1, %[2]d) AS n;
		INSERT INTO customer_merge_rows (tenant_id, row_id, merge_id, table_name, column_name, was)
		SELECT '%[1]s', pg_temp.id(n + 1), pg_temp.id(n), 'customers', 'merged_into', pg_temp.id(n + 2 * %[2]d)
		FROM generate_series(1, %[2]d) AS n;
		INSERT INTO customer_erasures (tenant_id, id, customer_id, reason)
		SELECT '%[1]s', pg_temp.id(n), pg_temp.id(n + 2 * %[2]d), '' FROM generate_series(1, %[2]d) AS n;
		INSERT INTO customer_distinctions (tenant_id, id, customer_ids)
		SELECT '%[1]s', pg_temp.id(n), ARRAY[pg_temp.id(n), pg_temp.id(n + %[2]d)] FROM generate_series(1, %[2]d) AS n;
		INSERT INTO customer_distinct_pairs (tenant_id, one_id, other_id)
		SELECT '%[1]s', pg_temp.id(n), pg_temp.id(n + %[2]d) FROM generate_series(1, %[2]d) AS n`, b.Acme.ID, sitetest.Many))
	GrowImports(b, "customers", 0, "{Name,Email}", "{name,email}", `Name,Email\nCustomer %1$s,%1$s@example.com\nNew %1$s,\n`)
}

// Erasures erase the personal data of an archived customer.
func Erasures() sitetest.Resource {
	command := url.Values{"reason": {"Asked for by email"}}
	of := Customers()
	of.Command = sitetest.Change(of.Command, "email", "", "name", "Lord Byron", "tax_id", "") // so that each is a new one
	return sitetest.Resource{
		Name: "erasure", Path: "/erasures", People: true,
		Parent: &sitetest.Parent{Resource: of, Ready: []string{"archive"}, OwnPage: true},
		Words: sitetest.Words{
			Verb: "erase", Past: "erased", Button: "Erase for good", Told: "The personal data of this customer was erased.",
			Found: "The personal data of this customer was already erased. Nothing was changed.",
		},
		Command: command, Label: "Erased customer",
		Other:   url.Values{"reason": {"Asked for by letter"}},
		Fields:  []sitetest.Field{{Name: "reason", Valid: "Asked for by phone", Invalid: "a\u202eb", Pointer: "/reason"}},
		Leaves:  sitetest.Rows{"customer_erasures": 1, "intents": 1, "intent_effects": 1},
		Repeats: sitetest.Repeats{Reused: command},
		OfCustomer: map[string]string{
			"customer_erasures.reason": "kept as proof; the form asks for a reason without the person",
		},
	}
}
