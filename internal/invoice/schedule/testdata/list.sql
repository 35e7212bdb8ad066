-- Written by: make sql

-- schedules

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'customer', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM customers referred
			WHERE referred.tenant_id = r.tenant_id AND referred.id = r.customer_id), 'currency', r.currency, 'lines', r.lines, 'notes', r.notes,
		'exemption_reason', r.exemption_reason,
		'every', r.every, 'unit', r.unit, 'first_day', r.first_day, 'last_day', r.last_day, 'bill_as', r.bill_as, 'missed', r.missed,
		'paused_at', r.paused_at, 'archived_at', r.archived_at, 'next_day', (
			SELECT c.next_day FROM schedule_clocks c WHERE c.tenant_id = r.tenant_id AND c.schedule_id = r.id),
		'failure', (SELECT c.failure FROM schedule_clocks c WHERE c.tenant_id = r.tenant_id AND c.schedule_id = r.id)) AS json FROM schedules r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.archived_at IS NULL
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $3;

-- schedules, next page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'customer', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM customers referred
			WHERE referred.tenant_id = r.tenant_id AND referred.id = r.customer_id), 'currency', r.currency, 'lines', r.lines, 'notes', r.notes,
		'exemption_reason', r.exemption_reason,
		'every', r.every, 'unit', r.unit, 'first_day', r.first_day, 'last_day', r.last_day, 'bill_as', r.bill_as, 'missed', r.missed,
		'paused_at', r.paused_at, 'archived_at', r.archived_at, 'next_day', (
			SELECT c.next_day FROM schedule_clocks c WHERE c.tenant_id = r.tenant_id AND c.schedule_id = r.id),
		'failure', (SELECT c.failure FROM schedule_clocks c WHERE c.tenant_id = r.tenant_id AND c.schedule_id = r.id)) AS json FROM schedules r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.archived_at IS NULL
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $3;

-- schedules, previous page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'customer', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM customers referred
			WHERE referred.tenant_id = r.tenant_id AND referred.id = r.customer_id), 'currency', r.currency, 'lines', r.lines, 'notes', r.notes,
		'exemption_reason', r.exemption_reason,
		'every', r.every, 'unit', r.unit, 'first_day', r.first_day, 'last_day', r.last_day, 'bill_as', r.bill_as, 'missed', r.missed,
		'paused_at', r.paused_at, 'archived_at', r.archived_at, 'next_day', (
			SELECT c.next_day FROM schedule_clocks c WHERE c.tenant_id = r.tenant_id AND c.schedule_id = r.id),
		'failure', (SELECT c.failure FROM schedule_clocks c WHERE c.tenant_id = r.tenant_id AND c.schedule_id = r.id)) AS json FROM schedules r
	WHERE r.tenant_id = $1 AND r.id > $2 AND r.archived_at IS NULL
	ORDER BY r.id LIMIT 201) AS page
ORDER BY id LIMIT $3;

-- archived schedules

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'customer', (SELECT json_build_object('id', referred.id, 'name', referred.name) FROM customers referred
			WHERE referred.tenant_id = r.tenant_id AND referred.id = r.customer_id), 'currency', r.currency, 'lines', r.lines, 'notes', r.notes,
		'exemption_reason', r.exemption_reason,
		'every', r.every, 'unit', r.unit, 'first_day', r.first_day, 'last_day', r.last_day, 'bill_as', r.bill_as, 'missed', r.missed,
		'paused_at', r.paused_at, 'archived_at', r.archived_at, 'next_day', (
			SELECT c.next_day FROM schedule_clocks c WHERE c.tenant_id = r.tenant_id AND c.schedule_id = r.id),
		'failure', (SELECT c.failure FROM schedule_clocks c WHERE c.tenant_id = r.tenant_id AND c.schedule_id = r.id)) AS json FROM schedules r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.archived_at IS NOT NULL
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $3;

-- periods of a schedule

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'schedule_id', r.schedule_id, 'period', r.period, 'invoice_id', r.id,
		'number', (SELECT i.number FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.id),
		'status', (SELECT i.state FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.id)) AS json FROM schedule_periods r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.schedule_id = $3
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $4;
