-- Written by: make sql

-- settings.edit

begin isolation level read committed;

SELECT set_config('idle_in_transaction_session_timeout', $1, true);

SELECT claim_intent($1, $2, $3, $4);

SELECT FROM settings r WHERE r.tenant_id = $1 AND r.id = $2 FOR UPDATE;

SELECT begin_change(r.version, $1, r.made, r.record)
FROM (SELECT) AS one LEFT JOIN (
	SELECT r.version, (false) AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'name', r.name, 'email', r.email, 'address', r.address, 'country', r.country, 'tax_id', r.tax_id,
		'account_holder', r.account_holder, 'account_number', r.account_number, 'bic', r.bic,
		'currency', r.currency, 'tax_rate', COALESCE(r.tax_rate::text, ''), 'payment_days', r.payment_days::text,
		'footer', r.footer, 'time_zone', r.time_zone) AS record FROM settings r WHERE r.tenant_id = $2 AND r.id = $3) AS r ON true;

UPDATE settings SET (name, email, address, country, tax_id, account_holder, account_number, bic, currency, tax_rate, payment_days, footer,
	time_zone) = ($1, $2, $3, $4, $5, $6, $7, $8, $9,
	NULLIF($10, '')::numeric, $11::integer, $12, $13)
WHERE tenant_id = $14 AND id = $15 AND (name, email, address, country, tax_id, account_holder, account_number, bic, currency, tax_rate, payment_days, footer,
	time_zone) IS DISTINCT FROM ($1, $2, $3, $4, $5, $6, $7, $8, $9,
	NULLIF($10, '')::numeric, $11::integer, $12, $13);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
	'name', r.name, 'email', r.email, 'address', r.address, 'country', r.country, 'tax_id', r.tax_id,
	'account_holder', r.account_holder, 'account_number', r.account_number, 'bic', r.bic,
	'currency', r.currency, 'tax_rate', COALESCE(r.tax_rate::text, ''), 'payment_days', r.payment_days::text,
	'footer', r.footer, 'time_zone', r.time_zone) FROM settings r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, changes, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6, $7,
	CASE WHEN made.changes IS NULL THEN 'unchanged' ELSE 'changed' END, made.changes, made.result, now() + $8
FROM (
	SELECT end_change(r.made, r.record) AS changes, $9::json AS result
	FROM (SELECT (true) AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'name', r.name, 'email', r.email, 'address', r.address, 'country', r.country, 'tax_id', r.tax_id,
			'account_holder', r.account_holder, 'account_number', r.account_number, 'bic', r.bic,
			'currency', r.currency, 'tax_rate', COALESCE(r.tax_rate::text, ''), 'payment_days', r.payment_days::text,
			'footer', r.footer, 'time_zone', r.time_zone) AS record FROM settings r WHERE r.tenant_id = $1 AND r.id = $7 OFFSET 0) AS r
	OFFSET 0) AS made
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

commit;
