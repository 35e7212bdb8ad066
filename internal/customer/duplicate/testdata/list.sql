-- Written by: make sql

-- groups of similar customers

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT alike_tax_id AS value, id FROM customers
	WHERE tenant_id = $1 AND merged_into IS NULL AND erased_at IS NULL AND alike_tax_id <> '' AND alike_tax_id > $2
	ORDER BY alike_tax_id, id LIMIT 2000
), reach AS MATERIALIZED (
	SELECT CASE WHEN count(*) = 2000 THEN COALESCE(
		(SELECT max(value) FROM candidates WHERE value < (SELECT max(value) FROM candidates)), max(value)) END AS frontier
	FROM candidates
), alike AS MATERIALIZED (
	SELECT value, count(*)::integer AS n, (array_agg(id ORDER BY id))[1:20] AS ids
	FROM candidates WHERE value <= COALESCE((SELECT frontier FROM reach), value)
	GROUP BY value HAVING count(*) > 1
), open AS MATERIALIZED (
	SELECT alike.*, m.in_common, m.customers FROM alike, LATERAL (
		SELECT
			ARRAY[
			count(DISTINCT r.alike_tax_id) = 1 AND min(r.alike_tax_id) <> '',
			count(DISTINCT r.alike_email) = 1 AND count(r.alike_email) = count(*),
			count(DISTINCT r.alike_name) = 1 AND min(r.alike_name) <> ''] AS in_common,
			json_agg(json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', COALESCE(r.email, ''), 'name', r.name, 'address', r.address, 'country', r.country, 'tax_id', r.tax_id, 'contact', r.contact, 'reference', r.reference, 'payment_days', COALESCE(r.payment_days::text, ''), 'copies_to', r.copies_to, 'archived_at', r.archived_at, 'erased_at', r.erased_at, 'taken_back', r.taken_back,
					'merged_into', (SELECT json_build_object('id', m.id, 'name', m.name) FROM customers m
						WHERE m.tenant_id = r.tenant_id AND m.id = r.merged_into LIMIT 1),
					'merged_from', (SELECT json_agg(json_build_object('id', m.id, 'name', m.name)) FROM (
							SELECT id, name FROM customers m WHERE m.tenant_id = r.tenant_id AND m.merged_into = r.id ORDER BY id LIMIT 100) AS m),
					'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) ORDER BY r.id) AS customers
		FROM unnest(alike.ids) AS member (id), LATERAL (
			SELECT * FROM customers c WHERE c.tenant_id = $1 AND c.id = member.id LIMIT 1) AS r
		OFFSET 0) AS m
	WHERE NOT (false) AND alike.n * (alike.n - 1) / 2 > (
		SELECT count(*) FROM unnest(alike.ids) AS one (id), unnest(alike.ids) AS other (id), LATERAL (
			SELECT FROM customer_distinct_pairs p
			WHERE p.tenant_id = $1 AND p.one_id = one.id AND p.other_id = other.id LIMIT 1) AS known
		WHERE one.id < other.id)
	ORDER BY value LIMIT $3
)
SELECT (SELECT frontier FROM reach), COALESCE((
		SELECT json_agg(json_build_object('value', value, 'count', n, 'alike', in_common, 'customers', customers) ORDER BY value)
		FROM open), '[]');

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT alike_email AS value, id FROM customers
	WHERE tenant_id = $1 AND merged_into IS NULL AND erased_at IS NULL AND alike_email <> '' AND alike_email > $2
	ORDER BY alike_email, id LIMIT 2000
), reach AS MATERIALIZED (
	SELECT CASE WHEN count(*) = 2000 THEN COALESCE(
		(SELECT max(value) FROM candidates WHERE value < (SELECT max(value) FROM candidates)), max(value)) END AS frontier
	FROM candidates
), alike AS MATERIALIZED (
	SELECT value, count(*)::integer AS n, (array_agg(id ORDER BY id))[1:20] AS ids
	FROM candidates WHERE value <= COALESCE((SELECT frontier FROM reach), value)
	GROUP BY value HAVING count(*) > 1
), open AS MATERIALIZED (
	SELECT alike.*, m.in_common, m.customers FROM alike, LATERAL (
		SELECT
			ARRAY[
			count(DISTINCT r.alike_tax_id) = 1 AND min(r.alike_tax_id) <> '',
			count(DISTINCT r.alike_email) = 1 AND count(r.alike_email) = count(*),
			count(DISTINCT r.alike_name) = 1 AND min(r.alike_name) <> ''] AS in_common,
			json_agg(json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', COALESCE(r.email, ''), 'name', r.name, 'address', r.address, 'country', r.country, 'tax_id', r.tax_id, 'contact', r.contact, 'reference', r.reference, 'payment_days', COALESCE(r.payment_days::text, ''), 'copies_to', r.copies_to, 'archived_at', r.archived_at, 'erased_at', r.erased_at, 'taken_back', r.taken_back,
					'merged_into', (SELECT json_build_object('id', m.id, 'name', m.name) FROM customers m
						WHERE m.tenant_id = r.tenant_id AND m.id = r.merged_into LIMIT 1),
					'merged_from', (SELECT json_agg(json_build_object('id', m.id, 'name', m.name)) FROM (
							SELECT id, name FROM customers m WHERE m.tenant_id = r.tenant_id AND m.merged_into = r.id ORDER BY id LIMIT 100) AS m),
					'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) ORDER BY r.id) AS customers
		FROM unnest(alike.ids) AS member (id), LATERAL (
			SELECT * FROM customers c WHERE c.tenant_id = $1 AND c.id = member.id LIMIT 1) AS r
		OFFSET 0) AS m
	WHERE NOT (false OR in_common[1]) AND alike.n * (alike.n - 1) / 2 > (
		SELECT count(*) FROM unnest(alike.ids) AS one (id), unnest(alike.ids) AS other (id), LATERAL (
			SELECT FROM customer_distinct_pairs p
			WHERE p.tenant_id = $1 AND p.one_id = one.id AND p.other_id = other.id LIMIT 1) AS known
		WHERE one.id < other.id)
	ORDER BY value LIMIT $3
)
SELECT (SELECT frontier FROM reach), COALESCE((
		SELECT json_agg(json_build_object('value', value, 'count', n, 'alike', in_common, 'customers', customers) ORDER BY value)
		FROM open), '[]');

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT alike_name AS value, id FROM customers
	WHERE tenant_id = $1 AND merged_into IS NULL AND erased_at IS NULL AND alike_name <> '' AND alike_name > $2
	ORDER BY alike_name, id LIMIT 2000
), reach AS MATERIALIZED (
	SELECT CASE WHEN count(*) = 2000 THEN COALESCE(
		(SELECT max(value) FROM candidates WHERE value < (SELECT max(value) FROM candidates)), max(value)) END AS frontier
	FROM candidates
), alike AS MATERIALIZED (
	SELECT value, count(*)::integer AS n, (array_agg(id ORDER BY id))[1:20] AS ids
	FROM candidates WHERE value <= COALESCE((SELECT frontier FROM reach), value)
	GROUP BY value HAVING count(*) > 1
), open AS MATERIALIZED (
	SELECT alike.*, m.in_common, m.customers FROM alike, LATERAL (
		SELECT
			ARRAY[
			count(DISTINCT r.alike_tax_id) = 1 AND min(r.alike_tax_id) <> '',
			count(DISTINCT r.alike_email) = 1 AND count(r.alike_email) = count(*),
			count(DISTINCT r.alike_name) = 1 AND min(r.alike_name) <> ''] AS in_common,
			json_agg(json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', COALESCE(r.email, ''), 'name', r.name, 'address', r.address, 'country', r.country, 'tax_id', r.tax_id, 'contact', r.contact, 'reference', r.reference, 'payment_days', COALESCE(r.payment_days::text, ''), 'copies_to', r.copies_to, 'archived_at', r.archived_at, 'erased_at', r.erased_at, 'taken_back', r.taken_back,
					'merged_into', (SELECT json_build_object('id', m.id, 'name', m.name) FROM customers m
						WHERE m.tenant_id = r.tenant_id AND m.id = r.merged_into LIMIT 1),
					'merged_from', (SELECT json_agg(json_build_object('id', m.id, 'name', m.name)) FROM (
							SELECT id, name FROM customers m WHERE m.tenant_id = r.tenant_id AND m.merged_into = r.id ORDER BY id LIMIT 100) AS m),
					'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) ORDER BY r.id) AS customers
		FROM unnest(alike.ids) AS member (id), LATERAL (
			SELECT * FROM customers c WHERE c.tenant_id = $1 AND c.id = member.id LIMIT 1) AS r
		OFFSET 0) AS m
	WHERE NOT (false OR in_common[1] OR in_common[2]) AND alike.n * (alike.n - 1) / 2 > (
		SELECT count(*) FROM unnest(alike.ids) AS one (id), unnest(alike.ids) AS other (id), LATERAL (
			SELECT FROM customer_distinct_pairs p
			WHERE p.tenant_id = $1 AND p.one_id = one.id AND p.other_id = other.id LIMIT 1) AS known
		WHERE one.id < other.id)
	ORDER BY value LIMIT $3
)
SELECT (SELECT frontier FROM reach), COALESCE((
		SELECT json_agg(json_build_object('value', value, 'count', n, 'alike', in_common, 'customers', customers) ORDER BY value)
		FROM open), '[]');

-- merges

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'winner', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM customers referred
			WHERE referred.tenant_id = r.tenant_id AND referred.id = r.winner_id), 'moved', r.moved, 'undone_at', r.undone_at,
		'losers', (
			SELECT json_agg(json_build_object('id', c.id, 'name', c.name) ORDER BY c.id) FROM unnest(r.loser_ids) AS one (id), LATERAL (
				SELECT c.id, c.name AS name FROM customers c
				WHERE c.tenant_id = r.tenant_id AND c.id = one.id LIMIT 1) AS c)) AS json FROM customer_merges r
	WHERE r.tenant_id = $1 AND r.id < $2 AND true
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $3;

-- merges, next page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'winner', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM customers referred
			WHERE referred.tenant_id = r.tenant_id AND referred.id = r.winner_id), 'moved', r.moved, 'undone_at', r.undone_at,
		'losers', (
			SELECT json_agg(json_build_object('id', c.id, 'name', c.name) ORDER BY c.id) FROM unnest(r.loser_ids) AS one (id), LATERAL (
				SELECT c.id, c.name AS name FROM customers c
				WHERE c.tenant_id = r.tenant_id AND c.id = one.id LIMIT 1) AS c)) AS json FROM customer_merges r
	WHERE r.tenant_id = $1 AND r.id < $2 AND true
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $3;

-- merges, previous page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'winner', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM customers referred
			WHERE referred.tenant_id = r.tenant_id AND referred.id = r.winner_id), 'moved', r.moved, 'undone_at', r.undone_at,
		'losers', (
			SELECT json_agg(json_build_object('id', c.id, 'name', c.name) ORDER BY c.id) FROM unnest(r.loser_ids) AS one (id), LATERAL (
				SELECT c.id, c.name AS name FROM customers c
				WHERE c.tenant_id = r.tenant_id AND c.id = one.id LIMIT 1) AS c)) AS json FROM customer_merges r
	WHERE r.tenant_id = $1 AND r.id > $2 AND true
	ORDER BY r.id LIMIT 201) AS page
ORDER BY id LIMIT $3;

-- distinctions

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'customers', (
			SELECT json_agg(json_build_object('id', c.id, 'name', c.name) ORDER BY c.id) FROM unnest(r.customer_ids) AS one (id), LATERAL (
				SELECT c.id, c.name AS name FROM customers c
				WHERE c.tenant_id = r.tenant_id AND c.id = one.id LIMIT 1) AS c)) AS json FROM customer_distinctions r
	WHERE r.tenant_id = $1 AND r.id < $2 AND true
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $3;
