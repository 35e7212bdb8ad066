-- Written by: make sql

-- settings

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
	'name', r.name, 'email', r.email, 'address', r.address, 'country', r.country, 'tax_id', r.tax_id,
	'account_holder', r.account_holder, 'account_number', r.account_number, 'bic', r.bic,
	'currency', r.currency, 'tax_rate', COALESCE(r.tax_rate::text, ''), 'payment_days', r.payment_days::text,
	'footer', r.footer, 'time_zone', r.time_zone) FROM settings r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;
