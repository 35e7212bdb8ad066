-- Written by: make sql

-- receipts

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'customer', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM customers referred
			WHERE referred.tenant_id = r.tenant_id AND referred.id = r.customer_id), 'currency', r.currency, 'amount', r.amount, 'allocated', r.allocated,
		'repaid', r.repaid, 'left', r.left_amount, 'date', r.received_on, 'method', r.method, 'provider', COALESCE(r.provider, ''),
		'reference', COALESCE(r.reference, ''), 'removed_at', r.removed_at,
		'credit_note', (
			SELECT json_build_object('id', n.id, 'name', n.number) FROM credit_notes n
			WHERE n.tenant_id = r.tenant_id AND n.id = r.credit_note_id)) AS json FROM receipts r
	WHERE r.tenant_id = $1 AND r.id < $2 AND true
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $3;

-- receipts, next page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'customer', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM customers referred
			WHERE referred.tenant_id = r.tenant_id AND referred.id = r.customer_id), 'currency', r.currency, 'amount', r.amount, 'allocated', r.allocated,
		'repaid', r.repaid, 'left', r.left_amount, 'date', r.received_on, 'method', r.method, 'provider', COALESCE(r.provider, ''),
		'reference', COALESCE(r.reference, ''), 'removed_at', r.removed_at,
		'credit_note', (
			SELECT json_build_object('id', n.id, 'name', n.number) FROM credit_notes n
			WHERE n.tenant_id = r.tenant_id AND n.id = r.credit_note_id)) AS json FROM receipts r
	WHERE r.tenant_id = $1 AND r.id < $2 AND true
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $3;

-- receipts, previous page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'customer', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM customers referred
			WHERE referred.tenant_id = r.tenant_id AND referred.id = r.customer_id), 'currency', r.currency, 'amount', r.amount, 'allocated', r.allocated,
		'repaid', r.repaid, 'left', r.left_amount, 'date', r.received_on, 'method', r.method, 'provider', COALESCE(r.provider, ''),
		'reference', COALESCE(r.reference, ''), 'removed_at', r.removed_at,
		'credit_note', (
			SELECT json_build_object('id', n.id, 'name', n.number) FROM credit_notes n
			WHERE n.tenant_id = r.tenant_id AND n.id = r.credit_note_id)) AS json FROM receipts r
	WHERE r.tenant_id = $1 AND r.id > $2 AND true
	ORDER BY r.id LIMIT 201) AS page
ORDER BY id LIMIT $3;

-- receipts of a customer

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'customer', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM customers referred
			WHERE referred.tenant_id = r.tenant_id AND referred.id = r.customer_id), 'currency', r.currency, 'amount', r.amount, 'allocated', r.allocated,
		'repaid', r.repaid, 'left', r.left_amount, 'date', r.received_on, 'method', r.method, 'provider', COALESCE(r.provider, ''),
		'reference', COALESCE(r.reference, ''), 'removed_at', r.removed_at,
		'credit_note', (
			SELECT json_build_object('id', n.id, 'name', n.number) FROM credit_notes n
			WHERE n.tenant_id = r.tenant_id AND n.id = r.credit_note_id)) AS json FROM receipts r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.customer_id = $3
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $4;

-- payments of a receipt

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'invoice_id', r.invoice_id, 'receipt_id', r.receipt_id, 'amount', r.amount, 'refunded', r.refunded, 'left', r.left_amount,
		'date', r.paid_on, 'method', r.method,
		'removed_at', r.removed_at, 'provider', COALESCE(r.provider, ''), 'reference', COALESCE(r.reference, ''),
		'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
		'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, ''),
		'invoice_number', (SELECT i.number FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
		'customer', (
			SELECT json_build_object('id', c.id, 'name', c.name) FROM (
				SELECT i.tenant_id, i.customer_id FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id) AS its,
			LATERAL (SELECT id, name FROM customers c WHERE c.tenant_id = its.tenant_id AND c.id = its.customer_id LIMIT 1) AS c)) AS json FROM payments r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.receipt_id = $3
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $4;

-- repayments of a receipt

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'receipt_id', r.receipt_id, 'amount', r.amount, 'date', r.repaid_on, 'removed_at', r.removed_at,
		'currency', (SELECT c.currency FROM receipts c WHERE c.tenant_id = r.tenant_id AND c.id = r.receipt_id)) AS json FROM repayments r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.receipt_id = $3
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $4;

-- repayments of a receipt, next page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'receipt_id', r.receipt_id, 'amount', r.amount, 'date', r.repaid_on, 'removed_at', r.removed_at,
		'currency', (SELECT c.currency FROM receipts c WHERE c.tenant_id = r.tenant_id AND c.id = r.receipt_id)) AS json FROM repayments r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.receipt_id = $3
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $4;

-- repayments of a receipt, previous page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'receipt_id', r.receipt_id, 'amount', r.amount, 'date', r.repaid_on, 'removed_at', r.removed_at,
		'currency', (SELECT c.currency FROM receipts c WHERE c.tenant_id = r.tenant_id AND c.id = r.receipt_id)) AS json FROM repayments r
	WHERE r.tenant_id = $1 AND r.id > $2 AND r.receipt_id = $3
	ORDER BY r.id LIMIT 201) AS page
ORDER BY id LIMIT $4;
