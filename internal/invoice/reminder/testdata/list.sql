-- Written by: make sql

-- reminders of an invoice

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'invoice_id', r.invoice_id, 'level', r.level, 'sent_on', r.sent_on,
		'number', (SELECT i.number FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
		'recipient', (SELECT m.recipient
			FROM mails m WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.invoice_id AND m.kind = 'reminder_' || r.level
			ORDER BY m.id DESC LIMIT 1), 'state', (SELECT m.state
			FROM mails m WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.invoice_id AND m.kind = 'reminder_' || r.level
			ORDER BY m.id DESC LIMIT 1)) AS json FROM invoice_reminders r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.invoice_id = $3
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $4;

-- batches

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'reminders', (
			SELECT json_agg(json_build_object('invoice_id', o.invoice_id, 'level', o.level, 'outcome', o.outcome, 'number', (
						SELECT i.number FROM invoices i WHERE i.tenant_id = o.tenant_id AND i.id = o.invoice_id)) ORDER BY o.invoice_id)
			FROM invoice_reminder_outcomes o WHERE o.tenant_id = r.tenant_id AND o.batch_id = r.id)) AS json FROM invoice_reminder_batches r
	WHERE r.tenant_id = $1 AND r.id < $2 AND true
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $3;

-- plans

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'first_after', r.first_after, 'second_after', COALESCE(r.second_after, 0), 'final_after', COALESCE(r.final_after, 0),
		'removed_at', r.removed_at) AS json FROM reminder_plans r
	WHERE r.tenant_id = $1 AND r.id < $2 AND true
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $3;
