-- Written by: make sql

-- groups of similar invoices

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT customer_id, issue_date, id, currency, total, status FROM invoices
	WHERE tenant_id = $1 AND (customer_id, issue_date, id) >
	(split_part($2::text, ' ', 1)::uuid, split_part($2::text, ' ', 2)::date, split_part($2::text, ' ', 3)::uuid)
	ORDER BY customer_id, issue_date, id LIMIT 2000
), numbered AS MATERIALIZED (
	SELECT *, row_number() OVER (ORDER BY customer_id, issue_date, id)::integer AS n,
	concat_ws(' ', customer_id, issue_date, id) COLLATE "C" AS place
	FROM candidates
), reach AS MATERIALIZED (
	SELECT CASE WHEN last.n = 2000 THEN COALESCE(NULLIF(min(c.n), 1) - 1, last.n) END AS n
	FROM numbered c, (SELECT * FROM numbered ORDER BY n DESC LIMIT 1) AS last
	WHERE c.customer_id = last.customer_id AND c.issue_date >= last.issue_date - 7 GROUP BY last.n
), near AS MATERIALIZED (
	SELECT * FROM (
		SELECT *, issue_date - lag(issue_date) OVER same <= 7
		OR lead(issue_date) OVER same - issue_date <= 7 AS near
		FROM numbered WHERE status <> 'void' WINDOW same AS (PARTITION BY customer_id, currency, total ORDER BY n)) AS each
	WHERE near
), compared AS MATERIALIZED (
	SELECT near.*, min(n) OVER same AS alike, row_number() OVER (same ORDER BY n) AS turn, (
		SELECT schedule_id FROM schedule_periods p WHERE p.tenant_id = $1 AND p.id = near.id) AS schedule_id
	FROM near, LATERAL (
		SELECT array_agg(line ORDER BY line) AS lines FROM (
			SELECT jsonb_build_array(fold_text(description), quantity, unit_price + price_fraction, tax_rate) AS line
			FROM invoice_lines l WHERE l.tenant_id = $1 AND l.invoice_id = near.id) AS each) AS has
	WINDOW same AS (PARTITION BY customer_id, currency, total, lines)
), pairs AS MATERIALIZED (
	SELECT one.alike, ARRAY[one.n, other.n] AS ends
	FROM compared one JOIN compared other ON other.alike = one.alike AND other.turn > one.turn AND other.turn < one.turn + 20
	WHERE other.issue_date - one.issue_date <= 7 AND one.n <= COALESCE((SELECT n FROM reach), one.n)
	AND (one.schedule_id = other.schedule_id) IS NOT TRUE AND NOT EXISTS (
		SELECT FROM invoice_distinct_pairs p
		WHERE p.tenant_id = $1 AND p.one_id = LEAST(one.id, other.id) AND p.other_id = GREATEST(one.id, other.id)
		OFFSET 0) -- looked up for each pair: for a join, PostgreSQL may choose to read all of the tenant
), grouped AS MATERIALIZED (
	SELECT min(n) AS first, count(*)::integer AS n, max(issue_date) - min(issue_date) AS days, (array_agg(id ORDER BY n))[1:20] AS ids
	FROM (
		SELECT *, count(*) FILTER (WHERE apart) OVER (PARTITION BY alike ORDER BY n) AS part FROM (
			SELECT pairs.alike, i.*,
			i.issue_date - lag(i.issue_date) OVER (PARTITION BY pairs.alike ORDER BY i.n) > 7 AS apart
			FROM (SELECT DISTINCT alike, unnest(ends) AS n FROM pairs) AS pairs JOIN numbered i USING (n)) AS each) AS each
	GROUP BY alike, part
), wanted AS MATERIALIZED (
	SELECT grouped.*, i.place FROM grouped JOIN numbered i ON i.n = grouped.first
	WHERE i.place > $3 ORDER BY i.place LIMIT $4
)
SELECT (SELECT place FROM numbered WHERE n = (SELECT n FROM reach)), COALESCE((
		SELECT json_agg(json_build_object('first', place, 'days', days, 'count', n, 'invoices', (
					SELECT json_agg(json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
							'number', r.number, 'status', r.state,
							'customer', (
								SELECT json_build_object('id', c.id, 'email', c.email, 'name', c.name)
								FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1),
							'currency', r.currency, 'issue_date', r.issue_date, 'due_date', r.due_date, 'subtotal', r.subtotal,
							'tax_total', r.tax_total, 'total', r.total, 'credited', r.credited, 'open', CASE WHEN r.state IN ('draft', 'void') THEN 0 ELSE r.open_amount END,
							'tax_id', COALESCE(r.bill_to->>'tax_id', (
									SELECT c.tax_id FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1)),
							'mail_failed', COALESCE((
									SELECT m.state = 'failed' AND CASE m.kind
									WHEN 'void' THEN true WHEN 'invoice' THEN r.state <> 'void' ELSE r.state IN ('issued', 'partially_paid') END
									FROM mails m WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.id DESC LIMIT 1), false),
							'last_reminder', (
								SELECT json_build_object('level', m.level, 'sent_on', m.sent_on, 'unsent', (
										SELECT e.state = 'failed' OR e.kept FROM mails e
										WHERE e.tenant_id = m.tenant_id AND e.invoice_id = m.invoice_id AND e.kind = 'reminder_' || m.level
										AND e.kind IN ('reminder_1', 'reminder_2', 'reminder_3') -- as in the index
										ORDER BY e.id DESC LIMIT 1))
								FROM invoice_reminders m
								WHERE m.tenant_id = r.tenant_id AND m.invoice_id = r.id ORDER BY m.level DESC LIMIT 1),
							'late', CASE WHEN r.state IN ('issued', 'partially_paid') AND r.due_date < (SELECT business_day()) THEN (SELECT business_day()) - r.due_date ELSE 0 END) ORDER BY r.issue_date, r.id) FROM unnest(ids) AS member (id), LATERAL (
						SELECT * FROM invoices i WHERE i.tenant_id = $1 AND i.id = member.id LIMIT 1) AS r)) ORDER BY place)
		FROM wanted), '[]');

-- distinctions

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'invoices', (
			SELECT json_agg(json_build_object('id', c.id, 'name', c.name) ORDER BY c.id) FROM unnest(r.invoice_ids) AS one (id), LATERAL (
				SELECT c.id, c.number AS name FROM invoices c
				WHERE c.tenant_id = r.tenant_id AND c.id = one.id LIMIT 1) AS c)) AS json FROM invoice_distinctions r
	WHERE r.tenant_id = $1 AND r.id < $2 AND true
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $3;
