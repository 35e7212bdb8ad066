-- Written by: make sql

-- payment

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
	'invoice_id', r.invoice_id, 'receipt_id', r.receipt_id, 'amount', r.amount, 'refunded', r.refunded, 'left', r.left_amount,
	'date', r.paid_on, 'method', r.method,
	'removed_at', r.removed_at, 'provider', COALESCE(r.provider, ''), 'reference', COALESCE(r.reference, ''),
	'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
	'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) FROM payments r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;
