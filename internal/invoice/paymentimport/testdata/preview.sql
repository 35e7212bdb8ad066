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
	SELECT n, key, id, fold_invoice_number(number) AS number, day::date AS day, fold_text($1) AS source,
	extract(year FROM day::date)::integer AS year
	FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) WITH ORDINALITY AS row (key, id, number, day, n)
)
SELECT COALESCE(begun.outcome::text, ''), books_closed($6, w.day), COALESCE(p.id, $7::uuid), COALESCE(p.amount, 0),
COALESCE(p.paid_on, w.day), COALESCE(i.having_it, 0), COALESCE(i.id, $7::uuid), COALESCE(i.state, ''),
COALESCE(i.currency, 'EUR'), COALESCE(i.open_amount, 0)
FROM wanted w
LEFT JOIN LATERAL (
	SELECT outcome FROM intents
	WHERE tenant_id = $6 AND operation = 'payment.create' AND key = w.key LIMIT 1) AS begun ON true
LEFT JOIN LATERAL (
	SELECT id, amount, paid_on FROM payments
	WHERE tenant_id = $6 AND source_folded = w.source AND external_id = w.id LIMIT 1) AS p ON true
LEFT JOIN LATERAL (
	SELECT named.*, (count(*) OVER ())::integer AS having_it
	FROM generate_series(w.year - 10, w.year + 1) AS of_year, LATERAL (
		SELECT id, state, currency, open_amount FROM invoices
		WHERE tenant_id = $6 AND issue_year = of_year AND number_folded = w.number LIMIT 1) AS named
	LIMIT 1) AS i ON true
ORDER BY w.n;
