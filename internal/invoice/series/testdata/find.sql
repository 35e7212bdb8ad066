-- Written by: make sql

-- next numbers of a year

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT ARRAY[format_invoice_number($1, next_invoice_number($2, $1)), 'CN-' || format_invoice_number($1, COALESCE((
			SELECT greatest(last + 1, start) FROM credit_note_series WHERE tenant_id = $2 AND year = $1), 1))];
