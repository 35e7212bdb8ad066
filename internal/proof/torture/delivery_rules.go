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
