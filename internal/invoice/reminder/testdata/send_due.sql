-- Written by: make sql

-- reminders that are due

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT r.id, r.due_date, CASE WHEN
CASE
WHEN COALESCE(r.bill_to->>'email', '') = '' THEN NULL
WHEN last.level IS NULL THEN r.due_date + p.first_after
WHEN last.level = 1 THEN last.sent_on + p.second_after
WHEN last.level = 2 THEN last.sent_on + p.final_after END <= today THEN COALESCE(last.level, 0) + 1 ELSE 0 END
FROM business_day() AS today
CROSS JOIN LATERAL (
	SELECT first_after, second_after, final_after FROM reminder_plans
	WHERE tenant_id = $1 AND settings_id = $1 LIMIT 1) AS p
CROSS JOIN LATERAL (
	SELECT id, due_date, bill_to FROM invoices
	WHERE tenant_id = $1 AND state = $2 AND due_date < today AND (due_date, id) > ($3::date, $4::uuid)
	ORDER BY due_date, id LIMIT $5) AS r
LEFT JOIN LATERAL (
	SELECT level, sent_on FROM invoice_reminders WHERE tenant_id = $1 AND invoice_id = r.id
	ORDER BY level DESC LIMIT 1) AS last ON true
ORDER BY r.due_date, r.id;

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT r.id, r.due_date, CASE WHEN
CASE
WHEN COALESCE(r.bill_to->>'email', '') = '' THEN NULL
WHEN last.level IS NULL THEN r.due_date + p.first_after
WHEN last.level = 1 THEN last.sent_on + p.second_after
WHEN last.level = 2 THEN last.sent_on + p.final_after END <= today THEN COALESCE(last.level, 0) + 1 ELSE 0 END
FROM business_day() AS today
CROSS JOIN LATERAL (
	SELECT first_after, second_after, final_after FROM reminder_plans
	WHERE tenant_id = $1 AND settings_id = $1 LIMIT 1) AS p
CROSS JOIN LATERAL (
	SELECT id, due_date, bill_to FROM invoices
	WHERE tenant_id = $1 AND state = $2 AND due_date < today AND (due_date, id) > ($3::date, $4::uuid)
	ORDER BY due_date, id LIMIT $5) AS r
LEFT JOIN LATERAL (
	SELECT level, sent_on FROM invoice_reminders WHERE tenant_id = $1 AND invoice_id = r.id
	ORDER BY level DESC LIMIT 1) AS last ON true
ORDER BY r.due_date, r.id;
