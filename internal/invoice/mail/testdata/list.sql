-- Written by: make sql

-- emails

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'invoice_id', r.invoice_id, 'credit_note_id', r.credit_note_id, 'recipient', r.recipient, 'copies', r.copies, 'kind', r.kind,
		'e_invoice', r.e_invoice, 'message', r.message, 'subject', r.subject, 'introduction', r.introduction, 'greeted', r.greeted,
		'state', r.state, 'attempts', r.attempts, 'reason', r.reason, 'message_id', COALESCE(r.message_id, ''), 'text', r.body,
		'kept', r.kept, 'sent_at', r.sent_at,
		'number', (SELECT i.number FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)) AS json FROM mails r
	WHERE r.tenant_id = $1 AND r.id < $2 AND true
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $3;

-- emails, next page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'invoice_id', r.invoice_id, 'credit_note_id', r.credit_note_id, 'recipient', r.recipient, 'copies', r.copies, 'kind', r.kind,
		'e_invoice', r.e_invoice, 'message', r.message, 'subject', r.subject, 'introduction', r.introduction, 'greeted', r.greeted,
		'state', r.state, 'attempts', r.attempts, 'reason', r.reason, 'message_id', COALESCE(r.message_id, ''), 'text', r.body,
		'kept', r.kept, 'sent_at', r.sent_at,
		'number', (SELECT i.number FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)) AS json FROM mails r
	WHERE r.tenant_id = $1 AND r.id < $2 AND true
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $3;

-- emails, previous page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'invoice_id', r.invoice_id, 'credit_note_id', r.credit_note_id, 'recipient', r.recipient, 'copies', r.copies, 'kind', r.kind,
		'e_invoice', r.e_invoice, 'message', r.message, 'subject', r.subject, 'introduction', r.introduction, 'greeted', r.greeted,
		'state', r.state, 'attempts', r.attempts, 'reason', r.reason, 'message_id', COALESCE(r.message_id, ''), 'text', r.body,
		'kept', r.kept, 'sent_at', r.sent_at,
		'number', (SELECT i.number FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)) AS json FROM mails r
	WHERE r.tenant_id = $1 AND r.id > $2 AND true
	ORDER BY r.id LIMIT 201) AS page
ORDER BY id LIMIT $3;

-- emails about an invoice

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'invoice_id', r.invoice_id, 'credit_note_id', r.credit_note_id, 'recipient', r.recipient, 'copies', r.copies, 'kind', r.kind,
		'e_invoice', r.e_invoice, 'message', r.message, 'subject', r.subject, 'introduction', r.introduction, 'greeted', r.greeted,
		'state', r.state, 'attempts', r.attempts, 'reason', r.reason, 'message_id', COALESCE(r.message_id, ''), 'text', r.body,
		'kept', r.kept, 'sent_at', r.sent_at,
		'number', (SELECT i.number FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)) AS json FROM mails r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.invoice_id = $3
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $4;

-- emails with a credit note

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'invoice_id', r.invoice_id, 'credit_note_id', r.credit_note_id, 'recipient', r.recipient, 'copies', r.copies, 'kind', r.kind,
		'e_invoice', r.e_invoice, 'message', r.message, 'subject', r.subject, 'introduction', r.introduction, 'greeted', r.greeted,
		'state', r.state, 'attempts', r.attempts, 'reason', r.reason, 'message_id', COALESCE(r.message_id, ''), 'text', r.body,
		'kept', r.kept, 'sent_at', r.sent_at,
		'number', (SELECT i.number FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)) AS json FROM mails r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.credit_note_id = $3
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $4;
