-- Written by: make sql

-- sums of a period

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT currency, tax_rate::text, treatment, kind, billed_on < $1::date, sum(net), sum(tax), count(*) FROM invoice_taxes
WHERE tenant_id = $2 AND day >= $1::date AND day <= $3::date
GROUP BY 1, invoice_taxes.tax_rate, 3, 4, 5 ORDER BY currency COLLATE "C", invoice_taxes.tax_rate, treatment;

-- EU sales list

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT COALESCE(i.seller->>'country', ''), COALESCE(i.bill_to->>'country', ''), COALESCE(i.bill_to->>'tax_id', ''),
i.bill_to->>'name', t.treatment, t.currency, sum(CASE t.kind WHEN 'invoice' THEN t.net ELSE -t.net END)
FROM invoice_taxes t JOIN invoices i ON i.tenant_id = t.tenant_id AND i.id = t.invoice_id
WHERE t.tenant_id = $1 AND t.day >= $2::date AND t.day <= $3::date
AND t.treatment IN ('intra_community', 'reverse_charge')
GROUP BY 1, 2, 3, 4, t.treatment, t.currency;
