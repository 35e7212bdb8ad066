-- Written by: make sql

-- batches

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'action', r.action, 'no_email', r.no_email, 'e_invoice', r.e_invoice, 'asked_by', r.asked_by, 'invoices', (
			SELECT json_agg(json_build_object('invoice_id', b.invoice_id, 'outcome', b.outcome, 'reason', b.reason, 'number', i.number,
					'mailed', b.outcome = 'done' AND NOT r.no_email AND COALESCE(i.bill_to->>'email', '') <> '') ORDER BY b.invoice_id)
			FROM invoice_batch_items b LEFT JOIN LATERAL (
				SELECT number, bill_to FROM invoices WHERE tenant_id = b.tenant_id AND id = b.invoice_id LIMIT 1) AS i ON true
			WHERE b.tenant_id = r.tenant_id AND b.batch_id = r.id)) AS json FROM invoice_batches r
	WHERE r.tenant_id = $1 AND r.id < $2 AND true
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $3;
