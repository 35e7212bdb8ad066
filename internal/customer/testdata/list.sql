-- Written by: make sql

-- customers

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', COALESCE(r.email, ''), 'name', r.name, 'address', r.address, 'country', r.country, 'tax_id', r.tax_id, 'contact', r.contact, 'reference', r.reference, 'payment_days', COALESCE(r.payment_days::text, ''), 'copies_to', r.copies_to, 'archived_at', r.archived_at, 'erased_at', r.erased_at, 'taken_back', r.taken_back,
		'merged_into', (SELECT json_build_object('id', m.id, 'name', m.name) FROM customers m
			WHERE m.tenant_id = r.tenant_id AND m.id = r.merged_into LIMIT 1),
		'merged_from', (SELECT json_agg(json_build_object('id', m.id, 'name', m.name)) FROM (
				SELECT id, name FROM customers m WHERE m.tenant_id = r.tenant_id AND m.merged_into = r.id ORDER BY id LIMIT 100) AS m),
		'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) AS json FROM customers r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.archived_at IS NULL
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $3;

-- customers, next page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', COALESCE(r.email, ''), 'name', r.name, 'address', r.address, 'country', r.country, 'tax_id', r.tax_id, 'contact', r.contact, 'reference', r.reference, 'payment_days', COALESCE(r.payment_days::text, ''), 'copies_to', r.copies_to, 'archived_at', r.archived_at, 'erased_at', r.erased_at, 'taken_back', r.taken_back,
		'merged_into', (SELECT json_build_object('id', m.id, 'name', m.name) FROM customers m
			WHERE m.tenant_id = r.tenant_id AND m.id = r.merged_into LIMIT 1),
		'merged_from', (SELECT json_agg(json_build_object('id', m.id, 'name', m.name)) FROM (
				SELECT id, name FROM customers m WHERE m.tenant_id = r.tenant_id AND m.merged_into = r.id ORDER BY id LIMIT 100) AS m),
		'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) AS json FROM customers r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.archived_at IS NULL
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $3;

-- customers, previous page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', COALESCE(r.email, ''), 'name', r.name, 'address', r.address, 'country', r.country, 'tax_id', r.tax_id, 'contact', r.contact, 'reference', r.reference, 'payment_days', COALESCE(r.payment_days::text, ''), 'copies_to', r.copies_to, 'archived_at', r.archived_at, 'erased_at', r.erased_at, 'taken_back', r.taken_back,
		'merged_into', (SELECT json_build_object('id', m.id, 'name', m.name) FROM customers m
			WHERE m.tenant_id = r.tenant_id AND m.id = r.merged_into LIMIT 1),
		'merged_from', (SELECT json_agg(json_build_object('id', m.id, 'name', m.name)) FROM (
				SELECT id, name FROM customers m WHERE m.tenant_id = r.tenant_id AND m.merged_into = r.id ORDER BY id LIMIT 100) AS m),
		'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) AS json FROM customers r
	WHERE r.tenant_id = $1 AND r.id > $2 AND r.archived_at IS NULL
	ORDER BY r.id LIMIT 201) AS page
ORDER BY id LIMIT $3;

-- archived customers

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', COALESCE(r.email, ''), 'name', r.name, 'address', r.address, 'country', r.country, 'tax_id', r.tax_id, 'contact', r.contact, 'reference', r.reference, 'payment_days', COALESCE(r.payment_days::text, ''), 'copies_to', r.copies_to, 'archived_at', r.archived_at, 'erased_at', r.erased_at, 'taken_back', r.taken_back,
		'merged_into', (SELECT json_build_object('id', m.id, 'name', m.name) FROM customers m
			WHERE m.tenant_id = r.tenant_id AND m.id = r.merged_into LIMIT 1),
		'merged_from', (SELECT json_agg(json_build_object('id', m.id, 'name', m.name)) FROM (
				SELECT id, name FROM customers m WHERE m.tenant_id = r.tenant_id AND m.merged_into = r.id ORDER BY id LIMIT 100) AS m),
		'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) AS json FROM customers r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.archived_at IS NOT NULL AND r.merged_into IS NULL AND NOT r.taken_back
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $3;

-- customers, a search for two words

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
LATERAL (SELECT '{}'::uuid[] AS others) AS of_others,
LATERAL (SELECT cardinality(others) > 100 AS crowd) AS counted
ORDER BY n;

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT stream.id, stream.first, stream.second, stream.n FROM unnest($1::text[]) AS each (word), LATERAL (
		SELECT w.customer_id AS id, w.customer_id AS first, w.customer_id AS second,
		row_number() OVER (ORDER BY w.customer_id DESC, w.customer_id DESC) AS n
		FROM customer_words w
		WHERE w.tenant_id = $2 AND w.word = each.word AND (w.customer_id, w.customer_id) < ($3::uuid, $4::uuid) AND true
		ORDER BY w.customer_id DESC, w.customer_id DESC LIMIT $5) AS stream
), frontier AS MATERIALIZED (
	SELECT first, second FROM candidates WHERE n = $5 ORDER BY first DESC, second DESC LIMIT 1
), within AS (
	SELECT DISTINCT c.first, c.second, c.id FROM candidates c
	WHERE NOT EXISTS (SELECT FROM frontier f WHERE (c.first, c.second) < (f.first, f.second))
), found AS (
	SELECT w.first, w.second, r.record
	FROM (SELECT first, second, id FROM within ORDER BY first DESC, second DESC) AS w, LATERAL (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', COALESCE(r.email, ''), 'name', r.name, 'address', r.address, 'country', r.country, 'tax_id', r.tax_id, 'contact', r.contact, 'reference', r.reference, 'payment_days', COALESCE(r.payment_days::text, ''), 'copies_to', r.copies_to, 'archived_at', r.archived_at, 'erased_at', r.erased_at, 'taken_back', r.taken_back,
			'merged_into', (SELECT json_build_object('id', m.id, 'name', m.name) FROM customers m
				WHERE m.tenant_id = r.tenant_id AND m.id = r.merged_into LIMIT 1),
			'merged_from', (SELECT json_agg(json_build_object('id', m.id, 'name', m.name)) FROM (
					SELECT id, name FROM customers m WHERE m.tenant_id = r.tenant_id AND m.merged_into = r.id ORDER BY id LIMIT 100) AS m),
			'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) AS record
		FROM (SELECT * FROM customers r WHERE r.tenant_id = $2 AND r.id = w.id LIMIT 1) AS r
		WHERE r.archived_at IS NULL AND NOT EXISTS (SELECT FROM generate_series(1, $6::integer) AS term WHERE NOT EXISTS (
				SELECT FROM unnest($7::text[], $8::integer[]) AS t (word, n)
				WHERE t.n = term AND (
					SELECT true FROM customer_words w
					WHERE w.tenant_id = $2 AND w.word = t.word AND w.customer_id = r.id AND w.customer_id = r.id LIMIT 1)))) AS r
	ORDER BY w.first DESC, w.second DESC LIMIT $9
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first DESC, second DESC) FROM found),
	'frontier', (SELECT json_build_array(first::text, second::text) FROM frontier));

-- customers by name

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT r.id, r.name_folded AS first, r.id AS second, row_number() OVER (ORDER BY r.name_folded, r.id) AS n
	FROM customers r
	WHERE r.tenant_id = $1 AND (r.name_folded, r.id) > ($2::text, $3::uuid) AND r.archived_at IS NULL
	ORDER BY r.name_folded, r.id LIMIT $4
), frontier AS MATERIALIZED (
	SELECT first, second FROM candidates WHERE n = $4 ORDER BY first, second LIMIT 1
), within AS (
	SELECT DISTINCT c.first, c.second, c.id FROM candidates c
	WHERE NOT EXISTS (SELECT FROM frontier f WHERE (c.first, c.second) > (f.first, f.second))
), found AS (
	SELECT w.first, w.second, r.record
	FROM (SELECT first, second, id FROM within ORDER BY first, second) AS w, LATERAL (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', COALESCE(r.email, ''), 'name', r.name, 'address', r.address, 'country', r.country, 'tax_id', r.tax_id, 'contact', r.contact, 'reference', r.reference, 'payment_days', COALESCE(r.payment_days::text, ''), 'copies_to', r.copies_to, 'archived_at', r.archived_at, 'erased_at', r.erased_at, 'taken_back', r.taken_back,
			'merged_into', (SELECT json_build_object('id', m.id, 'name', m.name) FROM customers m
				WHERE m.tenant_id = r.tenant_id AND m.id = r.merged_into LIMIT 1),
			'merged_from', (SELECT json_agg(json_build_object('id', m.id, 'name', m.name)) FROM (
					SELECT id, name FROM customers m WHERE m.tenant_id = r.tenant_id AND m.merged_into = r.id ORDER BY id LIMIT 100) AS m),
			'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) AS record
		FROM (SELECT * FROM customers r WHERE r.tenant_id = $1 AND r.id = w.id LIMIT 1) AS r
		WHERE r.archived_at IS NULL) AS r
	ORDER BY w.first, w.second LIMIT $5
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first, second) FROM found),
	'frontier', (SELECT json_build_array(first::text, second::text) FROM frontier));

-- customers by name, next page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT r.id, r.name_folded AS first, r.id AS second, row_number() OVER (ORDER BY r.name_folded, r.id) AS n
	FROM customers r
	WHERE r.tenant_id = $1 AND (r.name_folded, r.id) > ($2::text, $3::uuid) AND r.archived_at IS NULL
	ORDER BY r.name_folded, r.id LIMIT $4
), frontier AS MATERIALIZED (
	SELECT first, second FROM candidates WHERE n = $4 ORDER BY first, second LIMIT 1
), within AS (
	SELECT DISTINCT c.first, c.second, c.id FROM candidates c
	WHERE NOT EXISTS (SELECT FROM frontier f WHERE (c.first, c.second) > (f.first, f.second))
), found AS (
	SELECT w.first, w.second, r.record
	FROM (SELECT first, second, id FROM within ORDER BY first, second) AS w, LATERAL (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', COALESCE(r.email, ''), 'name', r.name, 'address', r.address, 'country', r.country, 'tax_id', r.tax_id, 'contact', r.contact, 'reference', r.reference, 'payment_days', COALESCE(r.payment_days::text, ''), 'copies_to', r.copies_to, 'archived_at', r.archived_at, 'erased_at', r.erased_at, 'taken_back', r.taken_back,
			'merged_into', (SELECT json_build_object('id', m.id, 'name', m.name) FROM customers m
				WHERE m.tenant_id = r.tenant_id AND m.id = r.merged_into LIMIT 1),
			'merged_from', (SELECT json_agg(json_build_object('id', m.id, 'name', m.name)) FROM (
					SELECT id, name FROM customers m WHERE m.tenant_id = r.tenant_id AND m.merged_into = r.id ORDER BY id LIMIT 100) AS m),
			'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) AS record
		FROM (SELECT * FROM customers r WHERE r.tenant_id = $1 AND r.id = w.id LIMIT 1) AS r
		WHERE r.archived_at IS NULL) AS r
	ORDER BY w.first, w.second LIMIT $5
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first, second) FROM found),
	'frontier', (SELECT json_build_array(first::text, second::text) FROM frontier));

-- customers by name, previous page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT r.id, r.name_folded AS first, r.id AS second, row_number() OVER (ORDER BY r.name_folded DESC, r.id DESC) AS n
	FROM customers r
	WHERE r.tenant_id = $1 AND (r.name_folded, r.id) < ($2::text, $3::uuid) AND r.archived_at IS NULL
	ORDER BY r.name_folded DESC, r.id DESC LIMIT $4
), frontier AS MATERIALIZED (
	SELECT first, second FROM candidates WHERE n = $4 ORDER BY first DESC, second DESC LIMIT 1
), within AS (
	SELECT DISTINCT c.first, c.second, c.id FROM candidates c
	WHERE NOT EXISTS (SELECT FROM frontier f WHERE (c.first, c.second) < (f.first, f.second))
), found AS (
	SELECT w.first, w.second, r.record
	FROM (SELECT first, second, id FROM within ORDER BY first DESC, second DESC) AS w, LATERAL (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', COALESCE(r.email, ''), 'name', r.name, 'address', r.address, 'country', r.country, 'tax_id', r.tax_id, 'contact', r.contact, 'reference', r.reference, 'payment_days', COALESCE(r.payment_days::text, ''), 'copies_to', r.copies_to, 'archived_at', r.archived_at, 'erased_at', r.erased_at, 'taken_back', r.taken_back,
			'merged_into', (SELECT json_build_object('id', m.id, 'name', m.name) FROM customers m
				WHERE m.tenant_id = r.tenant_id AND m.id = r.merged_into LIMIT 1),
			'merged_from', (SELECT json_agg(json_build_object('id', m.id, 'name', m.name)) FROM (
					SELECT id, name FROM customers m WHERE m.tenant_id = r.tenant_id AND m.merged_into = r.id ORDER BY id LIMIT 100) AS m),
			'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) AS record
		FROM (SELECT * FROM customers r WHERE r.tenant_id = $1 AND r.id = w.id LIMIT 1) AS r
		WHERE r.archived_at IS NULL) AS r
	ORDER BY w.first DESC, w.second DESC LIMIT $5
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first DESC, second DESC) FROM found),
	'frontier', (SELECT json_build_array(first::text, second::text) FROM frontier));
