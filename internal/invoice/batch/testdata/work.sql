-- Written by: make sql

-- the job of a batch

SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true);

SELECT json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
	'action', r.action, 'no_email', r.no_email, 'e_invoice', r.e_invoice, 'asked_by', r.asked_by, 'invoices', (
		SELECT json_agg(json_build_object('invoice_id', b.invoice_id, 'outcome', b.outcome, 'reason', b.reason, 'number', i.number,
				'mailed', b.outcome = 'done' AND NOT r.no_email AND COALESCE(i.bill_to->>'email', '') <> '') ORDER BY b.invoice_id)
		FROM invoice_batch_items b LEFT JOIN LATERAL (
			SELECT number, bill_to FROM invoices WHERE tenant_id = b.tenant_id AND id = b.invoice_id LIMIT 1) AS i ON true
		WHERE b.tenant_id = r.tenant_id AND b.batch_id = r.id)) FROM invoice_batches r WHERE r.tenant_id = $1 AND r.id = $2 LIMIT 1;

SELECT EXISTS (SELECT FROM api_tokens a WHERE tenant_id = $1 AND name = $2 AND role <> 'read-only' AND a.revoked_at IS NULL AND coalesce(a.expires_at > now(), true));

BEGIN ISOLATION LEVEL READ COMMITTED;

SELECT claim_intent($1, $2, $3, $4);

SELECT FROM invoices r WHERE r.tenant_id = $1 AND r.id = $2 FOR UPDATE;

SELECT begin_change(r.version, $1, r.made, r.record)
FROM (SELECT) AS one LEFT JOIN (
	SELECT r.version, (r.status = 'issued') AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
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
		'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) AS record FROM invoices r WHERE r.tenant_id = $2 AND r.id = $3) AS r ON true;

WITH changed AS (
	UPDATE invoices SET status = 'issued', issued_at = now(), bill_to = (
		SELECT json_build_object('id', c.id, 'email', c.email, 'name', c.name, 'address', c.address, 'country', c.country, 'tax_id', c.tax_id,
			'contact', c.contact, 'reference', c.reference) FROM customers c WHERE c.tenant_id = invoices.tenant_id AND c.id = invoices.customer_id),
	seller = (SELECT json_build_object(
			'name', s.name, 'email', s.email, 'address', s.address, 'country', s.country, 'tax_id', s.tax_id,
			'account_holder', s.account_holder, 'account_number', s.account_number, 'bic', s.bic, 'footer', s.footer,
			'logo', (SELECT (SELECT json_build_object('name', r.file_name, 'type', c.type, 'size', c.size, 'sha256', encode(c.digest, 'hex'))
					FROM file_contents c WHERE c.tenant_id = r.tenant_id AND c.digest = r.file_digest) FROM logos r WHERE r.tenant_id = s.tenant_id AND r.settings_id = s.id)) FROM settings s WHERE s.tenant_id = invoices.tenant_id AND s.id = invoices.tenant_id)
	WHERE tenant_id = $1 AND id = $2 AND status = 'draft' RETURNING 1) SELECT require_rows((SELECT count(*) FROM changed), $3);

INSERT INTO mails (tenant_id, id, invoice_id, message, e_invoice)
SELECT tenant_id, $1, id, $2::text, COALESCE($3::boolean, (
		SELECT m.e_invoice
		FROM (
			SELECT id FROM invoices WHERE tenant_id = $4 AND customer_id = billed.customer_id
			ORDER BY issue_date DESC, id DESC LIMIT 10) AS last,
		LATERAL (
			SELECT id, e_invoice FROM mails WHERE tenant_id = $4 AND invoice_id = last.id AND kind = 'invoice'
			ORDER BY id DESC LIMIT 1) AS m
		ORDER BY m.id DESC LIMIT 1), false) FROM invoices billed
WHERE tenant_id = $4 AND id = $5 AND bill_to->>'email' <> '';

INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
SELECT tenant_id, unnest(ARRAY[invoice_id, id]), $1, $2, 'email queued' FROM mails
WHERE tenant_id = $3 AND id = $4;

INSERT INTO intents (
	tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, changes, result, expires_at)
SELECT
	$1, $2, $3, $4, $5, $6, $7,
	'changed', made.changes, made.result, now() + $8
FROM (
	SELECT end_change(r.made, r.record) AS changes, r.record AS result
	FROM (SELECT (r.status = 'issued') AS made, json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at,
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
			'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')) AS record FROM invoices r WHERE r.tenant_id = $1 AND r.id = $7 OFFSET 0) AS r
	OFFSET 0) AS made
RETURNING result, record_id, outcome, LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents');

COMMIT;

begin;

SELECT set_config('onlyonce.tenant_id', $1::text, true);

UPDATE invoice_batch_items SET outcome = $1, reason = $2
WHERE tenant_id = $3 AND batch_id = $4 AND invoice_id = $5 AND outcome = 'waiting';

commit;
