-- Written by: make sql

-- mail.send

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT require_rows(CASE WHEN (
		SELECT $1 <> '' OR NOT EXISTS (
			SELECT FROM invoices
			WHERE tenant_id = $2 AND id = $3 AND status = 'issued' AND COALESCE(bill_to->>'email', '') = '')) THEN 1 ELSE 0 END, 1);

INSERT INTO mails (tenant_id, id, invoice_id, recipient, subject, introduction, greeted, e_invoice)
VALUES ($1, $2, $3, NULLIF($4, ''), $5, $6, true, $7);

INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
VALUES ($1, $2, $3, $4, 'email queued');

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, made.result, now() + $8
FROM (SELECT (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'invoice_id', r.invoice_id, 'credit_note_id', r.credit_note_id, 'recipient', r.recipient, 'copies', r.copies, 'kind', r.kind,
			'e_invoice', r.e_invoice, 'message', r.message, 'subject', r.subject, 'introduction', r.introduction, 'greeted', r.greeted,
			'state', r.state, 'attempts', r.attempts, 'reason', r.reason, 'message_id', COALESCE(r.message_id, ''), 'text', r.body,
			'kept', r.kept, 'sent_at', r.sent_at,
			'number', (SELECT i.number FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)) FROM mails r WHERE r.tenant_id = $1 AND r.id = $7) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

-- mail.send a failed one again

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT require_rows(CASE WHEN (
		SELECT $1 <> '' OR NOT EXISTS (
			SELECT FROM invoices
			WHERE tenant_id = $2 AND id = $3 AND status = 'issued' AND COALESCE(bill_to->>'email', '') = '')) THEN 1 ELSE 0 END, 1);

SELECT FROM lock_invoice($1, $2);

WITH changed AS (
	INSERT INTO mails (tenant_id, id, invoice_id, kind, credit_note_id, recipient, subject, introduction, message, greeted, e_invoice)
	SELECT tenant_id, $1, invoice_id, kind, credit_note_id, NULLIF($2, ''), COALESCE(NULLIF($3, ''), subject),
	CASE WHEN kind LIKE 'reminder%' THEN '' ELSE COALESCE(NULLIF($4, ''), introduction) END,
	CASE WHEN kind LIKE 'reminder%' THEN COALESCE(NULLIF($4, ''), message) ELSE message END,
	greeted OR $4 <> '', CASE kind WHEN 'invoice' THEN $5 ELSE e_invoice END
	FROM mails m
	WHERE tenant_id = $6 AND id = $7 AND invoice_id = $8 AND state = 'failed' AND (
		kind NOT LIKE 'reminder%' OR EXISTS (
			SELECT FROM invoices WHERE tenant_id = $6 AND id = $8 AND state IN ('issued', 'partially_paid')))
	AND NOT EXISTS (
		SELECT FROM mails later
		WHERE later.tenant_id = $6 AND later.invoice_id = $8 AND later.id > m.id AND later.kind = m.kind
		AND later.credit_note_id IS NOT DISTINCT FROM m.credit_note_id) RETURNING 1) SELECT require_rows((SELECT count(*) FROM changed), $9);

INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
VALUES ($1, $2, $3, $4, 'email queued');

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, made.result, now() + $8
FROM (SELECT (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'invoice_id', r.invoice_id, 'credit_note_id', r.credit_note_id, 'recipient', r.recipient, 'copies', r.copies, 'kind', r.kind,
			'e_invoice', r.e_invoice, 'message', r.message, 'subject', r.subject, 'introduction', r.introduction, 'greeted', r.greeted,
			'state', r.state, 'attempts', r.attempts, 'reason', r.reason, 'message_id', COALESCE(r.message_id, ''), 'text', r.body,
			'kept', r.kept, 'sent_at', r.sent_at,
			'number', (SELECT i.number FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)) FROM mails r WHERE r.tenant_id = $1 AND r.id = $7) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

-- mail.send a credit note

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT require_rows(CASE WHEN (
		SELECT $1 <> '' OR NOT EXISTS (
			SELECT FROM invoices
			WHERE tenant_id = $2 AND id = $3 AND status = 'issued' AND COALESCE(bill_to->>'email', '') = '')) THEN 1 ELSE 0 END, 1);

WITH changed AS (
	INSERT INTO mails (tenant_id, id, invoice_id, kind, credit_note_id, recipient, subject, introduction, greeted, e_invoice)
	SELECT tenant_id, $1, invoice_id, CASE WHEN reverses_id IS NULL THEN 'credit_note' ELSE 'reversal' END, id,
	NULLIF($2, ''), $3, $4, true, COALESCE((
			SELECT (
				SELECT m.e_invoice
				FROM (
					SELECT id FROM invoices WHERE tenant_id = $5 AND customer_id = billed.customer_id
					ORDER BY issue_date DESC, id DESC LIMIT 10) AS last,
				LATERAL (
					SELECT id, e_invoice FROM mails WHERE tenant_id = $5 AND invoice_id = last.id AND kind = 'invoice'
					ORDER BY id DESC LIMIT 1) AS m
				ORDER BY m.id DESC LIMIT 1) FROM invoices billed WHERE tenant_id = $5 AND id = $6), false)
	FROM credit_notes
	WHERE tenant_id = $5 AND id = $7 AND invoice_id = $6 RETURNING 1) SELECT require_rows((SELECT count(*) FROM changed), $8);

INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
VALUES ($1, $2, $3, $4, 'email queued');

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, made.result, now() + $8
FROM (SELECT (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'invoice_id', r.invoice_id, 'credit_note_id', r.credit_note_id, 'recipient', r.recipient, 'copies', r.copies, 'kind', r.kind,
			'e_invoice', r.e_invoice, 'message', r.message, 'subject', r.subject, 'introduction', r.introduction, 'greeted', r.greeted,
			'state', r.state, 'attempts', r.attempts, 'reason', r.reason, 'message_id', COALESCE(r.message_id, ''), 'text', r.body,
			'kept', r.kept, 'sent_at', r.sent_at,
			'number', (SELECT i.number FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)) FROM mails r WHERE r.tenant_id = $1 AND r.id = $7) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;
