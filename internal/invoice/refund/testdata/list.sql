-- Written by: make sql

-- refunds of a payment

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'payment_id', r.payment_id, 'invoice_id', r.invoice_id, 'amount', r.amount, 'date', r.refunded_on, 'reference', r.reference,
		'removed_at', r.removed_at,
		'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)) AS json FROM refunds r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.payment_id = $3
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $4;

-- refunds of a payment, next page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'payment_id', r.payment_id, 'invoice_id', r.invoice_id, 'amount', r.amount, 'date', r.refunded_on, 'reference', r.reference,
		'removed_at', r.removed_at,
		'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)) AS json FROM refunds r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.payment_id = $3
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $4;

-- refunds of a payment, previous page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'payment_id', r.payment_id, 'invoice_id', r.invoice_id, 'amount', r.amount, 'date', r.refunded_on, 'reference', r.reference,
		'removed_at', r.removed_at,
		'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)) AS json FROM refunds r
	WHERE r.tenant_id = $1 AND r.id > $2 AND r.payment_id = $3
	ORDER BY r.id LIMIT 201) AS page
ORDER BY id LIMIT $4;
