-- Written by: make sql

-- entries of an account

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT b.opening, b.closing, b.at, e.json FROM (
	SELECT sum(amount) FILTER (WHERE n = 1) AS opening, sum(amount) FILTER (WHERE n = 2) AS closing,
	sum(amount) FILTER (WHERE n = 3) AS at
	FROM (VALUES
		(1, $1::date, '00000000-0000-0000-0000-000000000000'::uuid, ''),
		(2, $2::date + 1, '00000000-0000-0000-0000-000000000000', ''),
		(3, $3::date, $4::uuid, $5::text)) AS place (n, day, source_id, kind),
	LATERAL (
		SELECT COALESCE((
				SELECT sum(amount) FROM standing
				WHERE tenant_id = $6 AND of_id = $7 AND kind = 'account_month' AND currency = $8
				AND day < date_trunc('month', place.day)::date), 0)
		+ COALESCE((
				SELECT sum(amount) FROM account_entries
				WHERE tenant_id = $6 AND customer_id = $7 AND currency = $8
				AND day >= date_trunc('month', place.day)::date
				AND (day, source_id, kind) <= (place.day, place.source_id, place.kind)), 0) AS amount
	) AS balance
) AS b
LEFT JOIN LATERAL (
	SELECT l.day, l.source_id, l.kind, json_build_object(
		'day', l.day, 'kind', l.kind, 'id', l.source_id, 'of', l.of_id, 'amount', l.amount,
		'number', COALESCE(n.number, i.number), 'due_date', CASE l.kind WHEN 'invoice' THEN i.due_date END,
		'reference', concat_ws(' ', p.provider, p.reference, r.provider, r.reference, f.reference, b.reference)) AS json
	FROM (
		SELECT day, kind, source_id, of_id, amount FROM account_entries
		WHERE tenant_id = $6 AND customer_id = $7 AND currency = $8
		AND day >= $1::date AND day <= $2::date AND (day, source_id, kind) > ($3::date, $4::uuid, $5)
		ORDER BY day, source_id, kind LIMIT 201) AS l
	LEFT JOIN LATERAL (
		SELECT number FROM credit_notes WHERE tenant_id = $6 AND id = l.source_id LIMIT 1) AS n ON true
	LEFT JOIN LATERAL (SELECT number, due_date FROM invoices WHERE tenant_id = $6 AND id = l.of_id LIMIT 1) AS i ON true
	LEFT JOIN LATERAL (
		SELECT provider, reference FROM payments WHERE tenant_id = $6 AND id = l.source_id LIMIT 1) AS p ON true
	LEFT JOIN LATERAL (
		SELECT NULLIF(reference, '') AS reference FROM refunds WHERE tenant_id = $6 AND id = l.source_id LIMIT 1
	) AS f ON true
	LEFT JOIN LATERAL (
		SELECT NULLIF(reference, '') AS reference FROM repayments WHERE tenant_id = $6 AND id = l.source_id LIMIT 1
	) AS b ON true
	LEFT JOIN LATERAL (
		SELECT provider, reference FROM receipts
		WHERE tenant_id = $6 AND id = l.of_id AND b.reference IS NULL LIMIT 1) AS r ON true
) AS e ON true
ORDER BY e.day, e.source_id, e.kind LIMIT $9;

-- entries of an account, next page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT b.opening, b.closing, b.at, e.json FROM (
	SELECT sum(amount) FILTER (WHERE n = 1) AS opening, sum(amount) FILTER (WHERE n = 2) AS closing,
	sum(amount) FILTER (WHERE n = 3) AS at
	FROM (VALUES
		(1, $1::date, '00000000-0000-0000-0000-000000000000'::uuid, ''),
		(2, $2::date + 1, '00000000-0000-0000-0000-000000000000', ''),
		(3, $3::date, $4::uuid, $5::text)) AS place (n, day, source_id, kind),
	LATERAL (
		SELECT COALESCE((
				SELECT sum(amount) FROM standing
				WHERE tenant_id = $6 AND of_id = $7 AND kind = 'account_month' AND currency = $8
				AND day < date_trunc('month', place.day)::date), 0)
		+ COALESCE((
				SELECT sum(amount) FROM account_entries
				WHERE tenant_id = $6 AND customer_id = $7 AND currency = $8
				AND day >= date_trunc('month', place.day)::date
				AND (day, source_id, kind) <= (place.day, place.source_id, place.kind)), 0) AS amount
	) AS balance
) AS b
LEFT JOIN LATERAL (
	SELECT l.day, l.source_id, l.kind, json_build_object(
		'day', l.day, 'kind', l.kind, 'id', l.source_id, 'of', l.of_id, 'amount', l.amount,
		'number', COALESCE(n.number, i.number), 'due_date', CASE l.kind WHEN 'invoice' THEN i.due_date END,
		'reference', concat_ws(' ', p.provider, p.reference, r.provider, r.reference, f.reference, b.reference)) AS json
	FROM (
		SELECT day, kind, source_id, of_id, amount FROM account_entries
		WHERE tenant_id = $6 AND customer_id = $7 AND currency = $8
		AND day >= $1::date AND day <= $2::date AND (day, source_id, kind) > ($3::date, $4::uuid, $5)
		ORDER BY day, source_id, kind LIMIT 201) AS l
	LEFT JOIN LATERAL (
		SELECT number FROM credit_notes WHERE tenant_id = $6 AND id = l.source_id LIMIT 1) AS n ON true
	LEFT JOIN LATERAL (SELECT number, due_date FROM invoices WHERE tenant_id = $6 AND id = l.of_id LIMIT 1) AS i ON true
	LEFT JOIN LATERAL (
		SELECT provider, reference FROM payments WHERE tenant_id = $6 AND id = l.source_id LIMIT 1) AS p ON true
	LEFT JOIN LATERAL (
		SELECT NULLIF(reference, '') AS reference FROM refunds WHERE tenant_id = $6 AND id = l.source_id LIMIT 1
	) AS f ON true
	LEFT JOIN LATERAL (
		SELECT NULLIF(reference, '') AS reference FROM repayments WHERE tenant_id = $6 AND id = l.source_id LIMIT 1
	) AS b ON true
	LEFT JOIN LATERAL (
		SELECT provider, reference FROM receipts
		WHERE tenant_id = $6 AND id = l.of_id AND b.reference IS NULL LIMIT 1) AS r ON true
) AS e ON true
ORDER BY e.day, e.source_id, e.kind LIMIT $9;

-- entries of an account, previous page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT b.opening, b.closing, b.at, e.json FROM (
	SELECT sum(amount) FILTER (WHERE n = 1) AS opening, sum(amount) FILTER (WHERE n = 2) AS closing,
	sum(amount) FILTER (WHERE n = 3) AS at
	FROM (VALUES
		(1, $1::date, '00000000-0000-0000-0000-000000000000'::uuid, ''),
		(2, $2::date + 1, '00000000-0000-0000-0000-000000000000', ''),
		(3, $3::date, $4::uuid, $5::text)) AS place (n, day, source_id, kind),
	LATERAL (
		SELECT COALESCE((
				SELECT sum(amount) FROM standing
				WHERE tenant_id = $6 AND of_id = $7 AND kind = 'account_month' AND currency = $8
				AND day < date_trunc('month', place.day)::date), 0)
		+ COALESCE((
				SELECT sum(amount) FROM account_entries
				WHERE tenant_id = $6 AND customer_id = $7 AND currency = $8
				AND day >= date_trunc('month', place.day)::date
				AND (day, source_id, kind) < (place.day, place.source_id, place.kind)), 0) AS amount
	) AS balance
) AS b
LEFT JOIN LATERAL (
	SELECT l.day, l.source_id, l.kind, json_build_object(
		'day', l.day, 'kind', l.kind, 'id', l.source_id, 'of', l.of_id, 'amount', l.amount,
		'number', COALESCE(n.number, i.number), 'due_date', CASE l.kind WHEN 'invoice' THEN i.due_date END,
		'reference', concat_ws(' ', p.provider, p.reference, r.provider, r.reference, f.reference, b.reference)) AS json
	FROM (
		SELECT day, kind, source_id, of_id, amount FROM account_entries
		WHERE tenant_id = $6 AND customer_id = $7 AND currency = $8
		AND day >= $1::date AND day <= $2::date AND (day, source_id, kind) < ($3::date, $4::uuid, $5)
		ORDER BY day DESC, source_id DESC, kind DESC LIMIT 201) AS l
	LEFT JOIN LATERAL (
		SELECT number FROM credit_notes WHERE tenant_id = $6 AND id = l.source_id LIMIT 1) AS n ON true
	LEFT JOIN LATERAL (SELECT number, due_date FROM invoices WHERE tenant_id = $6 AND id = l.of_id LIMIT 1) AS i ON true
	LEFT JOIN LATERAL (
		SELECT provider, reference FROM payments WHERE tenant_id = $6 AND id = l.source_id LIMIT 1) AS p ON true
	LEFT JOIN LATERAL (
		SELECT NULLIF(reference, '') AS reference FROM refunds WHERE tenant_id = $6 AND id = l.source_id LIMIT 1
	) AS f ON true
	LEFT JOIN LATERAL (
		SELECT NULLIF(reference, '') AS reference FROM repayments WHERE tenant_id = $6 AND id = l.source_id LIMIT 1
	) AS b ON true
	LEFT JOIN LATERAL (
		SELECT provider, reference FROM receipts
		WHERE tenant_id = $6 AND id = l.of_id AND b.reference IS NULL LIMIT 1) AS r ON true
) AS e ON true
ORDER BY e.day DESC, e.source_id DESC, e.kind DESC LIMIT $9;
