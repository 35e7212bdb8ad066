-- Written by: make sql

-- invoice_batch.create

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

INSERT INTO invoice_batches (tenant_id, id, action, no_email, e_invoice, asked_by)
VALUES ($1, $2, $3, $4, $5, $6);

INSERT INTO invoice_batch_items (tenant_id, batch_id, invoice_id)
SELECT $1, $2, unnest($3::uuid[]);

INSERT INTO river.river_job (kind, queue, args, max_attempts)
VALUES ('invoice_batch', 'invoice_batches', jsonb_build_object('tenant', $1::uuid, 'batch', $2::uuid),
	25);

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, made.result, now() + $8
FROM (SELECT (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'action', r.action, 'no_email', r.no_email, 'e_invoice', r.e_invoice, 'asked_by', r.asked_by, 'invoices', (
				SELECT json_agg(json_build_object('invoice_id', b.invoice_id, 'outcome', b.outcome, 'reason', b.reason, 'number', i.number,
						'mailed', b.outcome = 'done' AND NOT r.no_email AND COALESCE(i.bill_to->>'email', '') <> '') ORDER BY b.invoice_id)
				FROM invoice_batch_items b LEFT JOIN LATERAL (
					SELECT number, bill_to FROM invoices WHERE tenant_id = b.tenant_id AND id = b.invoice_id LIMIT 1) AS i ON true
				WHERE b.tenant_id = r.tenant_id AND b.batch_id = r.id)) FROM invoice_batches r WHERE r.tenant_id = $1 AND r.id = $7) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;
