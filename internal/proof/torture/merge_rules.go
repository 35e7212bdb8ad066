package torture

// mergeRules are about merged customers and records with external ids.
func mergeRules() []rule {
	return []rule{
		{"nothing refers to a customer that was merged", `
			SELECT format('%s refers to %s, which was merged into %s', what, c.id, c.merged_into)
			FROM (
				SELECT tenant_id, customer_id, 'invoice ' || id AS what FROM invoices
				UNION ALL SELECT tenant_id, customer_id, 'schedule ' || id FROM schedules
				UNION ALL SELECT tenant_id, merged_into, 'customer ' || id FROM customers
			) AS r JOIN customers c ON c.tenant_id = r.tenant_id AND c.id = r.customer_id
			WHERE c.merged_into IS NOT NULL`},
		{"a customer is merged by one merge, and by none that was undone", `
			SELECT format('customer %s: merged into %s, by %s merges', id, merged_into, merges)
			FROM customers c, LATERAL (
				SELECT count(*) AS merges FROM customer_merges m
				WHERE m.tenant_id = c.tenant_id AND c.id = ANY (loser_ids) AND undone_at IS NULL) AS m
			WHERE merges <> (merged_into IS NOT NULL)::int`},
		{"no external id twice", `
			SELECT format('%s times %s of %s', count(*), external_id, what)
			FROM (
				SELECT tenant_id, source_folded, external_id, 'a customer' AS what FROM customers
				UNION ALL SELECT tenant_id, source_folded, external_id, 'an invoice' FROM invoices
				UNION ALL SELECT tenant_id, source_folded, external_id, 'a payment' FROM payments
			) AS known
			WHERE external_id IS NOT NULL GROUP BY tenant_id, source_folded, external_id, what HAVING count(*) > 1`},
	}
}
