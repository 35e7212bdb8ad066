-- Written by: make sql

-- reminder

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
	'invoice_id', r.invoice_id, 'level', r.level, 'sent_on', r.sent_on,
	'number', (SELECT i.number FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
	'recipient', (SELECT m.recipient FROM mails m WHERE m.tenant_id = r.tenant_id AND m.id = r.id),
	'state', (SELECT m.state FROM mails m WHERE m.tenant_id = r.tenant_id AND m.id = r.id)) FROM invoice_reminders r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;

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

-- chosen invoices

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
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
			SELECT json_build_object('level', m.level, 'sent_on', m.sent_on) FROM invoice_reminders m
			WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.level DESC LIMIT 1),
		'late', CASE WHEN r.state IN ('issued', 'partially_paid') AND r.due_date < (SELECT business_day()) THEN (SELECT business_day()) - r.due_date ELSE 0 END) AS json FROM invoices r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.id = ANY ($3::uuid[])
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $4;
