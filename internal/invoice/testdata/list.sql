-- Written by: make sql

-- invoices, a search

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
	SELECT stream.id, stream.first, stream.second, stream.n FROM unnest($1::text[]) AS each (word), LATERAL (
		SELECT w.invoice_id AS id, w.issue_date AS first, w.invoice_id AS second,
		row_number() OVER (ORDER BY w.issue_date DESC, w.invoice_id DESC) AS n
		FROM invoice_words w
		WHERE w.tenant_id = $2 AND w.word = each.word AND (w.issue_date, w.invoice_id) < ($3::date, $4::uuid) AND issue_date >= $5::date AND issue_date <= $6::date
		ORDER BY w.issue_date DESC, w.invoice_id DESC LIMIT $7) AS stream
	UNION ALL
	SELECT stream.id, stream.first, stream.second, stream.n FROM unnest($8::uuid[]) AS each (other), LATERAL (
		SELECT r.id, r.issue_date AS first, r.id AS second, row_number() OVER (ORDER BY r.issue_date DESC, r.id DESC) AS n
		FROM invoices r
		WHERE r.tenant_id = $2 AND r.customer_id = each.other AND (r.issue_date, r.id) < ($3::date, $4::uuid) AND issue_date >= $5::date AND issue_date <= $6::date
		ORDER BY r.issue_date DESC, r.id DESC LIMIT $7) AS stream
), frontier AS MATERIALIZED (
	SELECT first, second FROM candidates WHERE n = $7 ORDER BY first DESC, second DESC LIMIT 1
), within AS (
	SELECT DISTINCT c.first, c.second, c.id FROM candidates c
	WHERE NOT EXISTS (SELECT FROM frontier f WHERE (c.first, c.second) < (f.first, f.second))
), found AS (
	SELECT w.first, w.second, r.record
	FROM (SELECT first, second, id FROM within ORDER BY first DESC, second DESC) AS w, LATERAL (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'number', r.number, 'status', r.state,
			'customer', (
				SELECT json_build_object('id', c.id, 'email', c.email, 'name', c.name)
				FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1),
			'currency', r.currency, 'issue_date', r.issue_date, 'due_date', r.due_date, 'subtotal', r.subtotal,
			'tax_total', r.tax_total, 'total', r.total, 'credited', r.credited, 'open', CASE WHEN r.state IN ('draft', 'void') THEN 0 ELSE r.open_amount END,
			'tax_id', COALESCE(r.bill_to->>'tax_id', (
					SELECT c.tax_id FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1)),
			'mail_failed', COALESCE((
					SELECT m.state = 'failed' AND CASE m.kind
					WHEN 'void' THEN true WHEN 'invoice' THEN r.state <> 'void' ELSE r.state IN ('issued', 'partially_paid') END
					FROM mails m WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.id DESC LIMIT 1), false),
			'last_reminder', (
				SELECT json_build_object('level', m.level, 'sent_on', m.sent_on, 'unsent', (
						SELECT e.state = 'failed' OR e.kept FROM mails e
						WHERE e.tenant_id = m.tenant_id AND e.invoice_id = m.invoice_id AND e.kind = 'reminder_' || m.level
						AND e.kind IN ('reminder_1', 'reminder_2', 'reminder_3') -- as in the index
						ORDER BY e.id DESC LIMIT 1))
				FROM invoice_reminders m
				WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.level DESC LIMIT 1),
			'late', CASE WHEN r.state IN ('issued', 'partially_paid') AND r.due_date < (SELECT business_day()) THEN (SELECT business_day()) - r.due_date ELSE 0 END) AS record
		FROM (SELECT * FROM invoices r WHERE r.tenant_id = $2 AND r.id = w.id LIMIT 1) AS r
		WHERE r.state = ANY ($9::text[]) AND r.issue_date >= $5::date AND r.issue_date <= $6::date
		AND r.due_date < $10::date) AS r
	ORDER BY w.first DESC, w.second DESC LIMIT $11
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first DESC, second DESC) FROM found),
	'frontier', (SELECT json_build_array(first::text, second::text) FROM frontier));

-- invoices, a search for two words

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
	SELECT stream.id, stream.first, stream.second, stream.n FROM unnest($1::text[]) AS each (word), LATERAL (
		SELECT w.invoice_id AS id, w.issue_date AS first, w.invoice_id AS second,
		row_number() OVER (ORDER BY w.issue_date DESC, w.invoice_id DESC) AS n
		FROM invoice_words w
		WHERE w.tenant_id = $2 AND w.word = each.word AND (w.issue_date, w.invoice_id) < ($3::date, $4::uuid) AND issue_date >= $5::date AND issue_date <= $6::date
		ORDER BY w.issue_date DESC, w.invoice_id DESC LIMIT $7) AS stream
	UNION ALL
	SELECT stream.id, stream.first, stream.second, stream.n FROM unnest($8::uuid[]) AS each (other), LATERAL (
		SELECT r.id, r.issue_date AS first, r.id AS second, row_number() OVER (ORDER BY r.issue_date DESC, r.id DESC) AS n
		FROM invoices r
		WHERE r.tenant_id = $2 AND r.customer_id = each.other AND (r.issue_date, r.id) < ($3::date, $4::uuid) AND issue_date >= $5::date AND issue_date <= $6::date
		ORDER BY r.issue_date DESC, r.id DESC LIMIT $7) AS stream
), frontier AS MATERIALIZED (
	SELECT first, second FROM candidates WHERE n = $7 ORDER BY first DESC, second DESC LIMIT 1
), within AS (
	SELECT DISTINCT c.first, c.second, c.id FROM candidates c
	WHERE NOT EXISTS (SELECT FROM frontier f WHERE (c.first, c.second) < (f.first, f.second))
), found AS (
	SELECT w.first, w.second, r.record
	FROM (SELECT first, second, id FROM within ORDER BY first DESC, second DESC) AS w, LATERAL (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'number', r.number, 'status', r.state,
			'customer', (
				SELECT json_build_object('id', c.id, 'email', c.email, 'name', c.name)
				FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1),
			'currency', r.currency, 'issue_date', r.issue_date, 'due_date', r.due_date, 'subtotal', r.subtotal,
			'tax_total', r.tax_total, 'total', r.total, 'credited', r.credited, 'open', CASE WHEN r.state IN ('draft', 'void') THEN 0 ELSE r.open_amount END,
			'tax_id', COALESCE(r.bill_to->>'tax_id', (
					SELECT c.tax_id FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1)),
			'mail_failed', COALESCE((
					SELECT m.state = 'failed' AND CASE m.kind
					WHEN 'void' THEN true WHEN 'invoice' THEN r.state <> 'void' ELSE r.state IN ('issued', 'partially_paid') END
					FROM mails m WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.id DESC LIMIT 1), false),
			'last_reminder', (
				SELECT json_build_object('level', m.level, 'sent_on', m.sent_on, 'unsent', (
						SELECT e.state = 'failed' OR e.kept FROM mails e
						WHERE e.tenant_id = m.tenant_id AND e.invoice_id = m.invoice_id AND e.kind = 'reminder_' || m.level
						AND e.kind IN ('reminder_1', 'reminder_2', 'reminder_3') -- as in the index
						ORDER BY e.id DESC LIMIT 1))
				FROM invoice_reminders m
				WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.level DESC LIMIT 1),
			'late', CASE WHEN r.state IN ('issued', 'partially_paid') AND r.due_date < (SELECT business_day()) THEN (SELECT business_day()) - r.due_date ELSE 0 END) AS record
		FROM (SELECT * FROM invoices r WHERE r.tenant_id = $2 AND r.id = w.id LIMIT 1) AS r
		WHERE r.state = ANY ($9::text[]) AND r.issue_date >= $5::date AND r.issue_date <= $6::date
		AND r.due_date < $10::date AND NOT EXISTS (SELECT FROM generate_series(1, $11::integer) AS term WHERE NOT EXISTS (
				SELECT FROM unnest($12::text[], $13::integer[]) AS t (word, n)
				WHERE t.n = term AND (
					SELECT true FROM invoice_words w
					WHERE w.tenant_id = $2 AND w.word = t.word AND w.issue_date = r.issue_date AND w.invoice_id = r.id LIMIT 1)) AND NOT EXISTS (
				SELECT FROM unnest($14::uuid[], $15::integer[]) AS t (other, n)
				WHERE t.n = term AND t.other = r.customer_id))) AS r
	ORDER BY w.first DESC, w.second DESC LIMIT $16
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first DESC, second DESC) FROM found),
	'frontier', (SELECT json_build_array(first::text, second::text) FROM frontier));

-- overdue invoices

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT id FROM (
		SELECT stream.id FROM unnest($1::text[]) AS each (state), LATERAL (
			SELECT r.id FROM invoices r WHERE r.tenant_id = $2 AND r.state = each.state AND due_date < $3::date LIMIT 1001) AS stream) AS streams LIMIT 1001
), picked AS (
	SELECT r.first, r.second, c.id
	FROM (SELECT DISTINCT id FROM candidates) AS c, LATERAL (
		SELECT r.issue_date AS first, r.id AS second
		FROM (SELECT * FROM invoices r WHERE r.tenant_id = $2 AND r.id = c.id LIMIT 1) AS r
		WHERE (r.issue_date, r.id) < ($4::date, $5::uuid) AND r.state = ANY ($1::text[]) AND r.issue_date >= $6::date AND r.issue_date <= $7::date
		AND r.due_date < $3::date) AS r
	ORDER BY r.first DESC, r.second DESC LIMIT $8
), found AS (
	SELECT p.first, p.second, (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'number', r.number, 'status', r.state,
			'customer', (
				SELECT json_build_object('id', c.id, 'email', c.email, 'name', c.name)
				FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1),
			'currency', r.currency, 'issue_date', r.issue_date, 'due_date', r.due_date, 'subtotal', r.subtotal,
			'tax_total', r.tax_total, 'total', r.total, 'credited', r.credited, 'open', CASE WHEN r.state IN ('draft', 'void') THEN 0 ELSE r.open_amount END,
			'tax_id', COALESCE(r.bill_to->>'tax_id', (
					SELECT c.tax_id FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1)),
			'mail_failed', COALESCE((
					SELECT m.state = 'failed' AND CASE m.kind
					WHEN 'void' THEN true WHEN 'invoice' THEN r.state <> 'void' ELSE r.state IN ('issued', 'partially_paid') END
					FROM mails m WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.id DESC LIMIT 1), false),
			'last_reminder', (
				SELECT json_build_object('level', m.level, 'sent_on', m.sent_on, 'unsent', (
						SELECT e.state = 'failed' OR e.kept FROM mails e
						WHERE e.tenant_id = m.tenant_id AND e.invoice_id = m.invoice_id AND e.kind = 'reminder_' || m.level
						AND e.kind IN ('reminder_1', 'reminder_2', 'reminder_3') -- as in the index
						ORDER BY e.id DESC LIMIT 1))
				FROM invoice_reminders m
				WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.level DESC LIMIT 1),
			'late', CASE WHEN r.state IN ('issued', 'partially_paid') AND r.due_date < (SELECT business_day()) THEN (SELECT business_day()) - r.due_date ELSE 0 END) FROM invoices r WHERE r.tenant_id = $2 AND r.id = p.id LIMIT 1) AS record
	FROM picked p
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first DESC, second DESC) FROM found),
	'too_many', (SELECT count(*) = 1001 FROM candidates));

-- invoices of a customer

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT stream.id, stream.first, stream.second, stream.n FROM unnest($1::text[]) AS each (word), LATERAL (
		SELECT w.invoice_id AS id, w.issue_date AS first, w.invoice_id AS second,
		row_number() OVER (ORDER BY w.issue_date DESC, w.invoice_id DESC) AS n
		FROM invoice_words w
		WHERE w.tenant_id = $2 AND w.word = each.word AND (w.issue_date, w.invoice_id) < ($3::date, $4::uuid) AND issue_date >= $5::date AND issue_date <= $6::date
		ORDER BY w.issue_date DESC, w.invoice_id DESC LIMIT $7) AS stream
	UNION ALL
	SELECT stream.id, stream.first, stream.second, stream.n FROM unnest($8::uuid[]) AS each (other), LATERAL (
		SELECT r.id, r.issue_date AS first, r.id AS second, row_number() OVER (ORDER BY r.issue_date DESC, r.id DESC) AS n
		FROM invoices r
		WHERE r.tenant_id = $2 AND r.customer_id = each.other AND (r.issue_date, r.id) < ($3::date, $4::uuid) AND issue_date >= $5::date AND issue_date <= $6::date
		ORDER BY r.issue_date DESC, r.id DESC LIMIT $7) AS stream
), frontier AS MATERIALIZED (
	SELECT first, second FROM candidates WHERE n = $7 ORDER BY first DESC, second DESC LIMIT 1
), within AS (
	SELECT DISTINCT c.first, c.second, c.id FROM candidates c
	WHERE NOT EXISTS (SELECT FROM frontier f WHERE (c.first, c.second) < (f.first, f.second))
), found AS (
	SELECT w.first, w.second, r.record
	FROM (SELECT first, second, id FROM within ORDER BY first DESC, second DESC) AS w, LATERAL (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'number', r.number, 'status', r.state,
			'customer', (
				SELECT json_build_object('id', c.id, 'email', c.email, 'name', c.name)
				FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1),
			'currency', r.currency, 'issue_date', r.issue_date, 'due_date', r.due_date, 'subtotal', r.subtotal,
			'tax_total', r.tax_total, 'total', r.total, 'credited', r.credited, 'open', CASE WHEN r.state IN ('draft', 'void') THEN 0 ELSE r.open_amount END,
			'tax_id', COALESCE(r.bill_to->>'tax_id', (
					SELECT c.tax_id FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1)),
			'mail_failed', COALESCE((
					SELECT m.state = 'failed' AND CASE m.kind
					WHEN 'void' THEN true WHEN 'invoice' THEN r.state <> 'void' ELSE r.state IN ('issued', 'partially_paid') END
					FROM mails m WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.id DESC LIMIT 1), false),
			'last_reminder', (
				SELECT json_build_object('level', m.level, 'sent_on', m.sent_on, 'unsent', (
						SELECT e.state = 'failed' OR e.kept FROM mails e
						WHERE e.tenant_id = m.tenant_id AND e.invoice_id = m.invoice_id AND e.kind = 'reminder_' || m.level
						AND e.kind IN ('reminder_1', 'reminder_2', 'reminder_3') -- as in the index
						ORDER BY e.id DESC LIMIT 1))
				FROM invoice_reminders m
				WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.level DESC LIMIT 1),
			'late', CASE WHEN r.state IN ('issued', 'partially_paid') AND r.due_date < (SELECT business_day()) THEN (SELECT business_day()) - r.due_date ELSE 0 END) AS record
		FROM (SELECT * FROM invoices r WHERE r.tenant_id = $2 AND r.id = w.id LIMIT 1) AS r
		WHERE r.state = ANY ($9::text[]) AND r.issue_date >= $5::date AND r.issue_date <= $6::date
		AND r.due_date < $10::date) AS r
	ORDER BY w.first DESC, w.second DESC LIMIT $11
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first DESC, second DESC) FROM found),
	'frontier', (SELECT json_build_array(first::text, second::text) FROM frontier));

-- invoices of some days

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT stream.id, stream.first, stream.second, stream.n FROM unnest($1::text[]) AS each (state), LATERAL (
		SELECT r.id, r.issue_date AS first, r.id AS second, row_number() OVER (ORDER BY r.issue_date DESC, r.id DESC) AS n
		FROM invoices r
		WHERE r.tenant_id = $2 AND r.state = each.state AND (r.issue_date, r.id) < ($3::date, $4::uuid) AND issue_date >= $5::date AND issue_date <= $6::date
		ORDER BY r.issue_date DESC, r.id DESC LIMIT $7) AS stream
), frontier AS MATERIALIZED (
	SELECT first, second FROM candidates WHERE n = $7 ORDER BY first DESC, second DESC LIMIT 1
), within AS (
	SELECT DISTINCT c.first, c.second, c.id FROM candidates c
	WHERE NOT EXISTS (SELECT FROM frontier f WHERE (c.first, c.second) < (f.first, f.second))
), found AS (
	SELECT w.first, w.second, r.record
	FROM (SELECT first, second, id FROM within ORDER BY first DESC, second DESC) AS w, LATERAL (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'number', r.number, 'status', r.state,
			'customer', (
				SELECT json_build_object('id', c.id, 'email', c.email, 'name', c.name)
				FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1),
			'currency', r.currency, 'issue_date', r.issue_date, 'due_date', r.due_date, 'subtotal', r.subtotal,
			'tax_total', r.tax_total, 'total', r.total, 'credited', r.credited, 'open', CASE WHEN r.state IN ('draft', 'void') THEN 0 ELSE r.open_amount END,
			'tax_id', COALESCE(r.bill_to->>'tax_id', (
					SELECT c.tax_id FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1)),
			'mail_failed', COALESCE((
					SELECT m.state = 'failed' AND CASE m.kind
					WHEN 'void' THEN true WHEN 'invoice' THEN r.state <> 'void' ELSE r.state IN ('issued', 'partially_paid') END
					FROM mails m WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.id DESC LIMIT 1), false),
			'last_reminder', (
				SELECT json_build_object('level', m.level, 'sent_on', m.sent_on, 'unsent', (
						SELECT e.state = 'failed' OR e.kept FROM mails e
						WHERE e.tenant_id = m.tenant_id AND e.invoice_id = m.invoice_id AND e.kind = 'reminder_' || m.level
						AND e.kind IN ('reminder_1', 'reminder_2', 'reminder_3') -- as in the index
						ORDER BY e.id DESC LIMIT 1))
				FROM invoice_reminders m
				WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.level DESC LIMIT 1),
			'late', CASE WHEN r.state IN ('issued', 'partially_paid') AND r.due_date < (SELECT business_day()) THEN (SELECT business_day()) - r.due_date ELSE 0 END) AS record
		FROM (SELECT * FROM invoices r WHERE r.tenant_id = $2 AND r.id = w.id LIMIT 1) AS r
		WHERE r.state = ANY ($1::text[]) AND r.issue_date >= $5::date AND r.issue_date <= $6::date
		AND r.due_date < $8::date) AS r
	ORDER BY w.first DESC, w.second DESC LIMIT $9
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first DESC, second DESC) FROM found),
	'frontier', (SELECT json_build_array(first::text, second::text) FROM frontier));

-- invoices paid on some days

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT id FROM (
		SELECT p.invoice_id AS id FROM payments p
		WHERE p.tenant_id = $1 AND p.removed_at IS NULL AND p.paid_on >= $2::date AND p.paid_on <= $3::date
		ORDER BY p.paid_on, p.id LIMIT 1001) AS streams LIMIT 1001
), picked AS (
	SELECT r.first, r.second, c.id
	FROM (SELECT DISTINCT id FROM candidates) AS c, LATERAL (
		SELECT r.issue_date AS first, r.id AS second
		FROM (SELECT * FROM invoices r WHERE r.tenant_id = $1 AND r.id = c.id LIMIT 1) AS r
		WHERE (r.issue_date, r.id) < ($4::date, $5::uuid) AND r.state = ANY ($6::text[]) AND r.issue_date >= $7::date AND r.issue_date <= $8::date
		AND r.due_date < $9::date AND (
			SELECT true FROM payments p
			WHERE p.tenant_id = r.tenant_id AND p.invoice_id = r.id AND p.removed_at IS NULL
			AND p.paid_on >= $2::date AND p.paid_on <= $3::date LIMIT 1)) AS r
	ORDER BY r.first DESC, r.second DESC LIMIT $10
), found AS (
	SELECT p.first, p.second, (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'number', r.number, 'status', r.state,
			'customer', (
				SELECT json_build_object('id', c.id, 'email', c.email, 'name', c.name)
				FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1),
			'currency', r.currency, 'issue_date', r.issue_date, 'due_date', r.due_date, 'subtotal', r.subtotal,
			'tax_total', r.tax_total, 'total', r.total, 'credited', r.credited, 'open', CASE WHEN r.state IN ('draft', 'void') THEN 0 ELSE r.open_amount END,
			'tax_id', COALESCE(r.bill_to->>'tax_id', (
					SELECT c.tax_id FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1)),
			'mail_failed', COALESCE((
					SELECT m.state = 'failed' AND CASE m.kind
					WHEN 'void' THEN true WHEN 'invoice' THEN r.state <> 'void' ELSE r.state IN ('issued', 'partially_paid') END
					FROM mails m WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.id DESC LIMIT 1), false),
			'last_reminder', (
				SELECT json_build_object('level', m.level, 'sent_on', m.sent_on, 'unsent', (
						SELECT e.state = 'failed' OR e.kept FROM mails e
						WHERE e.tenant_id = m.tenant_id AND e.invoice_id = m.invoice_id AND e.kind = 'reminder_' || m.level
						AND e.kind IN ('reminder_1', 'reminder_2', 'reminder_3') -- as in the index
						ORDER BY e.id DESC LIMIT 1))
				FROM invoice_reminders m
				WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.level DESC LIMIT 1),
			'late', CASE WHEN r.state IN ('issued', 'partially_paid') AND r.due_date < (SELECT business_day()) THEN (SELECT business_day()) - r.due_date ELSE 0 END) FROM invoices r WHERE r.tenant_id = $1 AND r.id = p.id LIMIT 1) AS record
	FROM picked p
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first DESC, second DESC) FROM found),
	'too_many', (SELECT count(*) = 1001 FROM candidates));

-- drafts by number

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT r.id, r.issue_year AS first, r.number_folded AS second, row_number() OVER (ORDER BY r.issue_year, r.number_folded) AS n
	FROM invoices r
	WHERE r.tenant_id = $1 AND (r.issue_year, r.number_folded) > ($2::integer, $3::text) AND true
	ORDER BY r.issue_year, r.number_folded LIMIT $4
), frontier AS MATERIALIZED (
	SELECT first, second FROM candidates WHERE n = $4 ORDER BY first, second LIMIT 1
), within AS (
	SELECT DISTINCT c.first, c.second, c.id FROM candidates c
	WHERE NOT EXISTS (SELECT FROM frontier f WHERE (c.first, c.second) > (f.first, f.second))
), found AS (
	SELECT w.first, w.second, r.record
	FROM (SELECT first, second, id FROM within ORDER BY first, second) AS w, LATERAL (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'number', r.number, 'status', r.state,
			'customer', (
				SELECT json_build_object('id', c.id, 'email', c.email, 'name', c.name)
				FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1),
			'currency', r.currency, 'issue_date', r.issue_date, 'due_date', r.due_date, 'subtotal', r.subtotal,
			'tax_total', r.tax_total, 'total', r.total, 'credited', r.credited, 'open', CASE WHEN r.state IN ('draft', 'void') THEN 0 ELSE r.open_amount END,
			'tax_id', COALESCE(r.bill_to->>'tax_id', (
					SELECT c.tax_id FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1)),
			'mail_failed', COALESCE((
					SELECT m.state = 'failed' AND CASE m.kind
					WHEN 'void' THEN true WHEN 'invoice' THEN r.state <> 'void' ELSE r.state IN ('issued', 'partially_paid') END
					FROM mails m WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.id DESC LIMIT 1), false),
			'last_reminder', (
				SELECT json_build_object('level', m.level, 'sent_on', m.sent_on, 'unsent', (
						SELECT e.state = 'failed' OR e.kept FROM mails e
						WHERE e.tenant_id = m.tenant_id AND e.invoice_id = m.invoice_id AND e.kind = 'reminder_' || m.level
						AND e.kind IN ('reminder_1', 'reminder_2', 'reminder_3') -- as in the index
						ORDER BY e.id DESC LIMIT 1))
				FROM invoice_reminders m
				WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.level DESC LIMIT 1),
			'late', CASE WHEN r.state IN ('issued', 'partially_paid') AND r.due_date < (SELECT business_day()) THEN (SELECT business_day()) - r.due_date ELSE 0 END) AS record
		FROM (SELECT * FROM invoices r WHERE r.tenant_id = $1 AND r.id = w.id LIMIT 1) AS r
		WHERE r.state = ANY ($5::text[]) AND r.issue_date >= $6::date AND r.issue_date <= $7::date
		AND r.due_date < $8::date) AS r
	ORDER BY w.first, w.second LIMIT $9
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first, second) FROM found),
	'frontier', (SELECT json_build_array(first::text, second::text) FROM frontier));

-- invoices by total

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT stream.id, stream.first, stream.second, stream.n FROM unnest($1::text[]) AS each (state), LATERAL (
		SELECT r.id, r.total_rank AS first, r.id AS second, row_number() OVER (ORDER BY r.total_rank, r.id) AS n
		FROM invoices r
		WHERE r.tenant_id = $2 AND r.state = each.state AND (r.total_rank, r.id) > ($3::text, $4::uuid) AND true
		ORDER BY r.total_rank, r.id LIMIT $5) AS stream
), frontier AS MATERIALIZED (
	SELECT first, second FROM candidates WHERE n = $5 ORDER BY first, second LIMIT 1
), within AS (
	SELECT DISTINCT c.first, c.second, c.id FROM candidates c
	WHERE NOT EXISTS (SELECT FROM frontier f WHERE (c.first, c.second) > (f.first, f.second))
), found AS (
	SELECT w.first, w.second, r.record
	FROM (SELECT first, second, id FROM within ORDER BY first, second) AS w, LATERAL (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'number', r.number, 'status', r.state,
			'customer', (
				SELECT json_build_object('id', c.id, 'email', c.email, 'name', c.name)
				FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1),
			'currency', r.currency, 'issue_date', r.issue_date, 'due_date', r.due_date, 'subtotal', r.subtotal,
			'tax_total', r.tax_total, 'total', r.total, 'credited', r.credited, 'open', CASE WHEN r.state IN ('draft', 'void') THEN 0 ELSE r.open_amount END,
			'tax_id', COALESCE(r.bill_to->>'tax_id', (
					SELECT c.tax_id FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1)),
			'mail_failed', COALESCE((
					SELECT m.state = 'failed' AND CASE m.kind
					WHEN 'void' THEN true WHEN 'invoice' THEN r.state <> 'void' ELSE r.state IN ('issued', 'partially_paid') END
					FROM mails m WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.id DESC LIMIT 1), false),
			'last_reminder', (
				SELECT json_build_object('level', m.level, 'sent_on', m.sent_on, 'unsent', (
						SELECT e.state = 'failed' OR e.kept FROM mails e
						WHERE e.tenant_id = m.tenant_id AND e.invoice_id = m.invoice_id AND e.kind = 'reminder_' || m.level
						AND e.kind IN ('reminder_1', 'reminder_2', 'reminder_3') -- as in the index
						ORDER BY e.id DESC LIMIT 1))
				FROM invoice_reminders m
				WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.level DESC LIMIT 1),
			'late', CASE WHEN r.state IN ('issued', 'partially_paid') AND r.due_date < (SELECT business_day()) THEN (SELECT business_day()) - r.due_date ELSE 0 END) AS record
		FROM (SELECT * FROM invoices r WHERE r.tenant_id = $2 AND r.id = w.id LIMIT 1) AS r
		WHERE r.state = ANY ($1::text[]) AND r.issue_date >= $6::date AND r.issue_date <= $7::date
		AND r.due_date < $8::date) AS r
	ORDER BY w.first, w.second LIMIT $9
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first, second) FROM found),
	'frontier', (SELECT json_build_array(first::text, second::text) FROM frontier));

-- invoices with lines

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT stream.id, stream.first, stream.second, stream.n FROM unnest($1::text[]) AS each (state), LATERAL (
		SELECT r.id, r.issue_date AS first, r.id AS second, row_number() OVER (ORDER BY r.issue_date DESC, r.id DESC) AS n
		FROM invoices r
		WHERE r.tenant_id = $2 AND r.state = each.state AND (r.issue_date, r.id) < ($3::date, $4::uuid) AND issue_date >= $5::date AND issue_date <= $6::date
		ORDER BY r.issue_date DESC, r.id DESC LIMIT $7) AS stream
), frontier AS MATERIALIZED (
	SELECT first, second FROM candidates WHERE n = $7 ORDER BY first DESC, second DESC LIMIT 1
), within AS (
	SELECT DISTINCT c.first, c.second, c.id FROM candidates c
	WHERE NOT EXISTS (SELECT FROM frontier f WHERE (c.first, c.second) < (f.first, f.second))
), found AS (
	SELECT w.first, w.second, r.record
	FROM (SELECT first, second, id FROM within ORDER BY first DESC, second DESC) AS w, LATERAL (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'number', r.number, 'status', r.state,
			'customer', (
				SELECT json_build_object('id', c.id, 'email', c.email, 'name', c.name)
				FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1),
			'currency', r.currency, 'issue_date', r.issue_date, 'due_date', r.due_date, 'subtotal', r.subtotal,
			'tax_total', r.tax_total, 'total', r.total, 'credited', r.credited, 'open', CASE WHEN r.state IN ('draft', 'void') THEN 0 ELSE r.open_amount END,
			'tax_id', COALESCE(r.bill_to->>'tax_id', (
					SELECT c.tax_id FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1)),
			'mail_failed', COALESCE((
					SELECT m.state = 'failed' AND CASE m.kind
					WHEN 'void' THEN true WHEN 'invoice' THEN r.state <> 'void' ELSE r.state IN ('issued', 'partially_paid') END
					FROM mails m WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.id DESC LIMIT 1), false),
			'last_reminder', (
				SELECT json_build_object('level', m.level, 'sent_on', m.sent_on, 'unsent', (
						SELECT e.state = 'failed' OR e.kept FROM mails e
						WHERE e.tenant_id = m.tenant_id AND e.invoice_id = m.invoice_id AND e.kind = 'reminder_' || m.level
						AND e.kind IN ('reminder_1', 'reminder_2', 'reminder_3') -- as in the index
						ORDER BY e.id DESC LIMIT 1))
				FROM invoice_reminders m
				WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.level DESC LIMIT 1),
			'late', CASE WHEN r.state IN ('issued', 'partially_paid') AND r.due_date < (SELECT business_day()) THEN (SELECT business_day()) - r.due_date ELSE 0 END, 'lines', (
				SELECT json_agg(json_build_object(
						'description', l.description, 'quantity', l.quantity::text, 'unit', l.unit, 'unit_price', trim_scale(l.unit_price + l.price_fraction),
						'discount_rate', l.discount_rate::text, 'discount', l.discount,
						'tax_rate', l.tax_rate::text, 'tax_treatment', l.tax_treatment, 'net', l.net) ORDER BY l.position)
				FROM invoice_lines l WHERE l.tenant_id = r.tenant_id AND l.invoice_id = r.id)) AS record
		FROM (SELECT * FROM invoices r WHERE r.tenant_id = $2 AND r.id = w.id LIMIT 1) AS r
		WHERE r.state = ANY ($1::text[]) AND r.issue_date >= $5::date AND r.issue_date <= $6::date
		AND r.due_date < $8::date) AS r
	ORDER BY w.first DESC, w.second DESC LIMIT $9
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first DESC, second DESC) FROM found),
	'frontier', (SELECT json_build_array(first::text, second::text) FROM frontier));

-- invoices, a search for a total and a word

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT EXISTS (
	SELECT r.id FROM unnest($1::text[]) AS each (state), unnest($2::text[]) AS wanted (total), LATERAL (
		SELECT i.id FROM invoices i
		WHERE i.tenant_id = $3 AND i.state = each.state AND i.total_rank = wanted.total LIMIT 201) AS r);

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
	SELECT stream.id, stream.first, stream.second, stream.n FROM unnest($1::text[]) AS each (word), LATERAL (
		SELECT w.invoice_id AS id, w.issue_date AS first, w.invoice_id AS second,
		row_number() OVER (ORDER BY w.issue_date DESC, w.invoice_id DESC) AS n
		FROM invoice_words w
		WHERE w.tenant_id = $2 AND w.word = each.word AND (w.issue_date, w.invoice_id) < ($3::date, $4::uuid) AND issue_date >= $5::date AND issue_date <= $6::date
		ORDER BY w.issue_date DESC, w.invoice_id DESC LIMIT $7) AS stream
	UNION ALL
	SELECT stream.id, stream.first, stream.second, stream.n FROM unnest($8::uuid[]) AS each (other), LATERAL (
		SELECT r.id, r.issue_date AS first, r.id AS second, row_number() OVER (ORDER BY r.issue_date DESC, r.id DESC) AS n
		FROM invoices r
		WHERE r.tenant_id = $2 AND r.customer_id = each.other AND (r.issue_date, r.id) < ($3::date, $4::uuid) AND issue_date >= $5::date AND issue_date <= $6::date
		ORDER BY r.issue_date DESC, r.id DESC LIMIT $7) AS stream
), frontier AS MATERIALIZED (
	SELECT first, second FROM candidates WHERE n = $7 ORDER BY first DESC, second DESC LIMIT 1
), within AS (
	SELECT DISTINCT c.first, c.second, c.id FROM candidates c
	WHERE NOT EXISTS (SELECT FROM frontier f WHERE (c.first, c.second) < (f.first, f.second))
), found AS (
	SELECT w.first, w.second, r.record
	FROM (SELECT first, second, id FROM within ORDER BY first DESC, second DESC) AS w, LATERAL (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'number', r.number, 'status', r.state,
			'customer', (
				SELECT json_build_object('id', c.id, 'email', c.email, 'name', c.name)
				FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1),
			'currency', r.currency, 'issue_date', r.issue_date, 'due_date', r.due_date, 'subtotal', r.subtotal,
			'tax_total', r.tax_total, 'total', r.total, 'credited', r.credited, 'open', CASE WHEN r.state IN ('draft', 'void') THEN 0 ELSE r.open_amount END,
			'tax_id', COALESCE(r.bill_to->>'tax_id', (
					SELECT c.tax_id FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1)),
			'mail_failed', COALESCE((
					SELECT m.state = 'failed' AND CASE m.kind
					WHEN 'void' THEN true WHEN 'invoice' THEN r.state <> 'void' ELSE r.state IN ('issued', 'partially_paid') END
					FROM mails m WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.id DESC LIMIT 1), false),
			'last_reminder', (
				SELECT json_build_object('level', m.level, 'sent_on', m.sent_on, 'unsent', (
						SELECT e.state = 'failed' OR e.kept FROM mails e
						WHERE e.tenant_id = m.tenant_id AND e.invoice_id = m.invoice_id AND e.kind = 'reminder_' || m.level
						AND e.kind IN ('reminder_1', 'reminder_2', 'reminder_3') -- as in the index
						ORDER BY e.id DESC LIMIT 1))
				FROM invoice_reminders m
				WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.level DESC LIMIT 1),
			'late', CASE WHEN r.state IN ('issued', 'partially_paid') AND r.due_date < (SELECT business_day()) THEN (SELECT business_day()) - r.due_date ELSE 0 END) AS record
		FROM (SELECT * FROM invoices r WHERE r.tenant_id = $2 AND r.id = w.id LIMIT 1) AS r
		WHERE r.state = ANY ($9::text[]) AND r.issue_date >= $5::date AND r.issue_date <= $6::date
		AND r.due_date < $10::date AND NOT EXISTS (SELECT FROM generate_series(1, $11::integer) AS term WHERE NOT EXISTS (
				SELECT FROM unnest($12::text[], $13::integer[]) AS t (word, n)
				WHERE t.n = term AND (
					SELECT true FROM invoice_words w
					WHERE w.tenant_id = $2 AND w.word = t.word AND w.issue_date = r.issue_date AND w.invoice_id = r.id LIMIT 1)) AND NOT EXISTS (
				SELECT FROM unnest($14::uuid[], $15::integer[]) AS t (other, n)
				WHERE t.n = term AND t.other = r.customer_id))) AS r
	ORDER BY w.first DESC, w.second DESC LIMIT $16
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first DESC, second DESC) FROM found),
	'frontier', (SELECT json_build_array(first::text, second::text) FROM frontier));

-- invoices

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT stream.id, stream.first, stream.second, stream.n FROM unnest($1::text[]) AS each (state), LATERAL (
		SELECT r.id, r.issue_date AS first, r.id AS second, row_number() OVER (ORDER BY r.issue_date DESC, r.id DESC) AS n
		FROM invoices r
		WHERE r.tenant_id = $2 AND r.state = each.state AND (r.issue_date, r.id) < ($3::date, $4::uuid) AND issue_date >= $5::date AND issue_date <= $6::date
		ORDER BY r.issue_date DESC, r.id DESC LIMIT $7) AS stream
), frontier AS MATERIALIZED (
	SELECT first, second FROM candidates WHERE n = $7 ORDER BY first DESC, second DESC LIMIT 1
), within AS (
	SELECT DISTINCT c.first, c.second, c.id FROM candidates c
	WHERE NOT EXISTS (SELECT FROM frontier f WHERE (c.first, c.second) < (f.first, f.second))
), found AS (
	SELECT w.first, w.second, r.record
	FROM (SELECT first, second, id FROM within ORDER BY first DESC, second DESC) AS w, LATERAL (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'number', r.number, 'status', r.state,
			'customer', (
				SELECT json_build_object('id', c.id, 'email', c.email, 'name', c.name)
				FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1),
			'currency', r.currency, 'issue_date', r.issue_date, 'due_date', r.due_date, 'subtotal', r.subtotal,
			'tax_total', r.tax_total, 'total', r.total, 'credited', r.credited, 'open', CASE WHEN r.state IN ('draft', 'void') THEN 0 ELSE r.open_amount END,
			'tax_id', COALESCE(r.bill_to->>'tax_id', (
					SELECT c.tax_id FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1)),
			'mail_failed', COALESCE((
					SELECT m.state = 'failed' AND CASE m.kind
					WHEN 'void' THEN true WHEN 'invoice' THEN r.state <> 'void' ELSE r.state IN ('issued', 'partially_paid') END
					FROM mails m WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.id DESC LIMIT 1), false),
			'last_reminder', (
				SELECT json_build_object('level', m.level, 'sent_on', m.sent_on, 'unsent', (
						SELECT e.state = 'failed' OR e.kept FROM mails e
						WHERE e.tenant_id = m.tenant_id AND e.invoice_id = m.invoice_id AND e.kind = 'reminder_' || m.level
						AND e.kind IN ('reminder_1', 'reminder_2', 'reminder_3') -- as in the index
						ORDER BY e.id DESC LIMIT 1))
				FROM invoice_reminders m
				WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.level DESC LIMIT 1),
			'late', CASE WHEN r.state IN ('issued', 'partially_paid') AND r.due_date < (SELECT business_day()) THEN (SELECT business_day()) - r.due_date ELSE 0 END) AS record
		FROM (SELECT * FROM invoices r WHERE r.tenant_id = $2 AND r.id = w.id LIMIT 1) AS r
		WHERE r.state = ANY ($1::text[]) AND r.issue_date >= $5::date AND r.issue_date <= $6::date
		AND r.due_date < $8::date) AS r
	ORDER BY w.first DESC, w.second DESC LIMIT $9
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first DESC, second DESC) FROM found),
	'frontier', (SELECT json_build_array(first::text, second::text) FROM frontier));

-- invoices, next page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT stream.id, stream.first, stream.second, stream.n FROM unnest($1::text[]) AS each (state), LATERAL (
		SELECT r.id, r.issue_date AS first, r.id AS second, row_number() OVER (ORDER BY r.issue_date DESC, r.id DESC) AS n
		FROM invoices r
		WHERE r.tenant_id = $2 AND r.state = each.state AND (r.issue_date, r.id) < ($3::date, $4::uuid) AND issue_date >= $5::date AND issue_date <= $6::date
		ORDER BY r.issue_date DESC, r.id DESC LIMIT $7) AS stream
), frontier AS MATERIALIZED (
	SELECT first, second FROM candidates WHERE n = $7 ORDER BY first DESC, second DESC LIMIT 1
), within AS (
	SELECT DISTINCT c.first, c.second, c.id FROM candidates c
	WHERE NOT EXISTS (SELECT FROM frontier f WHERE (c.first, c.second) < (f.first, f.second))
), found AS (
	SELECT w.first, w.second, r.record
	FROM (SELECT first, second, id FROM within ORDER BY first DESC, second DESC) AS w, LATERAL (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'number', r.number, 'status', r.state,
			'customer', (
				SELECT json_build_object('id', c.id, 'email', c.email, 'name', c.name)
				FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1),
			'currency', r.currency, 'issue_date', r.issue_date, 'due_date', r.due_date, 'subtotal', r.subtotal,
			'tax_total', r.tax_total, 'total', r.total, 'credited', r.credited, 'open', CASE WHEN r.state IN ('draft', 'void') THEN 0 ELSE r.open_amount END,
			'tax_id', COALESCE(r.bill_to->>'tax_id', (
					SELECT c.tax_id FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1)),
			'mail_failed', COALESCE((
					SELECT m.state = 'failed' AND CASE m.kind
					WHEN 'void' THEN true WHEN 'invoice' THEN r.state <> 'void' ELSE r.state IN ('issued', 'partially_paid') END
					FROM mails m WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.id DESC LIMIT 1), false),
			'last_reminder', (
				SELECT json_build_object('level', m.level, 'sent_on', m.sent_on, 'unsent', (
						SELECT e.state = 'failed' OR e.kept FROM mails e
						WHERE e.tenant_id = m.tenant_id AND e.invoice_id = m.invoice_id AND e.kind = 'reminder_' || m.level
						AND e.kind IN ('reminder_1', 'reminder_2', 'reminder_3') -- as in the index
						ORDER BY e.id DESC LIMIT 1))
				FROM invoice_reminders m
				WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.level DESC LIMIT 1),
			'late', CASE WHEN r.state IN ('issued', 'partially_paid') AND r.due_date < (SELECT business_day()) THEN (SELECT business_day()) - r.due_date ELSE 0 END) AS record
		FROM (SELECT * FROM invoices r WHERE r.tenant_id = $2 AND r.id = w.id LIMIT 1) AS r
		WHERE r.state = ANY ($1::text[]) AND r.issue_date >= $5::date AND r.issue_date <= $6::date
		AND r.due_date < $8::date) AS r
	ORDER BY w.first DESC, w.second DESC LIMIT $9
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first DESC, second DESC) FROM found),
	'frontier', (SELECT json_build_array(first::text, second::text) FROM frontier));

-- invoices, previous page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT stream.id, stream.first, stream.second, stream.n FROM unnest($1::text[]) AS each (state), LATERAL (
		SELECT r.id, r.issue_date AS first, r.id AS second, row_number() OVER (ORDER BY r.issue_date, r.id) AS n
		FROM invoices r
		WHERE r.tenant_id = $2 AND r.state = each.state AND (r.issue_date, r.id) > ($3::date, $4::uuid) AND issue_date >= $5::date AND issue_date <= $6::date
		ORDER BY r.issue_date, r.id LIMIT $7) AS stream
), frontier AS MATERIALIZED (
	SELECT first, second FROM candidates WHERE n = $7 ORDER BY first, second LIMIT 1
), within AS (
	SELECT DISTINCT c.first, c.second, c.id FROM candidates c
	WHERE NOT EXISTS (SELECT FROM frontier f WHERE (c.first, c.second) > (f.first, f.second))
), found AS (
	SELECT w.first, w.second, r.record
	FROM (SELECT first, second, id FROM within ORDER BY first, second) AS w, LATERAL (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'number', r.number, 'status', r.state,
			'customer', (
				SELECT json_build_object('id', c.id, 'email', c.email, 'name', c.name)
				FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1),
			'currency', r.currency, 'issue_date', r.issue_date, 'due_date', r.due_date, 'subtotal', r.subtotal,
			'tax_total', r.tax_total, 'total', r.total, 'credited', r.credited, 'open', CASE WHEN r.state IN ('draft', 'void') THEN 0 ELSE r.open_amount END,
			'tax_id', COALESCE(r.bill_to->>'tax_id', (
					SELECT c.tax_id FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1)),
			'mail_failed', COALESCE((
					SELECT m.state = 'failed' AND CASE m.kind
					WHEN 'void' THEN true WHEN 'invoice' THEN r.state <> 'void' ELSE r.state IN ('issued', 'partially_paid') END
					FROM mails m WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.id DESC LIMIT 1), false),
			'last_reminder', (
				SELECT json_build_object('level', m.level, 'sent_on', m.sent_on, 'unsent', (
						SELECT e.state = 'failed' OR e.kept FROM mails e
						WHERE e.tenant_id = m.tenant_id AND e.invoice_id = m.invoice_id AND e.kind = 'reminder_' || m.level
						AND e.kind IN ('reminder_1', 'reminder_2', 'reminder_3') -- as in the index
						ORDER BY e.id DESC LIMIT 1))
				FROM invoice_reminders m
				WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.level DESC LIMIT 1),
			'late', CASE WHEN r.state IN ('issued', 'partially_paid') AND r.due_date < (SELECT business_day()) THEN (SELECT business_day()) - r.due_date ELSE 0 END) AS record
		FROM (SELECT * FROM invoices r WHERE r.tenant_id = $2 AND r.id = w.id LIMIT 1) AS r
		WHERE r.state = ANY ($1::text[]) AND r.issue_date >= $5::date AND r.issue_date <= $6::date
		AND r.due_date < $8::date) AS r
	ORDER BY w.first, w.second LIMIT $9
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first, second) FROM found),
	'frontier', (SELECT json_build_array(first::text, second::text) FROM frontier));

-- postings of an invoice

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT l.position, json_build_object(
	'kind', CASE
	WHEN kind = 'removal' AND amount > 0 THEN 'refund_removal'
	WHEN kind = 'credit' AND amount < 0 THEN 'credit_reversal'
	WHEN kind = 'to_credit' AND amount > 0 THEN 'from_credit'
	ELSE kind::text END, 'id', l.source_id, 'amount', l.amount, 'date',
	CASE WHEN l.kind IN ('removal', 'reversal') THEN business_day(l.at)
	ELSE COALESCE(p.paid_on, f.refunded_on, n.issue_date, w.written_off_on) END,
	'number', COALESCE(n.number, c.credit_note), 'left', p.left_amount,
	'removed', COALESCE(p.removed_at, f.removed_at, w.reversed_at) IS NOT NULL,
	'closed', COALESCE(COALESCE(p.paid_on, f.refunded_on) <= (SELECT books_closed($1, '2000-01-01')), false),
	'method', COALESCE(p.method, w.reason), 'receipt', COALESCE(p.receipt_id, became.id),
	'details', concat_ws(' ', COALESCE(p.provider, c.provider), COALESCE(p.reference, c.reference), p.source, p.external_id,
		NULLIF(f.reference, ''), w.note))
FROM (
	SELECT position, kind, source_id, amount, at FROM postings
	WHERE tenant_id = $1 AND invoice_id = $2 AND position < $3
	ORDER BY position DESC LIMIT 201) AS l
LEFT JOIN LATERAL (
	SELECT paid_on, left_amount, removed_at, method, provider, reference, source, external_id, receipt_id FROM payments
	WHERE l.kind IN ('payment', 'removal') AND tenant_id = $1 AND id = l.source_id LIMIT 1) AS p ON true
LEFT JOIN LATERAL (
	SELECT provider, reference, (
		SELECT number FROM credit_notes WHERE tenant_id = $1 AND id = r.credit_note_id) AS credit_note
	FROM receipts r WHERE tenant_id = $1 AND id = p.receipt_id LIMIT 1) AS c ON true
LEFT JOIN LATERAL (
	SELECT refunded_on, removed_at, reference FROM refunds
	WHERE l.kind = 'refund' AND tenant_id = $1 AND id = l.source_id LIMIT 1) AS f ON true
LEFT JOIN LATERAL (
	SELECT issue_date, number FROM credit_notes
	WHERE l.kind IN ('credit', 'to_credit') AND tenant_id = $1 AND id = l.source_id LIMIT 1) AS n ON true
LEFT JOIN LATERAL (
	SELECT id FROM receipts
	WHERE l.kind = 'to_credit' AND tenant_id = $1 AND credit_note_id = l.source_id LIMIT 1) AS became ON true
LEFT JOIN LATERAL (
	SELECT written_off_on, reversed_at, reason, note FROM write_offs
	WHERE l.kind IN ('write_off', 'reversal') AND tenant_id = $1 AND id = l.source_id LIMIT 1) AS w ON true
ORDER BY l.position DESC LIMIT $4;

-- history of an invoice

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

(SELECT operation, key, what, actor, at, place, changes - 'version', COALESCE(changes -> 'version', '[0, 0]'), NULL::json FROM (
		SELECT operation, key, outcome AS what, actor, at, changes,
		operation || ' ' || key || ' ' || outcome COLLATE "C" AS place
		FROM intents WHERE tenant_id = $1 AND record_id = $2 AND at <= $3::timestamptz
		ORDER BY at DESC LIMIT $4 + 50) AS own
	WHERE (at < $3::timestamptz OR place < $5) ORDER BY at DESC, place DESC LIMIT $4)
UNION ALL
(SELECT operation, key, what, actor, at, place, NULL, '[0, 0]', NULL::json FROM (
		SELECT e.operation, e.key, e.effect AS what, i.actor, i.at,
		e.operation || ' ' || e.key || ' ' || e.effect COLLATE "C" AS place
		FROM intent_effects e, LATERAL (
			SELECT actor, at FROM intents i
			WHERE i.tenant_id = e.tenant_id AND i.operation = e.operation AND i.key = e.key LIMIT 1) AS i
		WHERE e.tenant_id = $1 AND e.record_id = $2) AS others
	WHERE at <= $3::timestamptz AND (at < $3::timestamptz OR place < $5) ORDER BY at DESC, place DESC LIMIT $4)
UNION ALL
(SELECT COALESCE(operation, ''), COALESCE(key, ''), what, COALESCE(actor, ''), at, place, NULL, '[0, 0]', details FROM (
		SELECT source_id, outcome, at, place, what, details FROM (
			SELECT source_id, outcome, at, place, what, details FROM (
				SELECT source_id, CASE WHEN kind IN ('removal', 'reversal') THEN 'changed' ELSE 'created' END AS outcome, at,
				lpad(position::text, 10, '0') COLLATE "C" AS place, CASE
				WHEN kind = 'removal' AND amount > 0 THEN 'refund_removal'
				WHEN kind = 'credit' AND amount < 0 THEN 'credit_reversal'
				WHEN kind = 'to_credit' AND amount > 0 THEN 'from_credit'
				ELSE kind::text END AS what,
				json_build_object('amount', abs(amount), 'number', (
						SELECT number FROM credit_notes n
						WHERE kind IN ('credit', 'to_credit') AND n.tenant_id = l.tenant_id AND n.id = source_id)) AS details
				FROM postings l WHERE tenant_id = $1 AND invoice_id = $2) AS all_beside
			WHERE at <= $3::timestamptz ORDER BY at DESC LIMIT $4 + 50) AS near
		WHERE (at < $3::timestamptz OR place < $5) ORDER BY at DESC, place DESC LIMIT $4) AS page
	LEFT JOIN LATERAL (
		SELECT operation, key, actor FROM intents
		WHERE tenant_id = $1 AND record_id = source_id AND intents.outcome = page.outcome
		UNION ALL
		SELECT e.operation, e.key, i.actor FROM intent_effects e, LATERAL (
			SELECT actor FROM intents i
			WHERE i.tenant_id = e.tenant_id AND i.operation = e.operation AND i.key = e.key LIMIT 1) AS i
		WHERE e.tenant_id = $1 AND e.record_id = source_id
		LIMIT 1) AS by ON true);
