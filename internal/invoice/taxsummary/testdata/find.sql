-- Written by: make sql

-- sums of a period

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT currency, tax_rate::text, treatment, kind, billed_on < $1::date, sum(net), sum(tax), count(*) FROM invoice_taxes
WHERE tenant_id = $2 AND day >= $1::date AND day <= $3::date
GROUP BY 1, invoice_taxes.tax_rate, 3, 4, 5 ORDER BY currency COLLATE "C", invoice_taxes.tax_rate, treatment;
