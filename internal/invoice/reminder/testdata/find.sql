-- Written by: make sql

-- reminder

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
	'invoice_id', r.invoice_id, 'level', r.level, 'sent_on', r.sent_on,
	'number', (SELECT i.number FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
	'recipient', (SELECT m.recipient FROM mails m WHERE m.tenant_id = r.tenant_id AND m.id = r.id),
	'state', (SELECT m.state FROM mails m WHERE m.tenant_id = r.tenant_id AND m.id = r.id)) FROM invoice_reminders r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;
