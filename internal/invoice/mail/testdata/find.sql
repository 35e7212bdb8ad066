-- Written by: make sql

-- email

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
	'invoice_id', r.invoice_id, 'credit_note_id', r.credit_note_id, 'recipient', r.recipient, 'copies', r.copies, 'kind', r.kind,
	'e_invoice', r.e_invoice, 'message', r.message, 'subject', r.subject, 'introduction', r.introduction, 'greeted', r.greeted,
	'state', r.state, 'attempts', r.attempts, 'reason', r.reason, 'message_id', COALESCE(r.message_id, ''), 'text', r.body,
	'kept', r.kept, 'sent_at', r.sent_at,
	'number', (SELECT i.number FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)) FROM mails r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;

-- email texts

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, 'invoice_subject', r.invoice_subject, 'invoice_text', r.invoice_text, 'credit_note_subject', r.credit_note_subject, 'credit_note_text', r.credit_note_text, 'reversal_subject', r.reversal_subject, 'reversal_text', r.reversal_text, 'void_subject', r.void_subject, 'void_text', r.void_text, 'reminder_1_subject', r.reminder_1_subject, 'reminder_1_text', r.reminder_1_text, 'reminder_2_subject', r.reminder_2_subject, 'reminder_2_text', r.reminder_2_text, 'reminder_3_subject', r.reminder_3_subject, 'reminder_3_text', r.reminder_3_text) FROM mail_texts r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;

-- email texts of an invoice

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT COALESCE(subject, ''), COALESCE(body, '') FROM mail_wording($1, $2, $3, $4);

-- newest failures

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT m.invoice_id, i.number, m.recipient, m.reason
FROM (
	SELECT id, invoice_id, kind, recipient, reason FROM mails
	WHERE tenant_id = $1 AND state = 'failed' AND created_at > now() - interval '90 days'
	ORDER BY created_at DESC, id DESC LIMIT 200) AS m,
LATERAL (SELECT number, state FROM invoices WHERE tenant_id = $1 AND id = m.invoice_id LIMIT 1) AS i
WHERE CASE m.kind
WHEN 'void' THEN true WHEN 'credit_note' THEN true WHEN 'reversal' THEN true WHEN 'invoice' THEN i.state <> 'void'
ELSE i.state IN ('issued', 'partially_paid') END AND NOT EXISTS (
	SELECT FROM mails later WHERE later.tenant_id = $1 AND later.invoice_id = m.invoice_id AND later.id > m.id OFFSET 0)
ORDER BY m.id DESC LIMIT $2;
