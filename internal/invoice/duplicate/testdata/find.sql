-- Written by: make sql

-- invoices of a choice

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
	'late', CASE WHEN r.state IN ('issued', 'partially_paid') AND r.due_date < (SELECT business_day()) THEN (SELECT business_day()) - r.due_date ELSE 0 END) FROM invoices r
WHERE r.tenant_id = $1 AND r.id = ANY ($2::uuid[]) ORDER BY r.id LIMIT 20;

-- invoices voided as duplicates of another

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
			SELECT json_build_object('level', m.level, 'sent_on', m.sent_on, 'unsent', (
					SELECT e.state = 'failed' OR e.kept FROM mails e
					WHERE e.tenant_id = m.tenant_id AND e.invoice_id = m.invoice_id AND e.kind = 'reminder_' || m.level
					AND e.kind IN ('reminder_1', 'reminder_2', 'reminder_3') -- as in the index
					ORDER BY e.id DESC LIMIT 1))
			FROM invoice_reminders m
			WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.level DESC LIMIT 1),
		'late', CASE WHEN r.state IN ('issued', 'partially_paid') AND r.due_date < (SELECT business_day()) THEN (SELECT business_day()) - r.due_date ELSE 0 END) AS json FROM invoices r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.duplicate_of = $3
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $4;
