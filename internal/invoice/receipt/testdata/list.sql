-- Written by: make sql

-- receipts

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT r.id, r.received_on AS first, r.id AS second, row_number() OVER (ORDER BY r.received_on DESC, r.id DESC) AS n
	FROM receipts r
	WHERE r.tenant_id = $1 AND (r.received_on, r.id) < ($2::date, $3::uuid) AND true AND received_on >= $4::date AND received_on <= $5::date
	ORDER BY r.received_on DESC, r.id DESC LIMIT $6
), frontier AS MATERIALIZED (
	SELECT first, second FROM candidates WHERE n = $6 ORDER BY first DESC, second DESC LIMIT 1
), within AS (
	SELECT DISTINCT c.first, c.second, c.id FROM candidates c
	WHERE NOT EXISTS (SELECT FROM frontier f WHERE (c.first, c.second) < (f.first, f.second))
), found AS (
	SELECT w.first, w.second, r.record
	FROM (SELECT first, second, id FROM within ORDER BY first DESC, second DESC) AS w, LATERAL (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'customer', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM customers referred
				WHERE referred.tenant_id = r.tenant_id AND referred.id = r.customer_id), 'currency', r.currency, 'amount', r.amount, 'allocated', r.allocated,
			'repaid', r.repaid, 'left', r.left_amount, 'date', r.received_on, 'method', r.method, 'provider', COALESCE(r.provider, ''),
			'reference', COALESCE(r.reference, ''), 'removed_at', r.removed_at,
			'credit_note', (
				SELECT json_build_object('id', n.id, 'name', n.number) FROM credit_notes n
				WHERE n.tenant_id = r.tenant_id AND n.id = r.credit_note_id)) AS record
		FROM (SELECT * FROM receipts r WHERE r.tenant_id = $1 AND r.id = w.id LIMIT 1) AS r
		WHERE true AND received_on >= $4::date AND received_on <= $5::date) AS r
	ORDER BY w.first DESC, w.second DESC LIMIT $7
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first DESC, second DESC) FROM found),
	'frontier', (SELECT json_build_array(first::text, second::text) FROM frontier));

-- receipts, next page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT r.id, r.received_on AS first, r.id AS second, row_number() OVER (ORDER BY r.received_on DESC, r.id DESC) AS n
	FROM receipts r
	WHERE r.tenant_id = $1 AND (r.received_on, r.id) < ($2::date, $3::uuid) AND true AND received_on >= $4::date AND received_on <= $5::date
	ORDER BY r.received_on DESC, r.id DESC LIMIT $6
), frontier AS MATERIALIZED (
	SELECT first, second FROM candidates WHERE n = $6 ORDER BY first DESC, second DESC LIMIT 1
), within AS (
	SELECT DISTINCT c.first, c.second, c.id FROM candidates c
	WHERE NOT EXISTS (SELECT FROM frontier f WHERE (c.first, c.second) < (f.first, f.second))
), found AS (
	SELECT w.first, w.second, r.record
	FROM (SELECT first, second, id FROM within ORDER BY first DESC, second DESC) AS w, LATERAL (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'customer', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM customers referred
				WHERE referred.tenant_id = r.tenant_id AND referred.id = r.customer_id), 'currency', r.currency, 'amount', r.amount, 'allocated', r.allocated,
			'repaid', r.repaid, 'left', r.left_amount, 'date', r.received_on, 'method', r.method, 'provider', COALESCE(r.provider, ''),
			'reference', COALESCE(r.reference, ''), 'removed_at', r.removed_at,
			'credit_note', (
				SELECT json_build_object('id', n.id, 'name', n.number) FROM credit_notes n
				WHERE n.tenant_id = r.tenant_id AND n.id = r.credit_note_id)) AS record
		FROM (SELECT * FROM receipts r WHERE r.tenant_id = $1 AND r.id = w.id LIMIT 1) AS r
		WHERE true AND received_on >= $4::date AND received_on <= $5::date) AS r
	ORDER BY w.first DESC, w.second DESC LIMIT $7
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first DESC, second DESC) FROM found),
	'frontier', (SELECT json_build_array(first::text, second::text) FROM frontier));

-- receipts, previous page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT r.id, r.received_on AS first, r.id AS second, row_number() OVER (ORDER BY r.received_on, r.id) AS n
	FROM receipts r
	WHERE r.tenant_id = $1 AND (r.received_on, r.id) > ($2::date, $3::uuid) AND true AND received_on >= $4::date AND received_on <= $5::date
	ORDER BY r.received_on, r.id LIMIT $6
), frontier AS MATERIALIZED (
	SELECT first, second FROM candidates WHERE n = $6 ORDER BY first, second LIMIT 1
), within AS (
	SELECT DISTINCT c.first, c.second, c.id FROM candidates c
	WHERE NOT EXISTS (SELECT FROM frontier f WHERE (c.first, c.second) > (f.first, f.second))
), found AS (
	SELECT w.first, w.second, r.record
	FROM (SELECT first, second, id FROM within ORDER BY first, second) AS w, LATERAL (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'customer', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM customers referred
				WHERE referred.tenant_id = r.tenant_id AND referred.id = r.customer_id), 'currency', r.currency, 'amount', r.amount, 'allocated', r.allocated,
			'repaid', r.repaid, 'left', r.left_amount, 'date', r.received_on, 'method', r.method, 'provider', COALESCE(r.provider, ''),
			'reference', COALESCE(r.reference, ''), 'removed_at', r.removed_at,
			'credit_note', (
				SELECT json_build_object('id', n.id, 'name', n.number) FROM credit_notes n
				WHERE n.tenant_id = r.tenant_id AND n.id = r.credit_note_id)) AS record
		FROM (SELECT * FROM receipts r WHERE r.tenant_id = $1 AND r.id = w.id LIMIT 1) AS r
		WHERE true AND received_on >= $4::date AND received_on <= $5::date) AS r
	ORDER BY w.first, w.second LIMIT $7
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first, second) FROM found),
	'frontier', (SELECT json_build_array(first::text, second::text) FROM frontier));

-- receipts of a customer

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT id FROM (
		WITH records AS MATERIALIZED (SELECT id FROM (
				SELECT w.customer_id AS id FROM unnest($1::text[]) AS each (word), LATERAL (
					SELECT w.customer_id FROM customer_words w WHERE w.tenant_id = $2 AND w.word = each.word LIMIT 1001) AS w
				UNION ALL
				SELECT r.id FROM unnest($3::uuid[]) AS each (other), LATERAL (
					SELECT r.id FROM receipts r WHERE r.tenant_id = $2 AND r.customer_id = each.other LIMIT 1001) AS r) AS streams LIMIT 1001)
		SELECT id FROM records WHERE (SELECT count(*) FROM records) = 1001
		UNION ALL
		SELECT rows.id FROM (SELECT DISTINCT id FROM records) AS of_record, LATERAL (
			SELECT id FROM receipts b WHERE b.tenant_id = $2 AND b.id = of_record.id LIMIT 1001) AS rows) AS streams LIMIT 1001
), picked AS (
	SELECT r.first, r.second, c.id
	FROM (SELECT DISTINCT id FROM candidates) AS c, LATERAL (
		SELECT r.received_on AS first, r.id AS second
		FROM (SELECT * FROM receipts r WHERE r.tenant_id = $2 AND r.id = c.id LIMIT 1) AS r
		WHERE (r.received_on, r.id) < ($4::date, $5::uuid) AND true AND received_on >= $6::date AND received_on <= $7::date AND (
			SELECT true FROM (SELECT r.id AS id) AS its, LATERAL (
				SELECT FROM receipts r WHERE r.tenant_id = $2 AND r.id = its.id AND NOT EXISTS (SELECT FROM generate_series(1, $8::integer) AS term WHERE NOT EXISTS (
						SELECT FROM unnest($9::text[], $10::integer[]) AS t (word, n)
						WHERE t.n = term AND (
							SELECT true FROM customer_words w
							WHERE w.tenant_id = $2 AND w.word = t.word AND w.customer_id = r.customer_id AND w.customer_id = r.id LIMIT 1)) AND NOT EXISTS (
						SELECT FROM unnest($11::uuid[], $12::integer[]) AS t (other, n)
						WHERE t.n = term AND t.other = r.customer_id)) LIMIT 1) AS found)) AS r
	ORDER BY r.first DESC, r.second DESC LIMIT $13
), found AS (
	SELECT p.first, p.second, (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'customer', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM customers referred
				WHERE referred.tenant_id = r.tenant_id AND referred.id = r.customer_id), 'currency', r.currency, 'amount', r.amount, 'allocated', r.allocated,
			'repaid', r.repaid, 'left', r.left_amount, 'date', r.received_on, 'method', r.method, 'provider', COALESCE(r.provider, ''),
			'reference', COALESCE(r.reference, ''), 'removed_at', r.removed_at,
			'credit_note', (
				SELECT json_build_object('id', n.id, 'name', n.number) FROM credit_notes n
				WHERE n.tenant_id = r.tenant_id AND n.id = r.credit_note_id)) FROM receipts r WHERE r.tenant_id = $2 AND r.id = p.id LIMIT 1) AS record
	FROM picked p
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first DESC, second DESC) FROM found),
	'too_many', (SELECT count(*) = 1001 FROM candidates));

-- payments of a receipt

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'invoice_id', r.invoice_id, 'receipt_id', r.receipt_id, 'amount', r.amount, 'refunded', r.refunded, 'left', r.left_amount,
		'date', r.paid_on, 'method', r.method,
		'removed_at', r.removed_at, 'provider', COALESCE(r.provider, ''), 'reference', COALESCE(r.reference, ''),
		'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
		'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, ''),
		'invoice_number', (SELECT i.number FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
		'customer', (
			SELECT json_build_object('id', c.id, 'name', c.name) FROM (
				SELECT i.tenant_id, i.customer_id FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id) AS its,
			LATERAL (SELECT id, name FROM customers c WHERE c.tenant_id = its.tenant_id AND c.id = its.customer_id LIMIT 1) AS c), 'transfer', (
			SELECT json_build_object('provider', COALESCE(r.provider, c.provider), 'reference', COALESCE(r.reference, c.reference, (
						SELECT n.number FROM credit_notes n WHERE n.tenant_id = c.tenant_id AND n.id = c.credit_note_id LIMIT 1)))
			FROM (SELECT) AS of LEFT JOIN LATERAL (
				SELECT tenant_id, provider, reference, credit_note_id FROM receipts
				WHERE tenant_id = r.tenant_id AND id = r.receipt_id LIMIT 1) AS c ON true),
		'became_credit', r.left_amount > (SELECT i.paid FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)) AS json FROM payments r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.receipt_id = $3
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $4;

-- repayments of a receipt

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'receipt_id', r.receipt_id, 'amount', r.amount, 'date', r.repaid_on, 'reference', r.reference,
		'removed_at', r.removed_at,
		'currency', (SELECT c.currency FROM receipts c WHERE c.tenant_id = r.tenant_id AND c.id = r.receipt_id)) AS json FROM repayments r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.receipt_id = $3
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $4;

-- repayments of a receipt, next page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'receipt_id', r.receipt_id, 'amount', r.amount, 'date', r.repaid_on, 'reference', r.reference,
		'removed_at', r.removed_at,
		'currency', (SELECT c.currency FROM receipts c WHERE c.tenant_id = r.tenant_id AND c.id = r.receipt_id)) AS json FROM repayments r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.receipt_id = $3
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $4;

-- repayments of a receipt, previous page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'receipt_id', r.receipt_id, 'amount', r.amount, 'date', r.repaid_on, 'reference', r.reference,
		'removed_at', r.removed_at,
		'currency', (SELECT c.currency FROM receipts c WHERE c.tenant_id = r.tenant_id AND c.id = r.receipt_id)) AS json FROM repayments r
	WHERE r.tenant_id = $1 AND r.id > $2 AND r.receipt_id = $3
	ORDER BY r.id LIMIT 201) AS page
ORDER BY id LIMIT $4;
