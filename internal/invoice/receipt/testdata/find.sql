-- Written by: make sql

-- sums of a filter

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT
	word, expanded.whole, expanded.words, CASE WHEN crowd THEN '{}' ELSE others END, crowd,
	10 * cardinality(others) + (SELECT count(*) FROM (
			SELECT FROM unnest(expanded.words) AS each (word), LATERAL (
				SELECT FROM customer_words w WHERE w.tenant_id = $1 AND w.word = each.word LIMIT 1000) AS w
			LIMIT 1000) AS bounded)
FROM (
	SELECT word COLLATE "C" AS word, n FROM unnest(search_words($2)) WITH ORDINALITY AS split (word, n)
	LIMIT 8) AS asked,
LATERAL (
	WITH RECURSIVE found AS (
		(SELECT w.word, 1 AS n FROM customer_words w
			WHERE w.tenant_id = $1 AND w.word >= asked.word AND w.word < asked.word || chr(1114111)
			ORDER BY w.word LIMIT 1)
		UNION ALL
		SELECT (
			SELECT w.word FROM customer_words w
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
				SELECT id FROM receipts r
				WHERE tenant_id = $2 AND reference >= each.text AND reference < each.text || chr(1114111) AND true LIMIT 1001
			) AS b) UNION ALL (
			SELECT b.id FROM unnest($3::text[], $4::text[]) AS each (provider, text), LATERAL (
				SELECT id FROM receipts r
				WHERE tenant_id = $2 AND r.provider_folded = fold_text(each.provider) AND reference >= each.text AND reference < each.text || chr(1114111) AND true LIMIT 1001
			) AS b) UNION ALL (
			WITH records AS MATERIALIZED (SELECT id FROM (
					SELECT w.customer_id AS id FROM unnest($5::text[]) AS each (word), LATERAL (
						SELECT w.customer_id FROM customer_words w WHERE w.tenant_id = $2 AND w.word = each.word LIMIT 1001) AS w
					UNION ALL
					SELECT r.id FROM unnest($6::uuid[]) AS each (other), LATERAL (
						SELECT r.id FROM receipts r WHERE r.tenant_id = $2 AND r.customer_id = each.other LIMIT 1001) AS r) AS streams LIMIT 1001)
			SELECT id FROM records WHERE (SELECT count(*) FROM records) = 1001
			UNION ALL
			SELECT rows.id FROM (SELECT DISTINCT id FROM records) AS of_record, LATERAL (
				SELECT id FROM receipts b WHERE b.tenant_id = $2 AND b.id = of_record.id LIMIT 1001) AS rows)) AS streams LIMIT 1001
), picked AS (
	SELECT r.first, r.second, c.id
	FROM (SELECT DISTINCT id FROM candidates) AS c, LATERAL (
		SELECT r.received_on AS first, r.id AS second
		FROM (SELECT * FROM receipts r WHERE r.tenant_id = $2 AND r.id = c.id LIMIT 1) AS r
		WHERE (r.received_on, r.id) < ($7::date, $8::uuid) AND true AND received_on >= $9::date AND received_on <= $10::date AND ((SELECT true FROM unnest(ARRAY[$1::text, upper($1), lower($1)]) AS each (text) WHERE r.reference >= each.text AND r.reference < each.text || chr(1114111) LIMIT 1) OR (SELECT true FROM unnest($3::text[], $4::text[]) AS each (provider, text) WHERE r.reference >= each.text AND r.reference < each.text || chr(1114111) AND r.provider_folded = fold_text(each.provider) LIMIT 1) OR (
				SELECT true FROM (SELECT r.id AS id) AS its, LATERAL (
					SELECT FROM receipts r WHERE r.tenant_id = $2 AND r.id = its.id AND NOT EXISTS (SELECT FROM generate_series(1, $11::integer) AS term WHERE NOT EXISTS (
							SELECT FROM unnest($12::text[], $13::integer[]) AS t (word, n)
							WHERE t.n = term AND (
								SELECT true FROM customer_words w
								WHERE w.tenant_id = $2 AND w.word = t.word AND w.customer_id = r.customer_id AND w.customer_id = r.id LIMIT 1)) AND NOT EXISTS (
							SELECT FROM unnest($14::uuid[], $15::integer[]) AS t (other, n)
							WHERE t.n = term AND t.other = r.customer_id)) LIMIT 1) AS found))) AS r
	ORDER BY r.first DESC, r.second DESC LIMIT $16
), found AS (
	SELECT p.first, p.second, (SELECT json_build_object('currency', r.currency, 'amounts', json_strip_nulls(json_build_object(
					CASE WHEN r.credit_note_id IS NULL THEN 'received' ELSE 'credited' END, CASE WHEN r.removed_at IS NULL THEN r.amount END,
					'left', NULLIF(r.left_amount, 0)))) FROM receipts r WHERE r.tenant_id = $2 AND r.id = p.id LIMIT 1) AS record
	FROM picked p
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first DESC, second DESC) FROM found),
	'too_many', (SELECT count(*) = 1001 FROM candidates));

-- open invoices of a customer

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, number, due_date, open_amount FROM invoices
WHERE tenant_id = $1 AND customer_id = $2 AND state IN ('issued', 'partially_paid') AND currency = $3
ORDER BY due_date, id LIMIT 50;

-- credit for an invoice

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT (SELECT name FROM customers c WHERE c.tenant_id = $1 AND c.id = r.customer_id), id, left_amount, total, receipts
FROM (
	SELECT customer_id, id, received_on, left_amount, sum(left_amount) OVER () AS total, count(*) OVER () AS receipts
	FROM receipts
	WHERE tenant_id = $1 AND left_amount > 0 AND (customer_id, currency) = (
		SELECT i.customer_id, i.currency FROM invoices i WHERE i.tenant_id = $1 AND i.id = $2)
	ORDER BY customer_id, id) AS r
ORDER BY received_on, id LIMIT 1;

-- receipt

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
	'customer', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM customers referred
		WHERE referred.tenant_id = r.tenant_id AND referred.id = r.customer_id), 'currency', r.currency, 'amount', r.amount, 'allocated', r.allocated,
	'repaid', r.repaid, 'left', r.left_amount, 'date', r.received_on, 'method', r.method, 'provider', COALESCE(r.provider, ''),
	'reference', COALESCE(r.reference, ''), 'removed_at', r.removed_at,
	'credit_note', (
		SELECT json_build_object('id', n.id, 'name', n.number) FROM credit_notes n
		WHERE n.tenant_id = r.tenant_id AND n.id = r.credit_note_id)) FROM receipts r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;

-- repayment

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
	'receipt_id', r.receipt_id, 'amount', r.amount, 'date', r.repaid_on, 'reference', r.reference,
	'removed_at', r.removed_at,
	'currency', (SELECT c.currency FROM receipts c WHERE c.tenant_id = r.tenant_id AND c.id = r.receipt_id)) FROM repayments r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;
