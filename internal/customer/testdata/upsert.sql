-- Written by: make sql

-- customer.upsert

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, CASE record.id WHEN $7
	THEN tell_repeat(record.id, made.result, $8) ELSE made.result END, now() + $9
FROM (SELECT (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', COALESCE(r.email, ''), 'name', r.name, 'address', r.address, 'country', r.country, 'tax_id', r.tax_id, 'contact', r.contact, 'reference', r.reference, 'payment_days', COALESCE(r.payment_days::text, ''), 'copies_to', r.copies_to, 'archived_at', r.archived_at, 'erased_at', r.erased_at, 'taken_back', r.taken_back,
			'merged_into', (SELECT json_build_object('id', m.id, 'name', m.name) FROM customers m
				WHERE m.tenant_id = r.tenant_id AND m.id = r.merged_into LIMIT 1),
			'merged_from', (SELECT json_agg(json_build_object('id', m.id, 'name', m.name)) FROM (
					SELECT id, name FROM customers m WHERE m.tenant_id = r.tenant_id AND m.merged_into = r.id ORDER BY id LIMIT 100) AS m),
			'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) FROM find_or_create_customer($1, $7, in_email => NULLIF($10, ''), in_name => $11, in_address => $12, in_country => $13, in_tax_id => $14, in_contact => $15, in_reference => $16, in_payment_days => NULLIF($17, '')::integer, in_copies_to => $18, in_same_email => $19,
			in_source => $20::text, in_external_id => $21::text, in_digest => $22::bytea
		) r) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

-- customer.upsert with an external id

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT pg_advisory_xact_lock(hashtextextended(concat_ws('/', 'external', $1::text, 'customers',
			fold_text($2::text), $3::text), 0));

SELECT begin_external(
	(SELECT r.external_digest = $1 OR r.merged_into IS NOT NULL FROM customers r WHERE r.tenant_id = $2 AND r.source_folded = fold_text($3::text) AND r.external_id = $4::text), 'customers_external_once');

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, CASE record.id WHEN $7
	THEN tell_repeat(record.id, made.result, $8) ELSE made.result END, now() + $9
FROM (SELECT (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', COALESCE(r.email, ''), 'name', r.name, 'address', r.address, 'country', r.country, 'tax_id', r.tax_id, 'contact', r.contact, 'reference', r.reference, 'payment_days', COALESCE(r.payment_days::text, ''), 'copies_to', r.copies_to, 'archived_at', r.archived_at, 'erased_at', r.erased_at, 'taken_back', r.taken_back,
			'merged_into', (SELECT json_build_object('id', m.id, 'name', m.name) FROM customers m
				WHERE m.tenant_id = r.tenant_id AND m.id = r.merged_into LIMIT 1),
			'merged_from', (SELECT json_agg(json_build_object('id', m.id, 'name', m.name)) FROM (
					SELECT id, name FROM customers m WHERE m.tenant_id = r.tenant_id AND m.merged_into = r.id ORDER BY id LIMIT 100) AS m),
			'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) FROM find_or_create_customer($1, $7, in_email => NULLIF($10, ''), in_name => $11, in_address => $12, in_country => $13, in_tax_id => $14, in_contact => $15, in_reference => $16, in_payment_days => NULLIF($17, '')::integer, in_copies_to => $18, in_same_email => $19,
			in_source => $20::text, in_external_id => $21::text, in_digest => $22::bytea
		) r) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

-- customer.upsert refused: customer-differs

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, CASE record.id WHEN $7
	THEN tell_repeat(record.id, made.result, $8) ELSE made.result END, now() + $9
FROM (SELECT (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', COALESCE(r.email, ''), 'name', r.name, 'address', r.address, 'country', r.country, 'tax_id', r.tax_id, 'contact', r.contact, 'reference', r.reference, 'payment_days', COALESCE(r.payment_days::text, ''), 'copies_to', r.copies_to, 'archived_at', r.archived_at, 'erased_at', r.erased_at, 'taken_back', r.taken_back,
			'merged_into', (SELECT json_build_object('id', m.id, 'name', m.name) FROM customers m
				WHERE m.tenant_id = r.tenant_id AND m.id = r.merged_into LIMIT 1),
			'merged_from', (SELECT json_agg(json_build_object('id', m.id, 'name', m.name)) FROM (
					SELECT id, name FROM customers m WHERE m.tenant_id = r.tenant_id AND m.merged_into = r.id ORDER BY id LIMIT 100) AS m),
			'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) FROM find_or_create_customer($1, $7, in_email => NULLIF($10, ''), in_name => $11, in_address => $12, in_country => $13, in_tax_id => $14, in_contact => $15, in_reference => $16, in_payment_days => NULLIF($17, '')::integer, in_copies_to => $18, in_same_email => $19,
			in_source => $20::text, in_external_id => $21::text, in_digest => $22::bytea
		) r) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents'); -- fails: customers_differ

COMMIT; -- rolls back

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT holder.reusable, $1 <> '' AND alike_tax_id($1) <> r.alike_tax_id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', COALESCE(r.email, ''), 'name', r.name, 'address', r.address, 'country', r.country, 'tax_id', r.tax_id, 'contact', r.contact, 'reference', r.reference, 'payment_days', COALESCE(r.payment_days::text, ''), 'copies_to', r.copies_to, 'archived_at', r.archived_at, 'erased_at', r.erased_at, 'taken_back', r.taken_back,
	'merged_into', (SELECT json_build_object('id', m.id, 'name', m.name) FROM customers m
		WHERE m.tenant_id = r.tenant_id AND m.id = r.merged_into LIMIT 1),
	'merged_from', (SELECT json_agg(json_build_object('id', m.id, 'name', m.name)) FROM (
			SELECT id, name FROM customers m WHERE m.tenant_id = r.tenant_id AND m.merged_into = r.id ORDER BY id LIMIT 100) AS m),
	'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, ''))
FROM (
	SELECT id, bool_or(name_folded = fold_text($2)) AS reusable
	FROM ((SELECT id, name_folded FROM customers WHERE tenant_id = $3 AND email_folded = $4
			AND id <> $5 AND merged_into IS NULL AND name_folded = fold_text($2)) UNION ALL (SELECT id, name_folded FROM customers WHERE tenant_id = $3 AND email_folded = $4
			AND id <> $5 AND merged_into IS NULL LIMIT 6) UNION ALL (SELECT merged_into, name_folded FROM customers WHERE tenant_id = $3 AND email_folded = $4
			AND merged_into <> $5 AND merged_into IS NOT NULL AND name_folded = fold_text($2) LIMIT 6) UNION ALL (SELECT merged_into, name_folded FROM customers WHERE tenant_id = $3 AND email_folded = $4
			AND merged_into <> $5 AND merged_into IS NOT NULL LIMIT 6)) AS named
	GROUP BY id) AS holder,
LATERAL (SELECT * FROM customers WHERE tenant_id = $3 AND id = holder.id LIMIT 1) AS r
ORDER BY holder.reusable DESC, r.id LIMIT 6;
