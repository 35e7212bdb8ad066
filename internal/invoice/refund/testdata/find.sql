-- Written by: make sql

-- refund

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
	'payment_id', r.payment_id, 'invoice_id', r.invoice_id, 'amount', r.amount, 'date', r.refunded_on, 'reference', r.reference,
	'removed_at', r.removed_at,
	'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)) FROM refunds r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;
