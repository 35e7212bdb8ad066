-- Written by: make sql

-- credit note

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

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
		LATERAL (SELECT c.quantity <> 0 AND (l.gross - c.net) * sign(c.net) >= 0 AS quantities, l.usual = c.net AS usual) AS of)) FROM credit_notes r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;

-- uncredited rest of an invoice

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT description, trim_scale(price)::text, trim_scale(quantity - credited)::text,
net - credited_amount(tenant_id, invoice_id, position), COALESCE((
		SELECT t.tax - credited_tax FROM invoice_taxes t
		WHERE t.tenant_id = l.tenant_id AND t.invoice_id = l.invoice_id AND source_id = l.invoice_id AND kind = 'invoice'
		AND t.tax_rate = l.tax_rate AND treatment = taxed_as(l.tax_treatment, l.tax_rate)), 0), COALESCE(unit, '')
FROM invoice_lines l, credited_quantity(tenant_id, invoice_id, position) AS credited,
LATERAL (SELECT unit_price + price_fraction AS price) AS fraction
WHERE tenant_id = $1 AND invoice_id = $2 ORDER BY position;
