-- Written by: make sql

-- the verdicts on a file

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT substring(content FROM $1::integer FOR $2::integer) FROM import_files
WHERE tenant_id = $3 AND import_id = $4::uuid;

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT substring(content FROM $1::integer FOR $2::integer) FROM import_files
WHERE tenant_id = $3 AND import_id = $4::uuid;

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT s.currency, business_day(), s.payment_days
FROM settings s WHERE s.tenant_id = $1 AND s.id = $1;

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT substring(content FROM $1::integer FOR $2::integer) FROM import_files
WHERE tenant_id = $3 AND import_id = $4::uuid;

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT substring(content FROM $1::integer FOR $2::integer) FROM import_files
WHERE tenant_id = $3 AND import_id = $4::uuid;

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH wanted AS MATERIALIZED (
	SELECT n, key, id, fold_invoice_number(number) AS number, extract(year FROM issued::date)::integer AS year, day::date AS day,
	fold_text($1) AS source, customer, lower(email COLLATE "C") AS email, fold_text(name) AS name
	FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
		$8::text[], $9::text[]) WITH ORDINALITY AS row (key, id, number, issued, day, customer, email, name, n)
)
SELECT COALESCE(begun.yes, false), books_closed($10, w.day), COALESCE(c.id, $11::uuid), COALESCE(c.name, ''),
COALESCE(i.id, $11::uuid), COALESCE(i.number, ''), COALESCE(i.state, ''), COALESCE(i.currency, 'EUR'), COALESCE(i.total, 0),
COALESCE(i.paid, 0), COALESCE(i.issue_date, w.day), COALESCE(i.due_date, w.day)
FROM wanted w
LEFT JOIN LATERAL (
	SELECT true AS yes FROM intents
	WHERE tenant_id = $10 AND operation = 'invoice.create' AND key = w.key LIMIT 1) AS begun ON true
LEFT JOIN LATERAL (
	SELECT * FROM (
		(SELECT 1 AS rank, id, number, state, currency, total, paid, issue_date, due_date FROM invoices
			WHERE tenant_id = $10 AND source_folded = w.source AND external_id = w.id LIMIT 1) UNION ALL
		(SELECT 2, id, number, state, currency, total, paid, issue_date, due_date FROM invoices
			WHERE tenant_id = $10 AND issue_year = w.year AND number_folded = w.number LIMIT 1)
	) AS i ORDER BY rank LIMIT 1) AS i ON true
LEFT JOIN LATERAL (
	SELECT id, name FROM (
		(SELECT 1 AS rank, COALESCE(merged_into, id) AS id, name FROM customers
			WHERE tenant_id = $10 AND source_folded = w.source AND external_id = w.customer LIMIT 1) UNION ALL
		(SELECT 2, id, '' FROM customers
			WHERE tenant_id = $10 AND email_folded = w.email AND name_folded = w.name AND merged_into IS NULL
			LIMIT 1) UNION ALL
		(SELECT 3, (array_agg(id))[1], '' FROM (
				SELECT id FROM customers WHERE tenant_id = $10 AND name_folded = w.name AND archived_at IS NULL
				ORDER BY id LIMIT 2) AS named HAVING count(*) = 1)
	) AS c ORDER BY rank LIMIT 1) AS c ON true
ORDER BY w.n;
