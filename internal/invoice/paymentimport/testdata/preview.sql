-- Written by: make sql

-- the verdicts on a file

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT substring(content FROM $1::integer FOR $2::integer) FROM import_files
WHERE tenant_id = $3 AND import_id = $4::uuid;

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT substring(content FROM $1::integer FOR $2::integer) FROM import_files
WHERE tenant_id = $3 AND import_id = $4::uuid;

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT substring(content FROM $1::integer FOR $2::integer) FROM import_files
WHERE tenant_id = $3 AND import_id = $4::uuid;

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT substring(content FROM $1::integer FOR $2::integer) FROM import_files
WHERE tenant_id = $3 AND import_id = $4::uuid;

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH wanted AS MATERIALIZED (
	SELECT n, key, id, invoice, fold_invoice_number(number) AS number, day::date AS day, reference, fold_text($1) AS source,
	extract(year FROM day::date)::integer AS year
	FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
	WITH ORDINALITY AS row (key, id, invoice, number, day, reference, n)
)
SELECT COALESCE(begun.outcome::text, ''), books_closed($8, w.day), COALESCE(p.id, $9::uuid), COALESCE(p.amount, 0),
COALESCE(p.paid_on, w.day), COALESCE(i.having_it, 0), COALESCE(i.id, $9::uuid), COALESCE(i.state, ''),
COALESCE(i.currency, 'EUR'), COALESCE(i.open_amount, 0), COALESCE(i.other_number, false),
r.id IS NOT NULL, COALESCE(a.id, $9::uuid), COALESCE(a.amount, 0), COALESCE(a.with_it, false)
FROM wanted w
LEFT JOIN LATERAL (
	SELECT outcome FROM intents
	WHERE tenant_id = $8 AND operation = 'payment.create' AND key = w.key LIMIT 1) AS begun ON true
LEFT JOIN LATERAL (
	SELECT id, amount, paid_on FROM payments
	WHERE tenant_id = $8 AND source_folded = w.source AND external_id = w.id LIMIT 1) AS p ON true
LEFT JOIN LATERAL (
	SELECT * FROM (
		(SELECT 1 AS rank, id, state, currency, open_amount, 1 AS having_it,
			w.number <> '' AND number_folded IS DISTINCT FROM w.number AS other_number
			FROM invoices
			WHERE tenant_id = $8 AND source_folded = w.source AND external_id = w.invoice LIMIT 1) UNION ALL
		(SELECT 2, named.*, (count(*) OVER ())::integer, false
			FROM generate_series(w.year - 10, w.year + 1) AS of_year, LATERAL (
				SELECT id, state, currency, open_amount FROM invoices
				WHERE tenant_id = $8 AND issue_year = of_year AND number_folded = w.number AND w.number <> ''
				AND (w.invoice = '' OR source_folded IS DISTINCT FROM w.source) LIMIT 1) AS named
			LIMIT 1)
	) AS i ORDER BY rank LIMIT 1) AS i ON true
LEFT JOIN LATERAL (
	SELECT source_id AS id FROM payment_references
	WHERE tenant_id = $8 AND provider_folded = w.source AND reference = w.reference LIMIT 1) AS r ON true
LEFT JOIN LATERAL (
	SELECT id, amount, external_id LIKE 'imported with %' AS with_it FROM payments
	WHERE tenant_id = $8 AND invoice_id = i.id AND removed_at IS NULL AND (
		external_id LIKE 'imported with %' OR r.id IN (id, receipt_id) AND source_folded IS DISTINCT FROM w.source)
	LIMIT 1) AS a ON true
ORDER BY w.n;
