-- Written by: make sql

-- reminders that are due

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT i.id, i.due_date, CASE
WHEN COALESCE(i.email, '') = '' THEN 0
WHEN last.level IS NULL AND i.due_date + p.first_after <= today THEN 1
WHEN last.level = 1 AND last.sent_on + p.second_after <= today THEN 2
WHEN last.level = 2 AND last.sent_on + p.final_after <= today THEN 3
ELSE 0 END
FROM business_day() AS today
CROSS JOIN LATERAL (
	SELECT first_after, second_after, final_after FROM reminder_plans
	WHERE tenant_id = $1 AND settings_id = $1 LIMIT 1) AS p
CROSS JOIN LATERAL (
	SELECT id, due_date, bill_to->>'email' AS email FROM invoices
	WHERE tenant_id = $1 AND state = $2 AND due_date < today AND (due_date, id) > ($3::date, $4::uuid)
	ORDER BY due_date, id LIMIT $5) AS i
LEFT JOIN LATERAL (
	SELECT level, sent_on FROM invoice_reminders WHERE tenant_id = $1 AND invoice_id = i.id
	ORDER BY level DESC LIMIT 1) AS last ON true
ORDER BY i.due_date, i.id;

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT i.id, i.due_date, CASE
WHEN COALESCE(i.email, '') = '' THEN 0
WHEN last.level IS NULL AND i.due_date + p.first_after <= today THEN 1
WHEN last.level = 1 AND last.sent_on + p.second_after <= today THEN 2
WHEN last.level = 2 AND last.sent_on + p.final_after <= today THEN 3
ELSE 0 END
FROM business_day() AS today
CROSS JOIN LATERAL (
	SELECT first_after, second_after, final_after FROM reminder_plans
	WHERE tenant_id = $1 AND settings_id = $1 LIMIT 1) AS p
CROSS JOIN LATERAL (
	SELECT id, due_date, bill_to->>'email' AS email FROM invoices
	WHERE tenant_id = $1 AND state = $2 AND due_date < today AND (due_date, id) > ($3::date, $4::uuid)
	ORDER BY due_date, id LIMIT $5) AS i
LEFT JOIN LATERAL (
	SELECT level, sent_on FROM invoice_reminders WHERE tenant_id = $1 AND invoice_id = i.id
	ORDER BY level DESC LIMIT 1) AS last ON true
ORDER BY i.due_date, i.id;
