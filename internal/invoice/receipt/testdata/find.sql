-- Written by: make sql

-- open invoices of a customer

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, number, due_date, open_amount FROM invoices
WHERE tenant_id = $1 AND customer_id = $2 AND state IN ('issued', 'partially_paid') AND currency = $3
ORDER BY due_date, id LIMIT 50;

-- credit for an invoice

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT (SELECT name FROM customers c WHERE c.tenant_id = $1 AND c.id = r.customer_id),
id, left_amount, sum(left_amount) OVER (), count(*) OVER ()
FROM receipts r
WHERE tenant_id = $1 AND left_amount > 0 AND (customer_id, currency) = (
	SELECT i.customer_id, i.currency FROM invoices i WHERE i.tenant_id = $1 AND i.id = $2)
ORDER BY customer_id, id LIMIT 1;

-- receipt

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
	'customer', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM customers referred
		WHERE referred.tenant_id = r.tenant_id AND referred.id = r.customer_id), 'currency', r.currency, 'amount', r.amount, 'allocated', r.allocated,
	'repaid', r.repaid, 'left', r.left_amount, 'date', r.received_on, 'method', r.method, 'provider', COALESCE(r.provider, ''),
	'reference', COALESCE(r.reference, ''), 'removed_at', r.removed_at,
	'credit_note', (
		SELECT json_build_object('id', n.id, 'name', n.number) FROM credit_notes n
		WHERE n.tenant_id = r.tenant_id AND n.id = r.credit_note_id)) FROM receipts r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;

-- repayment

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
	'receipt_id', r.receipt_id, 'amount', r.amount, 'date', r.repaid_on, 'removed_at', r.removed_at,
	'currency', (SELECT c.currency FROM receipts c WHERE c.tenant_id = r.tenant_id AND c.id = r.receipt_id)) FROM repayments r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;
