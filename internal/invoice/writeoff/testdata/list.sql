-- Written by: make sql

-- write-offs of an invoice

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'invoice_id', r.invoice_id, 'amount', r.amount, 'date', r.written_off_on, 'reason', r.reason, 'note', r.note,
		'reversed_at', r.reversed_at,
		'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)) AS json FROM write_offs r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.invoice_id = $3
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $4;

-- write-offs of an invoice, next page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'invoice_id', r.invoice_id, 'amount', r.amount, 'date', r.written_off_on, 'reason', r.reason, 'note', r.note,
		'reversed_at', r.reversed_at,
		'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)) AS json FROM write_offs r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.invoice_id = $3
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $4;

-- write-offs of an invoice, previous page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'invoice_id', r.invoice_id, 'amount', r.amount, 'date', r.written_off_on, 'reason', r.reason, 'note', r.note,
		'reversed_at', r.reversed_at,
		'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)) AS json FROM write_offs r
	WHERE r.tenant_id = $1 AND r.id > $2 AND r.invoice_id = $3
	ORDER BY r.id LIMIT 201) AS page
ORDER BY id LIMIT $4;
