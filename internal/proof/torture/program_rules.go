package torture

// eventRules are about the events of webhooks and the records made from them.
func eventRules() []rule {
	return []rule{
		{"no event twice", `
			SELECT format('%s times %s', count(*), event_id)
			FROM webhook_events WHERE first_id IS NULL GROUP BY tenant_id, source_id, event_id HAVING count(*) > 1
			UNION ALL
			SELECT format('%s times another content of %s', count(*), min(event_id))
			FROM webhook_events WHERE first_id IS NOT NULL GROUP BY tenant_id, first_id, digest HAVING count(*) > 1`},
		{"an event did what it asked for, or nothing", `
			SELECT format('event %s: %s %s, payment %s, refund %s', event_id, state, reason, e.payment_id, refund_id)
			FROM webhook_events e JOIN webhook_sources s ON s.tenant_id = e.tenant_id AND s.id = e.source_id
			LEFT JOIN payments p ON p.tenant_id = e.tenant_id AND p.id = e.payment_id
			LEFT JOIN refunds f ON f.tenant_id = e.tenant_id AND f.id = refund_id
			WHERE CASE
				WHEN state <> 'applied' THEN num_nonnulls(e.payment_id, refund_id) > 0 OR (state = 'apart') <> (first_id IS NOT NULL)
				WHEN first_id IS NOT NULL OR (p.provider_folded, p.reference) IS DISTINCT FROM (s.provider_folded, e.reference) THEN true
				WHEN e.kind = 'payment' THEN refund_id IS NOT NULL OR p.amount <> e.amount OR NOT EXISTS (
					SELECT FROM invoices i
					WHERE i.tenant_id = p.tenant_id AND i.id = p.invoice_id AND i.currency = e.currency
						AND e.invoice IN (i.id::text, i.number))
				-- Its amount is the total refunded so far.
				ELSE p.refunded < e.amount OR (refund_id IS NULL) <> (reason = 'recorded-before') OR f.payment_id <> p.id
			END`},
		{"no event waits for a payment that is there", `
			SELECT format('event %s: payment %s', event_id, p.id)
			FROM webhook_events e JOIN webhook_sources s ON s.tenant_id = e.tenant_id AND s.id = e.source_id
			JOIN payments p ON p.tenant_id = e.tenant_id AND p.provider_folded = s.provider_folded AND p.reference = e.reference
			WHERE e.state = 'waiting'`},
	}
}

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

// scheduleRules are about schedules and their invoices.
func scheduleRules() []rule {
	return []rule{
		{"one invoice for each period of a schedule", `
			SELECT format('schedule %s: %s times %s', schedule_id, count(*), period)
			FROM schedule_periods GROUP BY tenant_id, schedule_id, period HAVING count(*) > 1`},
		{"no period is left out", `
			SELECT format('schedule %s: next is %s, and %s was not billed', s.id, next_day, day::date)
			FROM schedules s JOIN schedule_clocks c ON c.tenant_id = s.tenant_id AND c.schedule_id = s.id,
				generate_series(first_day, next_day - 1, every * interval '1 week') AS day
			WHERE unit = 'week' AND missed = 'each' AND NOT EXISTS (
				SELECT FROM schedule_periods p WHERE p.tenant_id = s.tenant_id AND p.schedule_id = s.id AND p.period = day)`},
		{"a period is billed as its schedule was then", `
			SELECT format('invoice %s of %s: %s, dated %s, notes %s, not %s', i.id, p.period, i.status, i.issue_date, i.notes, said.notes)
			FROM schedule_periods p JOIN schedules s ON s.tenant_id = p.tenant_id AND s.id = p.schedule_id
			JOIN invoices i ON i.tenant_id = p.tenant_id AND i.id = p.id
			JOIN intents b ON b.tenant_id = p.tenant_id AND b.record_id = p.id AND b.operation LIKE 'schedule.bill%'
				AND b.outcome = 'created',
				LATERAL (SELECT COALESCE((
					SELECT changes->'notes'->>0 FROM intents e
					WHERE e.tenant_id = s.tenant_id AND e.record_id = s.id AND e.operation = 'schedule.edit' AND changes ? 'notes'
						AND e.at > b.at
					ORDER BY e.at LIMIT 1), s.notes) AS notes) AS said
			WHERE (i.issue_date, i.notes, i.issued_at IS NOT NULL) <> (p.period, said.notes, s.bill_as = 'issued')`},
		{"a schedule is not billed while it is paused", `
			SELECT format('schedule %s: %s', schedule_id, period)
			FROM schedule_periods p
			JOIN intents b ON b.tenant_id = p.tenant_id AND b.record_id = p.id AND b.operation LIKE 'schedule.bill%'
				AND b.outcome = 'created'
			WHERE 'schedule.pause' = (
				SELECT operation FROM intents t
				WHERE t.tenant_id = p.tenant_id AND t.record_id = p.schedule_id AND t.operation IN ('schedule.pause', 'schedule.resume')
					AND t.outcome = 'changed' AND t.at < b.at
				ORDER BY t.at DESC LIMIT 1)`},
	}
}
