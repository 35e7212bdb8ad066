-- Written by: make sql

-- attachment.create

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

INSERT INTO file_contents (tenant_id, digest, type, content) VALUES ($1, $2, $3, $4)
ON CONFLICT DO NOTHING;

INSERT INTO attachments (tenant_id, id, invoice_id, file_name, file_digest)
VALUES ($1, $2, $3, $4, $5);

INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
SELECT tenant_id, invoice_id, $1, $2, $3 FROM attachments
WHERE tenant_id = $4 AND id = $5;

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, made.result, now() + $8
FROM (SELECT (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'invoice_id', r.invoice_id, 'removed_at', r.removed_at, 'file', (SELECT json_build_object('name', r.file_name, 'type', c.type, 'size', c.size, 'sha256', encode(c.digest, 'hex'))
				FROM file_contents c WHERE c.tenant_id = r.tenant_id AND c.digest = r.file_digest)) FROM attachments r WHERE r.tenant_id = $1 AND r.id = $7) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

-- attachment.create refused: file-attached

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

INSERT INTO file_contents (tenant_id, digest, type, content) VALUES ($1, $2, $3, $4)
ON CONFLICT DO NOTHING;

INSERT INTO attachments (tenant_id, id, invoice_id, file_name, file_digest)
VALUES ($1, $2, $3, $4, $5); -- fails: attachments_once

COMMIT; -- rolls back

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
	'invoice_id', r.invoice_id, 'removed_at', r.removed_at, 'file', (SELECT json_build_object('name', r.file_name, 'type', c.type, 'size', c.size, 'sha256', encode(c.digest, 'hex'))
		FROM file_contents c WHERE c.tenant_id = r.tenant_id AND c.digest = r.file_digest)) FROM attachments r WHERE r.tenant_id = $1 AND r.invoice_id = $2 AND r.file_digest = $3 AND r.removed_at IS NULL LIMIT 1;
