-- Written by: make sql

-- credit notes

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT r.id, r.issue_date AS first, r.id AS second, row_number() OVER (ORDER BY r.issue_date DESC, r.id DESC) AS n
	FROM credit_notes r
	WHERE r.tenant_id = $1 AND (r.issue_date, r.id) < ($2::date, $3::uuid) AND true AND issue_date >= $4::date AND issue_date <= $5::date
	ORDER BY r.issue_date DESC, r.id DESC LIMIT $6
), frontier AS MATERIALIZED (
	SELECT first, second FROM candidates WHERE n = $6 ORDER BY first DESC, second DESC LIMIT 1
), within AS (
	SELECT DISTINCT c.first, c.second, c.id FROM candidates c
	WHERE NOT EXISTS (SELECT FROM frontier f WHERE (c.first, c.second) < (f.first, f.second))
), found AS (
	SELECT w.first, w.second, r.record
	FROM (SELECT first, second, id FROM within ORDER BY first DESC, second DESC) AS w, LATERAL (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'invoice_id', r.invoice_id, 'number', r.number, 'date', r.issue_date, 'taxes', r.taxes, 'reason', r.reason,
			'subtotal', r.subtotal, 'tax_total', r.tax_total, 'total', r.total, 'became_credit', r.became_credit,
			'receipt_id', (SELECT c.id FROM receipts c WHERE c.tenant_id = r.tenant_id AND c.credit_note_id = r.id),
			'reverses', (
				SELECT json_build_object('id', o.id, 'name', o.number) FROM credit_notes o
				WHERE o.tenant_id = r.tenant_id AND o.id = r.reverses_id),
			'reversed_by', (
				SELECT json_build_object('id', o.id, 'name', o.number) FROM credit_notes o
				WHERE o.tenant_id = r.tenant_id AND o.reverses_id = r.id),
			'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
			'lines', (
				SELECT json_agg(json_build_object(
						'position', c.position, 'description', l.description, 'part', NOT (of.quantities AND of.usual),
						'quantity', (c.factor * CASE WHEN of.quantities THEN c.quantity ELSE sign(c.net) END)::text,
						'unit', CASE WHEN of.quantities THEN l.unit END,
						'unit_price', CASE WHEN of.quantities THEN trim_scale(l.unit_price) ELSE abs(c.net) END,
						'discount_rate', CASE WHEN of.usual THEN l.discount_rate::text END,
						'discount', c.factor * CASE WHEN of.quantities THEN l.gross - c.net ELSE 0 END,
						'tax_rate', l.tax_rate::text, 'tax_treatment', l.tax_treatment, 'net', c.factor * c.net) ORDER BY c.position)
				FROM (
					SELECT n.tenant_id, n.invoice_id, n.position, COALESCE(o.credited, n.credited) AS credited,
					COALESCE(o.quantity, n.quantity) AS quantity, COALESCE(o.net, n.net) AS net,
					CASE WHEN o.net IS NULL THEN 1 ELSE -1 END AS factor
					FROM credit_note_lines n LEFT JOIN LATERAL (
						SELECT credited, quantity, net FROM credit_note_lines
						WHERE tenant_id = n.tenant_id AND credit_note_id = n.reverses_id AND position = n.position LIMIT 1) AS o ON true
					WHERE n.tenant_id = r.tenant_id AND n.credit_note_id = r.id) AS c, LATERAL (
					SELECT description, unit, price AS unit_price, discount_rate, tax_rate, tax_treatment,
					round(price * c.credited) - round(price * (c.credited - c.quantity)) AS gross,
					credited_net(quantity, price, discount, net, c.credited)
					- credited_net(quantity, price, discount, net, c.credited - c.quantity) AS usual
					FROM invoice_lines, LATERAL (SELECT unit_price + price_fraction AS price) AS fraction
					WHERE tenant_id = c.tenant_id AND invoice_id = c.invoice_id AND position = c.position LIMIT 1) AS l,
				LATERAL (SELECT c.quantity <> 0 AND (l.gross - c.net) * sign(c.net) >= 0 AS quantities, l.usual = c.net AS usual) AS of),
			'invoice_number', (SELECT i.number FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
			'customer', (
				SELECT json_build_object('id', c.id, 'name', c.name) FROM (
					SELECT i.tenant_id, i.customer_id FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id) AS its,
				LATERAL (SELECT id, name FROM customers c WHERE c.tenant_id = its.tenant_id AND c.id = its.customer_id LIMIT 1) AS c)) AS record
		FROM (SELECT * FROM credit_notes r WHERE r.tenant_id = $1 AND r.id = w.id LIMIT 1) AS r
		WHERE true AND issue_date >= $4::date AND issue_date <= $5::date) AS r
	ORDER BY w.first DESC, w.second DESC LIMIT $7
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first DESC, second DESC) FROM found),
	'frontier', (SELECT json_build_array(first::text, second::text) FROM frontier));

-- credit notes, next page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT r.id, r.issue_date AS first, r.id AS second, row_number() OVER (ORDER BY r.issue_date DESC, r.id DESC) AS n
	FROM credit_notes r
	WHERE r.tenant_id = $1 AND (r.issue_date, r.id) < ($2::date, $3::uuid) AND true AND issue_date >= $4::date AND issue_date <= $5::date
	ORDER BY r.issue_date DESC, r.id DESC LIMIT $6
), frontier AS MATERIALIZED (
	SELECT first, second FROM candidates WHERE n = $6 ORDER BY first DESC, second DESC LIMIT 1
), within AS (
	SELECT DISTINCT c.first, c.second, c.id FROM candidates c
	WHERE NOT EXISTS (SELECT FROM frontier f WHERE (c.first, c.second) < (f.first, f.second))
), found AS (
	SELECT w.first, w.second, r.record
	FROM (SELECT first, second, id FROM within ORDER BY first DESC, second DESC) AS w, LATERAL (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'invoice_id', r.invoice_id, 'number', r.number, 'date', r.issue_date, 'taxes', r.taxes, 'reason', r.reason,
			'subtotal', r.subtotal, 'tax_total', r.tax_total, 'total', r.total, 'became_credit', r.became_credit,
			'receipt_id', (SELECT c.id FROM receipts c WHERE c.tenant_id = r.tenant_id AND c.credit_note_id = r.id),
			'reverses', (
				SELECT json_build_object('id', o.id, 'name', o.number) FROM credit_notes o
				WHERE o.tenant_id = r.tenant_id AND o.id = r.reverses_id),
			'reversed_by', (
				SELECT json_build_object('id', o.id, 'name', o.number) FROM credit_notes o
				WHERE o.tenant_id = r.tenant_id AND o.reverses_id = r.id),
			'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
			'lines', (
				SELECT json_agg(json_build_object(
						'position', c.position, 'description', l.description, 'part', NOT (of.quantities AND of.usual),
						'quantity', (c.factor * CASE WHEN of.quantities THEN c.quantity ELSE sign(c.net) END)::text,
						'unit', CASE WHEN of.quantities THEN l.unit END,
						'unit_price', CASE WHEN of.quantities THEN trim_scale(l.unit_price) ELSE abs(c.net) END,
						'discount_rate', CASE WHEN of.usual THEN l.discount_rate::text END,
						'discount', c.factor * CASE WHEN of.quantities THEN l.gross - c.net ELSE 0 END,
						'tax_rate', l.tax_rate::text, 'tax_treatment', l.tax_treatment, 'net', c.factor * c.net) ORDER BY c.position)
				FROM (
					SELECT n.tenant_id, n.invoice_id, n.position, COALESCE(o.credited, n.credited) AS credited,
					COALESCE(o.quantity, n.quantity) AS quantity, COALESCE(o.net, n.net) AS net,
					CASE WHEN o.net IS NULL THEN 1 ELSE -1 END AS factor
					FROM credit_note_lines n LEFT JOIN LATERAL (
						SELECT credited, quantity, net FROM credit_note_lines
						WHERE tenant_id = n.tenant_id AND credit_note_id = n.reverses_id AND position = n.position LIMIT 1) AS o ON true
					WHERE n.tenant_id = r.tenant_id AND n.credit_note_id = r.id) AS c, LATERAL (
					SELECT description, unit, price AS unit_price, discount_rate, tax_rate, tax_treatment,
					round(price * c.credited) - round(price * (c.credited - c.quantity)) AS gross,
					credited_net(quantity, price, discount, net, c.credited)
					- credited_net(quantity, price, discount, net, c.credited - c.quantity) AS usual
					FROM invoice_lines, LATERAL (SELECT unit_price + price_fraction AS price) AS fraction
					WHERE tenant_id = c.tenant_id AND invoice_id = c.invoice_id AND position = c.position LIMIT 1) AS l,
				LATERAL (SELECT c.quantity <> 0 AND (l.gross - c.net) * sign(c.net) >= 0 AS quantities, l.usual = c.net AS usual) AS of),
			'invoice_number', (SELECT i.number FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
			'customer', (
				SELECT json_build_object('id', c.id, 'name', c.name) FROM (
					SELECT i.tenant_id, i.customer_id FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id) AS its,
				LATERAL (SELECT id, name FROM customers c WHERE c.tenant_id = its.tenant_id AND c.id = its.customer_id LIMIT 1) AS c)) AS record
		FROM (SELECT * FROM credit_notes r WHERE r.tenant_id = $1 AND r.id = w.id LIMIT 1) AS r
		WHERE true AND issue_date >= $4::date AND issue_date <= $5::date) AS r
	ORDER BY w.first DESC, w.second DESC LIMIT $7
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first DESC, second DESC) FROM found),
	'frontier', (SELECT json_build_array(first::text, second::text) FROM frontier));

-- credit notes, previous page

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

WITH candidates AS MATERIALIZED (
	SELECT r.id, r.issue_date AS first, r.id AS second, row_number() OVER (ORDER BY r.issue_date, r.id) AS n
	FROM credit_notes r
	WHERE r.tenant_id = $1 AND (r.issue_date, r.id) > ($2::date, $3::uuid) AND true AND issue_date >= $4::date AND issue_date <= $5::date
	ORDER BY r.issue_date, r.id LIMIT $6
), frontier AS MATERIALIZED (
	SELECT first, second FROM candidates WHERE n = $6 ORDER BY first, second LIMIT 1
), within AS (
	SELECT DISTINCT c.first, c.second, c.id FROM candidates c
	WHERE NOT EXISTS (SELECT FROM frontier f WHERE (c.first, c.second) > (f.first, f.second))
), found AS (
	SELECT w.first, w.second, r.record
	FROM (SELECT first, second, id FROM within ORDER BY first, second) AS w, LATERAL (
		SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'invoice_id', r.invoice_id, 'number', r.number, 'date', r.issue_date, 'taxes', r.taxes, 'reason', r.reason,
			'subtotal', r.subtotal, 'tax_total', r.tax_total, 'total', r.total, 'became_credit', r.became_credit,
			'receipt_id', (SELECT c.id FROM receipts c WHERE c.tenant_id = r.tenant_id AND c.credit_note_id = r.id),
			'reverses', (
				SELECT json_build_object('id', o.id, 'name', o.number) FROM credit_notes o
				WHERE o.tenant_id = r.tenant_id AND o.id = r.reverses_id),
			'reversed_by', (
				SELECT json_build_object('id', o.id, 'name', o.number) FROM credit_notes o
				WHERE o.tenant_id = r.tenant_id AND o.reverses_id = r.id),
			'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
			'lines', (
				SELECT json_agg(json_build_object(
						'position', c.position, 'description', l.description, 'part', NOT (of.quantities AND of.usual),
						'quantity', (c.factor * CASE WHEN of.quantities THEN c.quantity ELSE sign(c.net) END)::text,
						'unit', CASE WHEN of.quantities THEN l.unit END,
						'unit_price', CASE WHEN of.quantities THEN trim_scale(l.unit_price) ELSE abs(c.net) END,
						'discount_rate', CASE WHEN of.usual THEN l.discount_rate::text END,
						'discount', c.factor * CASE WHEN of.quantities THEN l.gross - c.net ELSE 0 END,
						'tax_rate', l.tax_rate::text, 'tax_treatment', l.tax_treatment, 'net', c.factor * c.net) ORDER BY c.position)
				FROM (
					SELECT n.tenant_id, n.invoice_id, n.position, COALESCE(o.credited, n.credited) AS credited,
					COALESCE(o.quantity, n.quantity) AS quantity, COALESCE(o.net, n.net) AS net,
					CASE WHEN o.net IS NULL THEN 1 ELSE -1 END AS factor
					FROM credit_note_lines n LEFT JOIN LATERAL (
						SELECT credited, quantity, net FROM credit_note_lines
						WHERE tenant_id = n.tenant_id AND credit_note_id = n.reverses_id AND position = n.position LIMIT 1) AS o ON true
					WHERE n.tenant_id = r.tenant_id AND n.credit_note_id = r.id) AS c, LATERAL (
					SELECT description, unit, price AS unit_price, discount_rate, tax_rate, tax_treatment,
					round(price * c.credited) - round(price * (c.credited - c.quantity)) AS gross,
					credited_net(quantity, price, discount, net, c.credited)
					- credited_net(quantity, price, discount, net, c.credited - c.quantity) AS usual
					FROM invoice_lines, LATERAL (SELECT unit_price + price_fraction AS price) AS fraction
					WHERE tenant_id = c.tenant_id AND invoice_id = c.invoice_id AND position = c.position LIMIT 1) AS l,
				LATERAL (SELECT c.quantity <> 0 AND (l.gross - c.net) * sign(c.net) >= 0 AS quantities, l.usual = c.net AS usual) AS of),
			'invoice_number', (SELECT i.number FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
			'customer', (
				SELECT json_build_object('id', c.id, 'name', c.name) FROM (
					SELECT i.tenant_id, i.customer_id FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id) AS its,
				LATERAL (SELECT id, name FROM customers c WHERE c.tenant_id = its.tenant_id AND c.id = its.customer_id LIMIT 1) AS c)) AS record
		FROM (SELECT * FROM credit_notes r WHERE r.tenant_id = $1 AND r.id = w.id LIMIT 1) AS r
		WHERE true AND issue_date >= $4::date AND issue_date <= $5::date) AS r
	ORDER BY w.first, w.second LIMIT $7
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first, second) FROM found),
	'frontier', (SELECT json_build_array(first::text, second::text) FROM frontier));

-- credit notes, a search

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
	SELECT id FROM ((
			SELECT b.id FROM unnest(ARRAY[$1::text, upper($1), lower($1)]) AS each (text), LATERAL (
				SELECT id FROM credit_notes r
				WHERE tenant_id = $2 AND number >= each.text AND number < each.text || chr(1114111) AND true LIMIT 1001
			) AS b) UNION ALL (
			WITH records AS MATERIALIZED (SELECT id FROM (
					SELECT w.invoice_id AS id FROM unnest($3::text[]) AS each (word), LATERAL (
						SELECT w.invoice_id FROM invoice_words w WHERE w.tenant_id = $2 AND w.word = each.word LIMIT 1001) AS w
					UNION ALL
					SELECT r.id FROM unnest($4::uuid[]) AS each (other), LATERAL (
						SELECT r.id FROM invoices r WHERE r.tenant_id = $2 AND r.customer_id = each.other LIMIT 1001) AS r) AS streams LIMIT 1001)
			SELECT id FROM records WHERE (SELECT count(*) FROM records) = 1001
			UNION ALL
			SELECT rows.id FROM (SELECT DISTINCT id FROM records) AS of_record, LATERAL (
				SELECT id FROM credit_notes b WHERE b.tenant_id = $2 AND b.invoice_id = of_record.id LIMIT 1001) AS rows) UNION ALL (
			SELECT b.id FROM (SELECT word FROM unnest($5::text[]) AS word ORDER BY length(word) DESC LIMIT 1) AS asked, LATERAL (
				SELECT credit_note_id AS id FROM credit_note_words w
				WHERE tenant_id = $2 AND w.word >= asked.word AND w.word < asked.word || chr(1114111) LIMIT 1001) AS b)) AS streams LIMIT 1001
), picked AS (
	SELECT r.first, r.second, c.id
	FROM (SELECT DISTINCT id FROM candidates) AS c, LATERAL (
		SELECT r.issue_date AS first, r.id AS second
		FROM (SELECT * FROM credit_notes r WHERE r.tenant_id = $2 AND r.id = c.id LIMIT 1) AS r
		WHERE (r.issue_date, r.id) < ($6::date, $7::uuid) AND true AND issue_date >= $8::date AND issue_date <= $9::date AND ((SELECT true FROM unnest(ARRAY[$1::text, upper($1), lower($1)]) AS each (text) WHERE r.number >= each.text AND r.number < each.text || chr(1114111) LIMIT 1) OR ((
					SELECT true FROM (SELECT r.invoice_id AS id) AS its, LATERAL (
						SELECT FROM invoices r WHERE r.tenant_id = $2 AND r.id = its.id AND NOT EXISTS (SELECT FROM generate_series(1, $10::integer) AS term WHERE NOT EXISTS (
								SELECT FROM unnest($11::text[], $12::integer[]) AS t (word, n)
								WHERE t.n = term AND (
									SELECT true FROM invoice_words w
									WHERE w.tenant_id = $2 AND w.word = t.word AND w.issue_date = r.issue_date AND w.invoice_id = r.id LIMIT 1)) AND NOT EXISTS (
								SELECT FROM unnest($13::uuid[], $14::integer[]) AS t (other, n)
								WHERE t.n = term AND t.other = r.customer_id)) LIMIT 1) AS found) OR (
					SELECT bool_and(COALESCE((
								SELECT true FROM credit_note_words w
								WHERE tenant_id = $2 AND credit_note_id = r.id AND w.word >= asked.word AND w.word < asked.word || chr(1114111)
								LIMIT 1), false))
					FROM unnest($5::text[]) AS asked (word))))) AS r
	ORDER BY r.first DESC, r.second DESC LIMIT $15
), found AS (
	SELECT p.first, p.second, (SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
			'invoice_id', r.invoice_id, 'number', r.number, 'date', r.issue_date, 'taxes', r.taxes, 'reason', r.reason,
			'subtotal', r.subtotal, 'tax_total', r.tax_total, 'total', r.total, 'became_credit', r.became_credit,
			'receipt_id', (SELECT c.id FROM receipts c WHERE c.tenant_id = r.tenant_id AND c.credit_note_id = r.id),
			'reverses', (
				SELECT json_build_object('id', o.id, 'name', o.number) FROM credit_notes o
				WHERE o.tenant_id = r.tenant_id AND o.id = r.reverses_id),
			'reversed_by', (
				SELECT json_build_object('id', o.id, 'name', o.number) FROM credit_notes o
				WHERE o.tenant_id = r.tenant_id AND o.reverses_id = r.id),
			'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
			'lines', (
				SELECT json_agg(json_build_object(
						'position', c.position, 'description', l.description, 'part', NOT (of.quantities AND of.usual),
						'quantity', (c.factor * CASE WHEN of.quantities THEN c.quantity ELSE sign(c.net) END)::text,
						'unit', CASE WHEN of.quantities THEN l.unit END,
						'unit_price', CASE WHEN of.quantities THEN trim_scale(l.unit_price) ELSE abs(c.net) END,
						'discount_rate', CASE WHEN of.usual THEN l.discount_rate::text END,
						'discount', c.factor * CASE WHEN of.quantities THEN l.gross - c.net ELSE 0 END,
						'tax_rate', l.tax_rate::text, 'tax_treatment', l.tax_treatment, 'net', c.factor * c.net) ORDER BY c.position)
				FROM (
					SELECT n.tenant_id, n.invoice_id, n.position, COALESCE(o.credited, n.credited) AS credited,
					COALESCE(o.quantity, n.quantity) AS quantity, COALESCE(o.net, n.net) AS net,
					CASE WHEN o.net IS NULL THEN 1 ELSE -1 END AS factor
					FROM credit_note_lines n LEFT JOIN LATERAL (
						SELECT credited, quantity, net FROM credit_note_lines
						WHERE tenant_id = n.tenant_id AND credit_note_id = n.reverses_id AND position = n.position LIMIT 1) AS o ON true
					WHERE n.tenant_id = r.tenant_id AND n.credit_note_id = r.id) AS c, LATERAL (
					SELECT description, unit, price AS unit_price, discount_rate, tax_rate, tax_treatment,
					round(price * c.credited) - round(price * (c.credited - c.quantity)) AS gross,
					credited_net(quantity, price, discount, net, c.credited)
					- credited_net(quantity, price, discount, net, c.credited - c.quantity) AS usual
					FROM invoice_lines, LATERAL (SELECT unit_price + price_fraction AS price) AS fraction
					WHERE tenant_id = c.tenant_id AND invoice_id = c.invoice_id AND position = c.position LIMIT 1) AS l,
				LATERAL (SELECT c.quantity <> 0 AND (l.gross - c.net) * sign(c.net) >= 0 AS quantities, l.usual = c.net AS usual) AS of),
			'invoice_number', (SELECT i.number FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
			'customer', (
				SELECT json_build_object('id', c.id, 'name', c.name) FROM (
					SELECT i.tenant_id, i.customer_id FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id) AS its,
				LATERAL (SELECT id, name FROM customers c WHERE c.tenant_id = its.tenant_id AND c.id = its.customer_id LIMIT 1) AS c)) FROM credit_notes r WHERE r.tenant_id = $2 AND r.id = p.id LIMIT 1) AS record
	FROM picked p
)
SELECT json_build_object(
	'rows', (
		SELECT json_agg(json_build_object('key', json_build_array(first::text, second::text), 'record', record)
			ORDER BY first DESC, second DESC) FROM found),
	'too_many', (SELECT count(*) = 1001 FROM candidates));

-- credit notes of an invoice

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT id, json FROM (
	SELECT r.id, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
		'invoice_id', r.invoice_id, 'number', r.number, 'date', r.issue_date, 'taxes', r.taxes, 'reason', r.reason,
		'subtotal', r.subtotal, 'tax_total', r.tax_total, 'total', r.total, 'became_credit', r.became_credit,
		'receipt_id', (SELECT c.id FROM receipts c WHERE c.tenant_id = r.tenant_id AND c.credit_note_id = r.id),
		'reverses', (
			SELECT json_build_object('id', o.id, 'name', o.number) FROM credit_notes o
			WHERE o.tenant_id = r.tenant_id AND o.id = r.reverses_id),
		'reversed_by', (
			SELECT json_build_object('id', o.id, 'name', o.number) FROM credit_notes o
			WHERE o.tenant_id = r.tenant_id AND o.reverses_id = r.id),
		'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
		'lines', (
			SELECT json_agg(json_build_object(
					'position', c.position, 'description', l.description, 'part', NOT (of.quantities AND of.usual),
					'quantity', (c.factor * CASE WHEN of.quantities THEN c.quantity ELSE sign(c.net) END)::text,
					'unit', CASE WHEN of.quantities THEN l.unit END,
					'unit_price', CASE WHEN of.quantities THEN trim_scale(l.unit_price) ELSE abs(c.net) END,
					'discount_rate', CASE WHEN of.usual THEN l.discount_rate::text END,
					'discount', c.factor * CASE WHEN of.quantities THEN l.gross - c.net ELSE 0 END,
					'tax_rate', l.tax_rate::text, 'tax_treatment', l.tax_treatment, 'net', c.factor * c.net) ORDER BY c.position)
			FROM (
				SELECT n.tenant_id, n.invoice_id, n.position, COALESCE(o.credited, n.credited) AS credited,
				COALESCE(o.quantity, n.quantity) AS quantity, COALESCE(o.net, n.net) AS net,
				CASE WHEN o.net IS NULL THEN 1 ELSE -1 END AS factor
				FROM credit_note_lines n LEFT JOIN LATERAL (
					SELECT credited, quantity, net FROM credit_note_lines
					WHERE tenant_id = n.tenant_id AND credit_note_id = n.reverses_id AND position = n.position LIMIT 1) AS o ON true
				WHERE n.tenant_id = r.tenant_id AND n.credit_note_id = r.id) AS c, LATERAL (
				SELECT description, unit, price AS unit_price, discount_rate, tax_rate, tax_treatment,
				round(price * c.credited) - round(price * (c.credited - c.quantity)) AS gross,
				credited_net(quantity, price, discount, net, c.credited)
				- credited_net(quantity, price, discount, net, c.credited - c.quantity) AS usual
				FROM invoice_lines, LATERAL (SELECT unit_price + price_fraction AS price) AS fraction
				WHERE tenant_id = c.tenant_id AND invoice_id = c.invoice_id AND position = c.position LIMIT 1) AS l,
			LATERAL (SELECT c.quantity <> 0 AND (l.gross - c.net) * sign(c.net) >= 0 AS quantities, l.usual = c.net AS usual) AS of)) AS json FROM credit_notes r
	WHERE r.tenant_id = $1 AND r.id < $2 AND r.invoice_id = $3
	ORDER BY r.id DESC LIMIT 201) AS page
ORDER BY id DESC LIMIT $4;
