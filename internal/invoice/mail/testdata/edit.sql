-- Written by: make sql

-- mail_texts.edit

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT FROM mail_texts r WHERE r.tenant_id = $1 AND r.id = $2 FOR UPDATE;

SELECT begin_change(r.version, $1, r.made, r.record)
FROM (SELECT) AS one LEFT JOIN (
	SELECT r.version, (false) AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'invoice_subject', r.invoice_subject, 'invoice_text', r.invoice_text, 'credit_note_subject', r.credit_note_subject, 'credit_note_text', r.credit_note_text, 'reversal_subject', r.reversal_subject, 'reversal_text', r.reversal_text, 'void_subject', r.void_subject, 'void_text', r.void_text, 'reminder_1_subject', r.reminder_1_subject, 'reminder_1_text', r.reminder_1_text, 'reminder_2_subject', r.reminder_2_subject, 'reminder_2_text', r.reminder_2_text, 'reminder_3_subject', r.reminder_3_subject, 'reminder_3_text', r.reminder_3_text) AS record FROM mail_texts r WHERE r.tenant_id = $2 AND r.id = $3) AS r ON true;

UPDATE mail_texts SET (invoice_subject, invoice_text, credit_note_subject, credit_note_text, reversal_subject, reversal_text, void_subject, void_text, reminder_1_subject, reminder_1_text, reminder_2_subject, reminder_2_text, reminder_3_subject, reminder_3_text) = ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
WHERE tenant_id = $15 AND id = $16 AND (invoice_subject, invoice_text, credit_note_subject, credit_note_text, reversal_subject, reversal_text, void_subject, void_text, reminder_1_subject, reminder_1_text, reminder_2_subject, reminder_2_text, reminder_3_subject, reminder_3_text) IS DISTINCT FROM ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14);

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, changes, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6, $7,
	CASE WHEN made.changes IS NULL THEN 'unchanged' ELSE 'changed' END, made.changes, made.result, now() + $8
FROM (
	SELECT end_change(r.made, r.record) AS changes, r.record AS result
	FROM (SELECT (true) AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'invoice_subject', r.invoice_subject, 'invoice_text', r.invoice_text, 'credit_note_subject', r.credit_note_subject, 'credit_note_text', r.credit_note_text, 'reversal_subject', r.reversal_subject, 'reversal_text', r.reversal_text, 'void_subject', r.void_subject, 'void_text', r.void_text, 'reminder_1_subject', r.reminder_1_subject, 'reminder_1_text', r.reminder_1_text, 'reminder_2_subject', r.reminder_2_subject, 'reminder_2_text', r.reminder_2_text, 'reminder_3_subject', r.reminder_3_subject, 'reminder_3_text', r.reminder_3_text) AS record FROM mail_texts r WHERE r.tenant_id = $1 AND r.id = $7 OFFSET 0) AS r
	OFFSET 0) AS made
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;
