-- Written by: make sql

-- next numbers of a year

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT ARRAY[next_number_by_pattern($1, $2), 'CN-' || format_invoice_number($2, COALESCE((
			SELECT greatest(last + 1, start) FROM credit_note_series WHERE tenant_id = $1 AND year = $2), 1))];
