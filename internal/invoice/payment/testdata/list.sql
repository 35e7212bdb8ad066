-- Written by: make sql

-- payments

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT r.id, r.paid_on AS first, r.id AS second, row_number() OVER (ORDER BY r.paid_on DESC, r.id DESC) AS n
	FROM payments r
	WHERE r.tenant_id = $1 AND (r.paid_on, r.id) < ($2::date, $3::uuid) AND removed_at IS NULL AND paid_on >= $4::date AND paid_on <= $5::date
	ORDER BY r.paid_on DESC, r.id DESC LIMIT $6
), frontier AS MATERIALIZED (
	SELECT first, second FROM candidates WHERE n = $6 ORDER BY first DESC, second DESC LIMIT 1
), within AS (
	SELECT DISTINCT c.first, c.second, c.id FROM candidates c
	WHERE NOT EXISTS (SELECT FROM frontier f WHERE (c.first, c.second) < (f.first, f.second))
), found AS (
	SELECT w.first, w.second, r.record
	FROM (SELECT first, second, id FROM within ORDER BY first DESC, second DESC) AS w, LATERAL (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
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
			'became_credit', r.left_amount > (SELECT i.paid FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)) AS record
		FROM (SELECT * FROM payments r WHERE r.tenant_id = $1 AND r.id = w.id LIMIT 1) AS r
		WHERE removed_at IS NULL AND paid_on >= $4::date AND paid_on <= $5::date) AS r
	ORDER BY w.first DESC, w.second DESC LIMIT $7
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first DESC, second DESC) FROM found),
	'frontier', (SELECT json_build_array(first::text, second::text) FROM frontier));

-- payments, next page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT r.id, r.paid_on AS first, r.id AS second, row_number() OVER (ORDER BY r.paid_on DESC, r.id DESC) AS n
	FROM payments r
	WHERE r.tenant_id = $1 AND (r.paid_on, r.id) < ($2::date, $3::uuid) AND removed_at IS NULL AND paid_on >= $4::date AND paid_on <= $5::date
	ORDER BY r.paid_on DESC, r.id DESC LIMIT $6
), frontier AS MATERIALIZED (
	SELECT first, second FROM candidates WHERE n = $6 ORDER BY first DESC, second DESC LIMIT 1
), within AS (
	SELECT DISTINCT c.first, c.second, c.id FROM candidates c
	WHERE NOT EXISTS (SELECT FROM frontier f WHERE (c.first, c.second) < (f.first, f.second))
), found AS (
	SELECT w.first, w.second, r.record
	FROM (SELECT first, second, id FROM within ORDER BY first DESC, second DESC) AS w, LATERAL (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
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
			'became_credit', r.left_amount > (SELECT i.paid FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)) AS record
		FROM (SELECT * FROM payments r WHERE r.tenant_id = $1 AND r.id = w.id LIMIT 1) AS r
		WHERE removed_at IS NULL AND paid_on >= $4::date AND paid_on <= $5::date) AS r
	ORDER BY w.first DESC, w.second DESC LIMIT $7
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first DESC, second DESC) FROM found),
	'frontier', (SELECT json_build_array(first::text, second::text) FROM frontier));

-- payments, previous page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT r.id, r.paid_on AS first, r.id AS second, row_number() OVER (ORDER BY r.paid_on, r.id) AS n
	FROM payments r
	WHERE r.tenant_id = $1 AND (r.paid_on, r.id) > ($2::date, $3::uuid) AND removed_at IS NULL AND paid_on >= $4::date AND paid_on <= $5::date
	ORDER BY r.paid_on, r.id LIMIT $6
), frontier AS MATERIALIZED (
	SELECT first, second FROM candidates WHERE n = $6 ORDER BY first, second LIMIT 1
), within AS (
	SELECT DISTINCT c.first, c.second, c.id FROM candidates c
	WHERE NOT EXISTS (SELECT FROM frontier f WHERE (c.first, c.second) > (f.first, f.second))
), found AS (
	SELECT w.first, w.second, r.record
	FROM (SELECT first, second, id FROM within ORDER BY first, second) AS w, LATERAL (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
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
			'became_credit', r.left_amount > (SELECT i.paid FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)) AS record
		FROM (SELECT * FROM payments r WHERE r.tenant_id = $1 AND r.id = w.id LIMIT 1) AS r
		WHERE removed_at IS NULL AND paid_on >= $4::date AND paid_on <= $5::date) AS r
	ORDER BY w.first, w.second LIMIT $7
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first, second) FROM found),
	'frontier', (SELECT json_build_array(first::text, second::text) FROM frontier));

-- payments in a currency

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT r.id, r.paid_on AS first, r.id AS second, row_number() OVER (ORDER BY r.paid_on DESC, r.id DESC) AS n
	FROM payments r
	WHERE r.tenant_id = $1 AND (r.paid_on, r.id) < ($2::date, $3::uuid) AND removed_at IS NULL AND paid_on >= $4::date AND paid_on <= $5::date
	ORDER BY r.paid_on DESC, r.id DESC LIMIT $6
), frontier AS MATERIALIZED (
	SELECT first, second FROM candidates WHERE n = $6 ORDER BY first DESC, second DESC LIMIT 1
), within AS (
	SELECT DISTINCT c.first, c.second, c.id FROM candidates c
	WHERE NOT EXISTS (SELECT FROM frontier f WHERE (c.first, c.second) < (f.first, f.second))
), found AS (
	SELECT w.first, w.second, r.record
	FROM (SELECT first, second, id FROM within ORDER BY first DESC, second DESC) AS w, LATERAL (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
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
			'became_credit', r.left_amount > (SELECT i.paid FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)) AS record
		FROM (SELECT * FROM payments r WHERE r.tenant_id = $1 AND r.id = w.id LIMIT 1) AS r
		WHERE removed_at IS NULL AND paid_on >= $4::date AND paid_on <= $5::date AND (SELECT i.currency FROM invoices i WHERE i.tenant_id = $1 AND i.id = r.invoice_id LIMIT 1) = $7) AS r
	ORDER BY w.first DESC, w.second DESC LIMIT $8
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first DESC, second DESC) FROM found),
	'frontier', (SELECT json_build_array(first::text, second::text) FROM frontier));

-- payments, a search

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT
	word, expanded.whole, expanded.words, CASE WHEN crowd THEN '{}' ELSE others END, crowd,
	10 * cardinality(others) + (SELECT count(*) FROM (
			SELECT FROM unnest(expanded.words) AS each (word), LATERAL (
				SELECT FROM invoice_words w WHERE w.tenant_id = $1 AND w.word = each.word LIMIT 1000) AS w
			LIMIT 1000) AS bounded)
FROM (
	SELECT word COLLATE "C" AS word, n FROM unnest(search_words($2)) WITH ORDINALITY AS split (word, n)
	LIMIT 8) AS asked,
LATERAL (
	WITH RECURSIVE found AS (
		(SELECT w.word, 1 AS n FROM invoice_words w
			WHERE w.tenant_id = $1 AND w.word >= asked.word AND w.word < asked.word || chr(1114111)
			ORDER BY w.word LIMIT 1)
		UNION ALL
		SELECT (
			SELECT w.word FROM invoice_words w
			WHERE w.tenant_id = $1 AND w.word > found.word AND w.word < asked.word || chr(1114111)
			ORDER BY w.word LIMIT 1), n + 1
		FROM found WHERE found.word IS NOT NULL AND n <= 100)
	SELECT array_remove(array_agg(word), NULL) AS all_words, count(word) > 100 AS whole FROM found) AS begun,
LATERAL (
	SELECT CASE WHEN whole THEN ARRAY[asked.word] ELSE COALESCE(all_words, '{}') END AS words, whole) AS expanded,
LATERAL (SELECT ARRAY(
		SELECT customer_id FROM (
			SELECT customer_id FROM customer_words c
			WHERE c.tenant_id = $1 AND c.word >= asked.word AND c.word < asked.word || chr(1114111)
			LIMIT 100 + 1) AS bounded) AS others) AS of_others,
LATERAL (SELECT cardinality(others) > 100 AS crowd) AS counted
ORDER BY n;

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT id FROM ((
			SELECT b.id FROM unnest(ARRAY[$1::text, upper($1), lower($1)]) AS each (text), LATERAL (
				SELECT id FROM payments r
				WHERE tenant_id = $2 AND reference >= each.text AND reference < each.text || chr(1114111) AND removed_at IS NULL LIMIT 1001
			) AS b) UNION ALL (
			SELECT b.id FROM unnest(ARRAY[$1::text, upper($1), lower($1)]) AS each (text), LATERAL (
				SELECT id FROM receipts r
				WHERE tenant_id = $2 AND reference >= each.text AND reference < each.text || chr(1114111) LIMIT 1001
			) AS its, LATERAL (
				SELECT id FROM payments WHERE tenant_id = $2 AND receipt_id = its.id AND removed_at IS NULL LIMIT 1001) AS b) UNION ALL (
			SELECT b.id FROM unnest($3::text[], $4::text[]) AS each (provider, text), LATERAL (
				SELECT id FROM payments r
				WHERE tenant_id = $2 AND r.provider_folded = fold_text(each.provider) AND reference >= each.text AND reference < each.text || chr(1114111) AND removed_at IS NULL LIMIT 1001
			) AS b) UNION ALL (
			SELECT b.id FROM unnest($3::text[], $4::text[]) AS each (provider, text), LATERAL (
				SELECT id FROM receipts r
				WHERE tenant_id = $2 AND r.provider_folded = fold_text(each.provider) AND reference >= each.text AND reference < each.text || chr(1114111) LIMIT 1001
			) AS its, LATERAL (
				SELECT id FROM payments WHERE tenant_id = $2 AND receipt_id = its.id AND removed_at IS NULL LIMIT 1001) AS b) UNION ALL (
			WITH records AS MATERIALIZED (SELECT id FROM (
					SELECT w.invoice_id AS id FROM unnest($5::text[]) AS each (word), LATERAL (
						SELECT w.invoice_id FROM invoice_words w WHERE w.tenant_id = $2 AND w.word = each.word LIMIT 1001) AS w
					UNION ALL
					SELECT r.id FROM unnest($6::uuid[]) AS each (other), LATERAL (
						SELECT r.id FROM invoices r WHERE r.tenant_id = $2 AND r.customer_id = each.other LIMIT 1001) AS r) AS streams LIMIT 1001)
			SELECT id FROM records WHERE (SELECT count(*) FROM records) = 1001
			UNION ALL
			SELECT rows.id FROM (SELECT DISTINCT id FROM records) AS of_record, LATERAL (
				SELECT id FROM payments b WHERE b.tenant_id = $2 AND b.invoice_id = of_record.id LIMIT 1001) AS rows)) AS streams LIMIT 1001
), picked AS (
	SELECT r.first, r.second, c.id
	FROM (SELECT DISTINCT id FROM candidates) AS c, LATERAL (
		SELECT r.paid_on AS first, r.id AS second
		FROM (SELECT * FROM payments r WHERE r.tenant_id = $2 AND r.id = c.id LIMIT 1) AS r
		WHERE (r.paid_on, r.id) < ($7::date, $8::uuid) AND removed_at IS NULL AND paid_on >= $9::date AND paid_on <= $10::date AND ((SELECT true FROM unnest(ARRAY[$1::text, upper($1), lower($1)]) AS each (text) WHERE r.reference >= each.text AND r.reference < each.text || chr(1114111) LIMIT 1) OR (
				SELECT true FROM (
					SELECT reference, provider_folded FROM receipts WHERE tenant_id = $2 AND id = r.receipt_id LIMIT 1) AS r, LATERAL (
					SELECT FROM unnest(ARRAY[$1::text, upper($1), lower($1)]) AS each (text) WHERE r.reference >= each.text AND r.reference < each.text || chr(1114111) LIMIT 1) AS found) OR (SELECT true FROM unnest($3::text[], $4::text[]) AS each (provider, text) WHERE r.reference >= each.text AND r.reference < each.text || chr(1114111) AND r.provider_folded = fold_text(each.provider) LIMIT 1) OR (
				SELECT true FROM (
					SELECT reference, provider_folded FROM receipts WHERE tenant_id = $2 AND id = r.receipt_id LIMIT 1) AS r, LATERAL (
					SELECT FROM unnest($3::text[], $4::text[]) AS each (provider, text) WHERE r.reference >= each.text AND r.reference < each.text || chr(1114111) AND r.provider_folded = fold_text(each.provider) LIMIT 1) AS found) OR (
				SELECT true FROM (SELECT r.invoice_id AS id) AS its, LATERAL (
					SELECT FROM invoices r WHERE r.tenant_id = $2 AND r.id = its.id AND NOT EXISTS (SELECT FROM generate_series(1, $11::integer) AS term WHERE NOT EXISTS (
							SELECT FROM unnest($12::text[], $13::integer[]) AS t (word, n)
							WHERE t.n = term AND (
								SELECT true FROM invoice_words w
								WHERE w.tenant_id = $2 AND w.word = t.word AND w.issue_date = r.issue_date AND w.invoice_id = r.id LIMIT 1)) AND NOT EXISTS (
							SELECT FROM unnest($14::uuid[], $15::integer[]) AS t (other, n)
							WHERE t.n = term AND t.other = r.customer_id)) LIMIT 1) AS found))) AS r
	ORDER BY r.first DESC, r.second DESC LIMIT $16
), found AS (
	SELECT p.first, p.second, (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
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
			'became_credit', r.left_amount > (SELECT i.paid FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)) FROM payments r WHERE r.tenant_id = $2 AND r.id = p.id LIMIT 1) AS record
	FROM picked p
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first DESC, second DESC) FROM found),
	'too_many', (SELECT count(*) = 1001 FROM candidates));

-- payments, an amount and a word

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT
	word, expanded.whole, expanded.words, CASE WHEN crowd THEN '{}' ELSE others END, crowd,
	10 * cardinality(others) + (SELECT count(*) FROM (
			SELECT FROM unnest(expanded.words) AS each (word), LATERAL (
				SELECT FROM invoice_words w WHERE w.tenant_id = $1 AND w.word = each.word LIMIT 1000) AS w
			LIMIT 1000) AS bounded)
FROM (
	SELECT word COLLATE "C" AS word, n FROM unnest(search_words($2)) WITH ORDINALITY AS split (word, n)
	LIMIT 8) AS asked,
LATERAL (
	WITH RECURSIVE found AS (
		(SELECT w.word, 1 AS n FROM invoice_words w
			WHERE w.tenant_id = $1 AND w.word >= asked.word AND w.word < asked.word || chr(1114111)
			ORDER BY w.word LIMIT 1)
		UNION ALL
		SELECT (
			SELECT w.word FROM invoice_words w
			WHERE w.tenant_id = $1 AND w.word > found.word AND w.word < asked.word || chr(1114111)
			ORDER BY w.word LIMIT 1), n + 1
		FROM found WHERE found.word IS NOT NULL AND n <= 100)
	SELECT array_remove(array_agg(word), NULL) AS all_words, count(word) > 100 AS whole FROM found) AS begun,
LATERAL (
	SELECT CASE WHEN whole THEN ARRAY[asked.word] ELSE COALESCE(all_words, '{}') END AS words, whole) AS expanded,
LATERAL (SELECT ARRAY(
		SELECT customer_id FROM (
			SELECT customer_id FROM customer_words c
			WHERE c.tenant_id = $1 AND c.word >= asked.word AND c.word < asked.word || chr(1114111)
			LIMIT 100 + 1) AS bounded) AS others) AS of_others,
LATERAL (SELECT cardinality(others) > 100 AS crowd) AS counted
ORDER BY n;

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT id FROM ((
			SELECT b.id FROM unnest(ARRAY[$1::text, upper($1), lower($1)]) AS each (text), LATERAL (
				SELECT id FROM payments r
				WHERE tenant_id = $2 AND reference >= each.text AND reference < each.text || chr(1114111) AND removed_at IS NULL LIMIT 1001
			) AS b) UNION ALL (
			SELECT b.id FROM unnest(ARRAY[$1::text, upper($1), lower($1)]) AS each (text), LATERAL (
				SELECT id FROM receipts r
				WHERE tenant_id = $2 AND reference >= each.text AND reference < each.text || chr(1114111) LIMIT 1001
			) AS its, LATERAL (
				SELECT id FROM payments WHERE tenant_id = $2 AND receipt_id = its.id AND removed_at IS NULL LIMIT 1001) AS b) UNION ALL (
			SELECT b.id FROM unnest($3::text[], $4::text[]) AS each (provider, text), LATERAL (
				SELECT id FROM payments r
				WHERE tenant_id = $2 AND r.provider_folded = fold_text(each.provider) AND reference >= each.text AND reference < each.text || chr(1114111) AND removed_at IS NULL LIMIT 1001
			) AS b) UNION ALL (
			SELECT b.id FROM unnest($3::text[], $4::text[]) AS each (provider, text), LATERAL (
				SELECT id FROM receipts r
				WHERE tenant_id = $2 AND r.provider_folded = fold_text(each.provider) AND reference >= each.text AND reference < each.text || chr(1114111) LIMIT 1001
			) AS its, LATERAL (
				SELECT id FROM payments WHERE tenant_id = $2 AND receipt_id = its.id AND removed_at IS NULL LIMIT 1001) AS b) UNION ALL (
			SELECT b.id FROM (SELECT DISTINCT unnest($5::bigint[]) AS amount) AS each, LATERAL (
				SELECT id FROM receipts
				WHERE tenant_id = $2 AND amount >= each.amount AND amount <= each.amount LIMIT 1001) AS its, LATERAL (
				SELECT id FROM payments WHERE tenant_id = $2 AND receipt_id = its.id AND removed_at IS NULL LIMIT 1001) AS b) UNION ALL (
			SELECT b.id FROM (SELECT DISTINCT unnest($5::bigint[]) AS amount) AS each, LATERAL (
				SELECT id FROM payments
				WHERE tenant_id = $2 AND amount >= each.amount AND amount <= each.amount AND removed_at IS NULL LIMIT 1001) AS b)) AS streams LIMIT 1001
), picked AS (
	SELECT r.first, r.second, c.id
	FROM (SELECT DISTINCT id FROM candidates) AS c, LATERAL (
		SELECT r.paid_on AS first, r.id AS second
		FROM (SELECT * FROM payments r WHERE r.tenant_id = $2 AND r.id = c.id LIMIT 1) AS r
		WHERE (r.paid_on, r.id) < ($6::date, $7::uuid) AND removed_at IS NULL AND paid_on >= $8::date AND paid_on <= $9::date AND ((SELECT true FROM unnest(ARRAY[$1::text, upper($1), lower($1)]) AS each (text) WHERE r.reference >= each.text AND r.reference < each.text || chr(1114111) LIMIT 1) OR (
				SELECT true FROM (
					SELECT reference, provider_folded FROM receipts WHERE tenant_id = $2 AND id = r.receipt_id LIMIT 1) AS r, LATERAL (
					SELECT FROM unnest(ARRAY[$1::text, upper($1), lower($1)]) AS each (text) WHERE r.reference >= each.text AND r.reference < each.text || chr(1114111) LIMIT 1) AS found) OR (SELECT true FROM unnest($3::text[], $4::text[]) AS each (provider, text) WHERE r.reference >= each.text AND r.reference < each.text || chr(1114111) AND r.provider_folded = fold_text(each.provider) LIMIT 1) OR (
				SELECT true FROM (
					SELECT reference, provider_folded FROM receipts WHERE tenant_id = $2 AND id = r.receipt_id LIMIT 1) AS r, LATERAL (
					SELECT FROM unnest($3::text[], $4::text[]) AS each (provider, text) WHERE r.reference >= each.text AND r.reference < each.text || chr(1114111) AND r.provider_folded = fold_text(each.provider) LIMIT 1) AS found) OR ((
					SELECT true FROM unnest($5::bigint[], $10::text[]) AS a (amount, currency)
					WHERE a.amount = r.amount AND a.currency = (SELECT i.currency FROM invoices i WHERE i.tenant_id = $2 AND i.id = r.invoice_id LIMIT 1) LIMIT 1) OR (
					SELECT true FROM (SELECT amount AS amount FROM receipts WHERE tenant_id = $2 AND id = r.receipt_id LIMIT 1) AS its,
					unnest($5::bigint[], $10::text[]) AS a (amount, currency)
					WHERE a.amount = its.amount AND a.currency = (SELECT i.currency FROM invoices i WHERE i.tenant_id = $2 AND i.id = r.invoice_id LIMIT 1) LIMIT 1)) AND (
				SELECT true FROM (SELECT r.invoice_id AS id) AS its, LATERAL (
					SELECT FROM invoices r WHERE r.tenant_id = $2 AND r.id = its.id AND NOT EXISTS (SELECT FROM generate_series(1, $11::integer) AS term WHERE NOT EXISTS (
							SELECT FROM unnest($12::text[], $13::integer[]) AS t (word, n)
							WHERE t.n = term AND (
								SELECT true FROM invoice_words w
								WHERE w.tenant_id = $2 AND w.word = t.word AND w.issue_date = r.issue_date AND w.invoice_id = r.id LIMIT 1)) AND NOT EXISTS (
							SELECT FROM unnest($14::uuid[], $15::integer[]) AS t (other, n)
							WHERE t.n = term AND t.other = r.customer_id)) LIMIT 1) AS found))) AS r
	ORDER BY r.first DESC, r.second DESC LIMIT $16
), found AS (
	SELECT p.first, p.second, (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
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
			'became_credit', r.left_amount > (SELECT i.paid FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)) FROM payments r WHERE r.tenant_id = $2 AND r.id = p.id LIMIT 1) AS record
	FROM picked p
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first DESC, second DESC) FROM found),
	'too_many', (SELECT count(*) = 1001 FROM candidates));

-- payments of an invoice

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'invoice_id', r.invoice_id, 'receipt_id', r.receipt_id, 'amount', r.amount, 'refunded', r.refunded, 'left', r.left_amount,
		'date', r.paid_on, 'method', r.method,
		'removed_at', r.removed_at, 'provider', COALESCE(r.provider, ''), 'reference', COALESCE(r.reference, ''),
		'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
		'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) AS json FROM payments r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.invoice_id = $3
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $4;
