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

-- invoice with its next reminder

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
	'late', CASE WHEN r.state IN ('issued', 'partially_paid') AND r.due_date < (SELECT business_day()) THEN (SELECT business_day()) - r.due_date ELSE 0 END, 'next_on', (
		SELECT
			CASE
			WHEN COALESCE(r.bill_to->>'email', '') = '' THEN NULL
			WHEN last.level IS NULL THEN r.due_date + p.first_after
			WHEN last.level = 1 THEN last.sent_on + p.second_after
			WHEN last.level = 2 THEN last.sent_on + p.final_after END FROM (
				SELECT first_after, second_after, final_after FROM reminder_plans
				WHERE tenant_id = r.tenant_id AND settings_id = r.tenant_id LIMIT 1) AS p
			LEFT JOIN LATERAL (
				SELECT level, sent_on FROM invoice_reminders WHERE tenant_id = r.tenant_id AND invoice_id = r.id
				ORDER BY level DESC LIMIT 1) AS last ON true)) FROM invoices r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;

-- plan

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
	'first_after', r.first_after, 'second_after', COALESCE(r.second_after, 0), 'final_after', COALESCE(r.final_after, 0),
	'removed_at', r.removed_at) FROM reminder_plans r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;
