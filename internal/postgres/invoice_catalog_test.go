package postgres_test

// invoiceSabotages are changes of objects that only invoices need.
func invoiceSabotages() []sabotage {
	return []sabotage{
		{"DROP TRIGGER append_only ON payments", "the trigger append_only of payments" + missing},
		{"DROP TRIGGER carry_balance ON postings", "the trigger carry_balance of postings" + missing},
		{"ALTER TABLE mails DISABLE TRIGGER queue_mail", "the trigger queue_mail of mails" + different},
		{
			"ALTER TABLE invoices DROP CONSTRAINT invoices_number_once_per_year",
			"the constraint invoices_number_once_per_year of invoices" + missing,
		},
		{
			"ALTER TABLE invoice_lines DROP CONSTRAINT invoice_lines_invoice",
			"the constraint invoice_lines_invoice of invoice_lines" + missing,
		},
		{"ALTER DOMAIN minor_units DROP CONSTRAINT minor_units_check", "the constraint minor_units_check of minor_units" + missing},
	}
}

// notReferencesOfInvoices are columns of tables that only invoices need, see notReferences.
func notReferencesOfInvoices() map[string]string {
	return map[string]string{
		"payment_references.tenant_id":  "the tenant of a payment or a receipt, which has a foreign key",
		"payment_references.source_id":  "the payment or the receipt",
		"standing.tenant_id":            "the tenant of an invoice, which has a foreign key",
		"standing.of_id":                "the customer or the tenant of that invoice",
		"account_entries.tenant_id":     "the tenant of an invoice or a receipt, which has a foreign key",
		"account_entries.source_id":     "the invoice or the receipt, or a record of one",
		"account_entries.of_id":         "the invoice or the receipt",
		"account_entries.customer_id":   "the customer of that invoice or receipt",
		"postings.source_id":            "a payment, a refund, a credit note or a write-off",
		"invoice_taxes.source_id":       "the invoice, or a credit note",
		"credit_note_lines.reverses_id": "the one of its credit note, which has the foreign key",
		"refunds.invoice_id":            "the payment's, which has the foreign key; post_refund sets it",
		"mails.message_id":              "the Message-ID of the mail",
	}
}

// notLookedUpOfInvoices are references of tables that only invoices need, see notLookedUp.
func notLookedUpOfInvoices() map[string]string {
	return map[string]string{
		"invoice_distinct_pairs_other":         "looked up as a pair",
		"webhook_events_first":                 "an event links the first one",
		"webhook_events_payment":               "an event links its payment",
		"webhook_events_possible_duplicate_of": "an event links that payment",
		"webhook_events_source":                "the list has the events of all sources",
	}
}
