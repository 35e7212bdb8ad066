-- Written by: make sql

-- reminder

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
	'invoice_id', r.invoice_id, 'level', r.level, 'sent_on', r.sent_on,
	'number', (SELECT i.number FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
	'recipient', (SELECT m.recipient
		FROM mails m WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.invoice_id AND m.kind = 'reminder_' || r.level
		ORDER BY m.id DESC LIMIT 1), 'state', (SELECT m.state
		FROM mails m WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.invoice_id AND m.kind = 'reminder_' || r.level
		ORDER BY m.id DESC LIMIT 1)) FROM invoice_reminders r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;

-- batch

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
	'reminders', (
		SELECT json_agg(json_build_object('invoice_id', o.invoice_id, 'level', o.level, 'outcome', o.outcome, 'number', (
					SELECT i.number FROM invoices i WHERE i.tenant_id = o.tenant_id AND i.id = o.invoice_id)) ORDER BY o.invoice_id)
		FROM invoice_reminder_outcomes o WHERE o.tenant_id = r.tenant_id AND o.batch_id = r.id)) FROM invoice_reminder_batches r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;

-- plan

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
	'first_after', r.first_after, 'second_after', COALESCE(r.second_after, 0), 'final_after', COALESCE(r.final_after, 0),
	'removed_at', r.removed_at) FROM reminder_plans r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;
