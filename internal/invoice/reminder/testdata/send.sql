-- Written by: make sql

-- reminder.send

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT send_reminder($1, $2, $3, $4::integer, NULLIF($5, ''),
	CASE WHEN $6 THEN (mail_wording($1, 'reminder_' || $4::integer, $3, NULL, $7)).body
	ELSE $7 END,
	$8, $9, true);

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6,
	record.id, CASE record.id WHEN $7 THEN 'created' ELSE 'reused' END, made.result, now() + $8
FROM (SELECT (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'invoice_id', r.invoice_id, 'level', r.level, 'sent_on', r.sent_on,
			'number', (SELECT i.number FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
			'recipient', (SELECT m.recipient
				FROM mails m WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.invoice_id AND m.kind = 'reminder_' || r.level
				ORDER BY m.id DESC LIMIT 1), 'state', (SELECT m.state
				FROM mails m WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.invoice_id AND m.kind = 'reminder_' || r.level
				ORDER BY m.id DESC LIMIT 1)) FROM invoice_reminders r
		WHERE r.tenant_id = $1 AND r.invoice_id = $9 AND r.level = $10) AS result OFFSET 0) AS made,
LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

-- reminder.send refused: reminder-not-next

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT send_reminder($1, $2, $3, $4::integer, NULLIF($5, ''),
	CASE WHEN $6 THEN (mail_wording($1, 'reminder_' || $4::integer, $3, NULL, $7)).body
	ELSE $7 END,
	$8, $9, true); -- fails: reminders_of_next_level

COMMIT; -- rolls back

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

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
	'late', CASE WHEN r.state IN ('issued', 'partially_paid') AND r.due_date < (SELECT business_day()) THEN (SELECT business_day()) - r.due_date ELSE 0 END) FROM invoices r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;
