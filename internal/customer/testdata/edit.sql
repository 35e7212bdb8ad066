-- Written by: make sql

-- customer.edit

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT FROM customers r WHERE r.tenant_id = $1 AND r.id = $2 FOR UPDATE;

SELECT begin_change(r.version, $1, r.made, r.record)
FROM (SELECT) AS one LEFT JOIN (
	SELECT r.version, (false) AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', COALESCE(r.email, ''), 'name', r.name, 'address', r.address, 'country', r.country, 'tax_id', r.tax_id, 'contact', r.contact, 'reference', r.reference, 'payment_days', COALESCE(r.payment_days::text, ''), 'copies_to', r.copies_to, 'archived_at', r.archived_at, 'erased_at', r.erased_at, 'taken_back', r.taken_back,
		'merged_into', (SELECT json_build_object('id', m.id, 'name', m.name) FROM customers m
			WHERE m.tenant_id = r.tenant_id AND m.id = r.merged_into LIMIT 1),
		'merged_from', (SELECT json_agg(json_build_object('id', m.id, 'name', m.name)) FROM (
				SELECT id, name FROM customers m WHERE m.tenant_id = r.tenant_id AND m.merged_into = r.id ORDER BY id LIMIT 100) AS m),
		'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) AS record FROM customers r WHERE r.tenant_id = $2 AND r.id = $3) AS r ON true;

SELECT check_customer_email($1, $2, NULLIF($3, ''), $4);

UPDATE customers SET (email, name, address, country, tax_id, contact, reference, payment_days, copies_to, source, external_id, external_digest) = (NULLIF($1, ''), $2, $3, $4, $5, $6, $7, NULLIF($8, '')::integer, $9, COALESCE($10::text, source), COALESCE($11::text, external_id),
	COALESCE($12::bytea, external_digest))
WHERE tenant_id = $13 AND id = $14 AND (email, name, address, country, tax_id, contact, reference, payment_days, copies_to, source, external_id, external_digest) IS DISTINCT FROM (NULLIF($1, ''), $2, $3, $4, $5, $6, $7, NULLIF($8, '')::integer, $9, COALESCE($10::text, source), COALESCE($11::text, external_id),
	COALESCE($12::bytea, external_digest));

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, changes, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6, $7,
	CASE WHEN made.changes IS NULL THEN 'unchanged' ELSE 'changed' END, made.changes, made.result, now() + $8
FROM (
	SELECT end_change(r.made, r.record) AS changes, r.record AS result
	FROM (SELECT (true) AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', COALESCE(r.email, ''), 'name', r.name, 'address', r.address, 'country', r.country, 'tax_id', r.tax_id, 'contact', r.contact, 'reference', r.reference, 'payment_days', COALESCE(r.payment_days::text, ''), 'copies_to', r.copies_to, 'archived_at', r.archived_at, 'erased_at', r.erased_at, 'taken_back', r.taken_back,
			'merged_into', (SELECT json_build_object('id', m.id, 'name', m.name) FROM customers m
				WHERE m.tenant_id = r.tenant_id AND m.id = r.merged_into LIMIT 1),
			'merged_from', (SELECT json_agg(json_build_object('id', m.id, 'name', m.name)) FROM (
					SELECT id, name FROM customers m WHERE m.tenant_id = r.tenant_id AND m.merged_into = r.id ORDER BY id LIMIT 100) AS m),
			'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) AS record FROM customers r WHERE r.tenant_id = $1 AND r.id = $7 OFFSET 0) AS r
	OFFSET 0) AS made
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

-- customer.edit refused: email-taken

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT FROM customers r WHERE r.tenant_id = $1 AND r.id = $2 FOR UPDATE;

SELECT begin_change(r.version, $1, r.made, r.record)
FROM (SELECT) AS one LEFT JOIN (
	SELECT r.version, (false) AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', COALESCE(r.email, ''), 'name', r.name, 'address', r.address, 'country', r.country, 'tax_id', r.tax_id, 'contact', r.contact, 'reference', r.reference, 'payment_days', COALESCE(r.payment_days::text, ''), 'copies_to', r.copies_to, 'archived_at', r.archived_at, 'erased_at', r.erased_at, 'taken_back', r.taken_back,
		'merged_into', (SELECT json_build_object('id', m.id, 'name', m.name) FROM customers m
			WHERE m.tenant_id = r.tenant_id AND m.id = r.merged_into LIMIT 1),
		'merged_from', (SELECT json_agg(json_build_object('id', m.id, 'name', m.name)) FROM (
				SELECT id, name FROM customers m WHERE m.tenant_id = r.tenant_id AND m.merged_into = r.id ORDER BY id LIMIT 100) AS m),
		'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) AS record FROM customers r WHERE r.tenant_id = $2 AND r.id = $3) AS r ON true;

SELECT check_customer_email($1, $2, NULLIF($3, ''), $4); -- fails: customers_differ

COMMIT; -- rolls back

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'email', COALESCE(r.email, ''), 'name', r.name, 'address', r.address, 'country', r.country, 'tax_id', r.tax_id, 'contact', r.contact, 'reference', r.reference, 'payment_days', COALESCE(r.payment_days::text, ''), 'copies_to', r.copies_to, 'archived_at', r.archived_at, 'erased_at', r.erased_at, 'taken_back', r.taken_back,
	'merged_into', (SELECT json_build_object('id', m.id, 'name', m.name) FROM customers m
		WHERE m.tenant_id = r.tenant_id AND m.id = r.merged_into LIMIT 1),
	'merged_from', (SELECT json_agg(json_build_object('id', m.id, 'name', m.name)) FROM (
			SELECT id, name FROM customers m WHERE m.tenant_id = r.tenant_id AND m.merged_into = r.id ORDER BY id LIMIT 100) AS m),
	'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) FROM customers r WHERE r.tenant_id = $1 AND r.email_folded = $2 AND r.name_folded = fold_text($3) AND r.merged_into IS NULL LIMIT 1;
