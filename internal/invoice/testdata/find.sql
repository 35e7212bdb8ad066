-- Written by: make sql

-- invoice

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
	'number', r.number, 'status', r.state, 'paid', r.paid, 'credited', r.credited,
	'became_credit', (
		SELECT became_credit FROM postings p WHERE p.tenant_id = r.tenant_id AND p.invoice_id = r.id ORDER BY position DESC LIMIT 1),
	'written_off', r.written_off, 'open', CASE WHEN r.state IN ('draft', 'void') THEN 0 ELSE r.open_amount END, 'currency', r.currency,
	'overdue', r.state IN ('issued', 'partially_paid') AND r.due_date < (SELECT business_day()),
	'seller', COALESCE(r.seller, (
			SELECT json_build_object(
				'name', s.name, 'email', s.email, 'address', s.address, 'country', s.country, 'tax_id', s.tax_id,
				'account_holder', s.account_holder, 'account_number', s.account_number, 'bic', s.bic, 'footer', s.footer,
				'logo', (SELECT (SELECT json_build_object('name', r.file_name, 'type', c.type, 'size', c.size, 'sha256', encode(c.digest, 'hex'))
						FROM file_contents c WHERE c.tenant_id = r.tenant_id AND c.digest = r.file_digest) FROM logos r WHERE r.tenant_id = s.tenant_id AND r.settings_id = s.id))
			FROM settings s WHERE s.tenant_id = r.tenant_id AND s.id = r.tenant_id)),
	'customer', COALESCE(r.bill_to, (
			SELECT json_build_object('id', c.id, 'email', c.email, 'name', c.name, 'address', c.address, 'country', c.country, 'tax_id', c.tax_id,
				'contact', c.contact, 'reference', c.reference) FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id)),
	'issue_date', r.issue_date, 'due_date', r.due_date, 'notes', r.notes,
	'exemption_reason', r.exemption_reason, 'supplied_from', r.supplied_from, 'supplied_to', r.supplied_to,
	'lines', (
		SELECT json_agg(json_build_object(
				'description', l.description, 'quantity', l.quantity::text, 'unit', l.unit, 'unit_price', trim_scale(l.unit_price + l.price_fraction),
				'discount_rate', l.discount_rate::text, 'discount', l.discount,
				'tax_rate', l.tax_rate::text, 'tax_treatment', l.tax_treatment, 'net', l.net) ORDER BY l.position)
		FROM invoice_lines l WHERE l.tenant_id = r.tenant_id AND l.invoice_id = r.id),
	'subtotal', r.subtotal, 'tax_total', r.tax_total, 'total', r.total, 'issued_at', r.issued_at, 'voided_at', r.voided_at,
	'duplicate_of', (SELECT json_build_object('id', referred.id, 'name', referred.number) FROM invoices referred
		WHERE referred.tenant_id = r.tenant_id AND referred.id = r.duplicate_of),
	'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) FROM invoices r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;

-- number of an invoice

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT r.number FROM invoices r WHERE r.tenant_id = $1 AND r.id = $2;

-- chosen invoices

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
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
		'late', CASE WHEN r.state IN ('issued', 'partially_paid') AND r.due_date < (SELECT business_day()) THEN (SELECT business_day()) - r.due_date ELSE 0 END, 'closed', books_closed(r.tenant_id, r.issue_date) IS NOT NULL, 'copies_to', (
			SELECT c.copies_to FROM customers c WHERE c.tenant_id = r.tenant_id AND c.id = r.customer_id LIMIT 1)) AS json FROM invoices r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.id = ANY ($3::uuid[])
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $4;

-- next number of a year

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT next_number_by_pattern($1, $2);

-- invoices out of order

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT i.number, i.issue_date FROM (VALUES ($1::text, true), ($2, false)) AS beside (number, before), LATERAL (
	SELECT number, issue_date FROM invoices
	WHERE tenant_id = $3 AND issue_year = $4 AND number_folded = beside.number AND issued_at IS NOT NULL LIMIT 1) AS i
WHERE CASE WHEN beside.before THEN i.issue_date > $5::date ELSE i.issue_date < $5 END
ORDER BY i.number;

-- usual terms of customers

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT c.id, COALESCE(last.currency, s.currency), COALESCE(c.payment_days, s.payment_days),
COALESCE(last.tax_treatment, ''), COALESCE(last.exemption_reason, ''), s.currency, COALESCE(last.number, '')
FROM unnest($1::uuid[]) AS wanted (id),
LATERAL (SELECT id, payment_days FROM customers WHERE tenant_id = $2 AND id = wanted.id LIMIT 1) AS c
CROSS JOIN LATERAL (SELECT currency, payment_days FROM settings WHERE tenant_id = $2 AND id = $2) AS s
LEFT JOIN LATERAL (
	SELECT number, currency, exemption_reason, (
		SELECT tax_treatment FROM invoice_lines l WHERE l.tenant_id = $2 AND l.invoice_id = i.id AND l.position = 1)
	FROM invoices i WHERE i.tenant_id = $2 AND i.customer_id = c.id AND i.status = 'issued'
	ORDER BY i.issued_at DESC, i.id DESC LIMIT 1) AS last ON true;

-- amounts by month and age

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH edge AS (SELECT unnest($1::date[]) AS day),
-- The amounts due before each edge: in earlier months, and on days of its month.
before AS (
	SELECT edge.day, s.currency, s.amount, s.invoices FROM edge, LATERAL (
		SELECT currency, amount, invoices FROM standing
		WHERE tenant_id = $2 AND of_id = $2 AND kind = 'due_month' AND day < date_trunc('month', edge.day)::date
		UNION ALL
		SELECT currency, amount, invoices FROM standing
		WHERE tenant_id = $2 AND of_id = $2 AND kind = 'due_day'
		AND day >= date_trunc('month', edge.day)::date AND day < edge.day) AS s
	UNION ALL
	SELECT 'infinity', currency, amount, invoices FROM standing
	WHERE tenant_id = $2 AND of_id = $2 AND kind = 'due_month'
), summed AS (
	SELECT e.day, c.currency, COALESCE(sum(b.amount), 0) AS amount, COALESCE(sum(b.invoices), 0) AS invoices
	FROM (SELECT day FROM edge UNION ALL SELECT 'infinity') AS e
	CROSS JOIN (SELECT DISTINCT currency FROM before) AS c
	LEFT JOIN before b ON b.day = e.day AND b.currency = c.currency
	GROUP BY e.day, c.currency
), aged AS (
	SELECT lag(day) OVER age AS day, currency,
	amount - COALESCE(lag(amount) OVER age, 0) AS amount, invoices - COALESCE(lag(invoices) OVER age, 0) AS invoices
	FROM summed WINDOW age AS (PARTITION BY currency ORDER BY day)
)
SELECT 'due', COALESCE(day, '0001-01-01'), currency, amount, invoices::bigint FROM aged WHERE invoices > 0
UNION ALL
SELECT kind, day, currency, sum(amount), sum(invoices)::bigint FROM (
	SELECT 'billed' AS kind, day, currency, amount, invoices FROM standing
	WHERE tenant_id = $2 AND of_id = $2 AND kind = 'billed_month' AND day >= $3::date AND day <= $4::date
	UNION ALL
	SELECT 'paid', day, currency, amount, invoices FROM standing
	WHERE tenant_id = $2 AND of_id = $2 AND kind = 'paid_month' AND day >= $3::date AND day <= $4::date
) AS months
GROUP BY kind, day, currency HAVING sum(invoices) > 0 OR sum(amount) <> 0
ORDER BY 1, 3, 2;

-- open and overdue amounts

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT each.id, kind, currency, sum(amount), sum(invoices)::bigint FROM unnest($1::uuid[]) AS each (id), LATERAL (
	SELECT 'open' AS kind, currency, amount, invoices FROM standing
	WHERE tenant_id = $2 AND of_id = each.id AND kind = 'due_month'
	UNION ALL
	SELECT 'overdue', currency, amount, invoices FROM standing
	WHERE tenant_id = $2 AND of_id = each.id AND kind = 'due_month' AND day < $3::date
	UNION ALL
	SELECT 'overdue', currency, amount, invoices FROM standing
	WHERE tenant_id = $2 AND of_id = each.id AND kind = 'due_day' AND day >= $3::date AND day < $4::date
	UNION ALL
	SELECT 'paid', currency, amount, invoices FROM standing
	WHERE tenant_id = $2 AND of_id = each.id AND kind = 'paid_month' AND day = $3::date
	UNION ALL
	SELECT 'credit', currency, left_amount, 1 FROM receipts
	WHERE tenant_id = $2 AND customer_id = each.id AND left_amount > 0) AS parts
GROUP BY each.id, kind, currency HAVING sum(invoices) > 0 OR sum(amount) <> 0 ORDER BY kind, currency;

-- sums of a filter

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT
	word, expanded.whole, expanded.words, CASE WHEN crowd THEN '{}' ELSE others END, crowd,
	10 * cardinality(others) + (SELECT count(*) FROM (
			SELECT FROM unnest(expanded.words) AS each (word), LATERAL (
				SELECT FROM invoice_words w WHERE w.tenant_id = $1 AND w.word = each.word LIMIT 1000) AS w
			LIMIT 1000) AS bounded)
FROM (
	SELECT word COLLATE "C" AS word, n FROM unnest(search_words($2)) WITH ORDINALITY AS split (word, n)
	LIMIT 8) AS asked,
LATERAL (
	WITH RECURSIVE found AS (
		(SELECT w.word, 1 AS n FROM invoice_words w
			WHERE w.tenant_id = $1 AND w.word >= asked.word AND w.word < asked.word || chr(1114111)
			ORDER BY w.word LIMIT 1)
		UNION ALL
		SELECT (
			SELECT w.word FROM invoice_words w
			WHERE w.tenant_id = $1 AND w.word > found.word AND w.word < asked.word || chr(1114111)
			ORDER BY w.word LIMIT 1), n + 1
		FROM found WHERE found.word IS NOT NULL AND n <= 100)
	SELECT array_remove(array_agg(word), NULL) AS all_words, count(word) > 100 AS whole FROM found) AS begun,
LATERAL (
	SELECT CASE WHEN whole THEN ARRAY[asked.word] ELSE COALESCE(all_words, '{}') END AS words, whole) AS expanded,
LATERAL (SELECT ARRAY(
		SELECT customer_id FROM (
			SELECT customer_id FROM customer_words c
			WHERE c.tenant_id = $1 AND c.word >= asked.word AND c.word < asked.word || chr(1114111)
			LIMIT 100 + 1) AS bounded) AS others) AS of_others,
LATERAL (SELECT cardinality(others) > 100 AS crowd) AS counted
ORDER BY n;

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT id FROM (
		SELECT w.invoice_id AS id FROM unnest($1::text[]) AS each (word), LATERAL (
			SELECT w.invoice_id FROM invoice_words w WHERE w.tenant_id = $2 AND w.word = each.word LIMIT 1001) AS w
		UNION ALL
		SELECT r.id FROM unnest($3::uuid[]) AS each (other), LATERAL (
			SELECT r.id FROM invoices r WHERE r.tenant_id = $2 AND r.customer_id = each.other LIMIT 1001) AS r) AS streams LIMIT 1001
), picked AS (
	SELECT r.first, r.second, c.id
	FROM (SELECT DISTINCT id FROM candidates) AS c, LATERAL (
		SELECT r.due_date AS first, r.id AS second
		FROM (SELECT * FROM invoices r WHERE r.tenant_id = $2 AND r.id = c.id LIMIT 1) AS r
		WHERE (r.due_date, r.id) > ($4::date, $5::uuid) AND r.state = ANY ($6::text[]) AND r.issue_date >= $7::date AND r.issue_date <= $8::date
		AND r.due_date < $9::date) AS r
	ORDER BY r.first, r.second LIMIT $10
), found AS (
	SELECT p.first, p.second, (SELECT json_build_object('currency', r.currency, 'amounts',
			CASE WHEN r.state <> 'void' OR $6::text[] = '{void}' THEN
			json_strip_nulls(json_build_object('total', r.total, 'open', NULLIF(CASE WHEN r.state IN ('draft', 'void') THEN 0 ELSE r.open_amount END, 0),
					'draft', CASE WHEN r.state = 'draft' THEN r.total END)) END) FROM invoices r WHERE r.tenant_id = $2 AND r.id = p.id LIMIT 1) AS record
	FROM picked p
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first, second) FROM found),
	'too_many', (SELECT count(*) = 1001 FROM candidates));

-- invoices with an open amount

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
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
		'late', CASE WHEN r.state IN ('issued', 'partially_paid') AND r.due_date < (SELECT business_day()) THEN (SELECT business_day()) - r.due_date ELSE 0 END) AS json FROM invoices r
	WHERE r.tenant_id = $1 AND r.id < $2 AND
	r.currency COLLATE "C" = $3 AND r.open_amount = $4 AND r.state IN ('issued', 'partially_paid')
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $5;
