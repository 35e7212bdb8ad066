package torture

// erasureRules are about erased customers.
func erasureRules() []rule {
	return []rule{
		{"a customer is erased once", `
			SELECT format('customer %s: erased %s, by %s erasures, with %s effects', c.id, erased_at, erasures, effects)
			FROM customers c,
				LATERAL (SELECT count(*) AS erasures FROM customer_erasures e
					WHERE e.tenant_id = c.tenant_id AND e.customer_id = COALESCE(c.merged_into, c.id)) AS e,
				LATERAL (SELECT count(*) AS effects FROM intent_effects f
					WHERE f.tenant_id = c.tenant_id AND f.record_id = c.id AND operation = 'customer.erase') AS f
			WHERE (erasures, effects) <> ((erased_at IS NOT NULL)::int, (erased_at IS NOT NULL)::int)`},
		{"nothing is done for an erased customer", `
			WITH of_customer AS (
				SELECT tenant_id, customer_id, id, 'invoice ' || state AS what, state IN ('draft', 'issued', 'partially_paid') AS open
				FROM invoices
				UNION ALL SELECT tenant_id, customer_id, id, 'schedule', archived_at IS NULL FROM schedules
				UNION ALL SELECT m.tenant_id, customer_id, m.id, 'mail ' || m.state, m.state = 'queued'
				FROM mails m JOIN invoices i ON (i.tenant_id, i.id) = (m.tenant_id, invoice_id)
				UNION ALL SELECT tenant_id, winner_id, id, 'merge', false FROM customer_merges
				UNION ALL SELECT tenant_id, id AS customer_id, id, 'customer', archived_at IS NULL FROM customers
			)
			SELECT format('%s %s of customer %s, which was erased at %s', what, r.id, c.id, o.at)
			FROM customers c JOIN customer_erasures e ON (e.tenant_id, e.customer_id) = (c.tenant_id, c.id)
			JOIN intents o ON (o.tenant_id, o.record_id, o.outcome) = (e.tenant_id, e.id, 'created')
			JOIN of_customer r ON (r.tenant_id, r.customer_id) = (c.tenant_id, c.id)
			WHERE open OR EXISTS (
				SELECT FROM intents later
				WHERE (later.tenant_id, later.record_id) = (r.tenant_id, r.id) AND later.outcome IN ('created', 'changed')
					AND later.at > o.at)`},
		// The text of each customer is the key of its creation: see [erasing]. This looks for all of them in each row of each table, except
		// for what belongs to an issued invoice, and for the content of files.
		{"an erased customer has left no text", `
			WITH erased AS (
				SELECT c.id, replace(key, '-', 'x') AS text
				FROM customers c JOIN intents o ON (o.tenant_id, o.record_id, o.operation) = (c.tenant_id, c.id, 'customer.upsert')
				WHERE erased_at IS NOT NULL AND starts_with(key, '` + erasedKeys + `')
			), place AS (
				SELECT relname, query_to_xml(format($$
					SELECT DISTINCT (regexp_matches(line, '` + erasedTexts + `', 'g'))[1] AS text
					FROM (SELECT lower(concat_ws(' ', %s)) AS line, to_jsonb(t) AS row FROM %I.%I AS t) AS t
					WHERE line ~ '` + erasedTexts + `' AND NOT EXISTS (
						SELECT FROM invoices i
						WHERE issued_at IS NOT NULL AND i.id::text = COALESCE(row->>'invoice_id', row->>'id'))
					$$, string_agg(format('%I', attname), ', '), nspname, relname), false, true, '')::text AS found
				FROM pg_attribute JOIN pg_class c ON c.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace
				WHERE nspname IN ('public', 'river') AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped
					AND atttypid <> 'bytea'::regtype AND atttypid <> 'sha256_digest'::regtype
				GROUP BY nspname, relname
			)
			SELECT format('%s of customer %s in %s', text, id, relname) FROM erased JOIN place ON strpos(found, '>' || text || '<') > 0`},
	}
}
