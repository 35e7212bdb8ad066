-- Written by: make sql

-- currencies of an account

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT currency FROM standing WHERE tenant_id = $1 AND of_id = $2 AND kind = 'account_month'
GROUP BY currency ORDER BY sum(invoices) DESC, currency LIMIT 200;
