-- These follow WITH and the numbered tenants.
SELECT n, COALESCE(o.operation, ''), COALESCE(o.key, ''), i.id::text, COALESCE(was.number, i.number),
    COALESCE(was.total, i.total), COALESCE(was.notes, i.notes), COALESCE(was.email, c.email_folded, ''), '', '', '', 0
FROM invoices i JOIN customers c ON c.tenant_id = i.tenant_id AND c.id = i.customer_id
JOIN tenant ON tenant.tenant_id = i.tenant_id
CROSS JOIN LATERAL (
    SELECT (array_agg(changes->'number'->>0 ORDER BY at) FILTER (WHERE changes ? 'number'))[1] AS number,
        (array_agg((changes->'total'->>0)::bigint ORDER BY at) FILTER (WHERE changes ? 'total'))[1] AS total,
        (array_agg(changes->'notes'->>0 ORDER BY at) FILTER (WHERE changes ? 'notes'))[1] AS notes,
        (array_agg(lower(changes->'customer'->0->>'email') ORDER BY at) FILTER (WHERE changes ? 'customer'))[1] AS email
    FROM intents e
    WHERE e.tenant_id = i.tenant_id AND e.record_id = i.id AND e.operation = 'invoice.edit') AS was
LEFT JOIN intents o ON o.tenant_id = i.tenant_id AND o.record_id = i.id AND o.operation = 'invoice.create'
WHERE NOT EXISTS (SELECT FROM schedule_periods s WHERE s.tenant_id = i.tenant_id AND s.id = i.id)
UNION ALL
SELECT n, COALESCE(o.operation, ''), COALESCE(o.key, ''), p.id::text, '', p.amount, COALESCE(p.reference, ''), '',
    p.invoice_id::text, '', '', 0
FROM payments p JOIN tenant USING (tenant_id)
LEFT JOIN intents o ON o.tenant_id = p.tenant_id AND o.record_id = p.id AND o.operation = 'payment.create'
WHERE p.receipt_id IS NULL AND NOT EXISTS (
    SELECT FROM webhook_events e WHERE e.tenant_id = p.tenant_id AND e.payment_id = p.id AND e.kind = 'payment' AND reason = '')
UNION ALL
SELECT n, COALESCE(o.operation, ''), COALESCE(o.key, ''), f.id::text, '', f.amount, '', '', f.invoice_id::text,
    f.payment_id::text, '', 0
FROM refunds f JOIN tenant USING (tenant_id)
LEFT JOIN intents o ON o.tenant_id = f.tenant_id AND o.record_id = f.id AND o.operation = 'refund.create'
WHERE NOT EXISTS (SELECT FROM webhook_events e WHERE e.tenant_id = f.tenant_id AND e.refund_id = f.id)
UNION ALL
SELECT n, COALESCE(o.operation, ''), COALESCE(o.key, ''), cn.id::text, cn.number, cn.total, '', '', cn.invoice_id::text, '', (
    SELECT COALESCE(string_agg(position || ':' || (quantity * 1000)::bigint, ' ' ORDER BY position), '')
    FROM credit_note_lines l WHERE l.tenant_id = cn.tenant_id AND l.credit_note_id = cn.id), cn.became_credit
FROM credit_notes cn JOIN tenant USING (tenant_id)
LEFT JOIN intents o ON o.tenant_id = cn.tenant_id AND o.record_id = cn.id AND o.operation LIKE 'credit_note.%'
UNION ALL
SELECT n, o.operation, o.key, m.id::text, i.number, 0, m.recipient, '', m.invoice_id::text, '', '', 0
FROM mails m JOIN tenant USING (tenant_id) JOIN invoices i ON i.tenant_id = m.tenant_id AND i.id = m.invoice_id
JOIN intents o ON o.tenant_id = m.tenant_id AND o.record_id = m.id AND o.operation = 'mail.send'
UNION ALL
SELECT n, COALESCE(o.operation, ''), COALESCE(o.key, ''), c.id::text, '', 0, '', COALESCE(email_folded, ''), '', '', '', 0
FROM customers c JOIN tenant USING (tenant_id)
LEFT JOIN (
    SELECT tenant_id, record_id, operation, key FROM intents WHERE outcome = 'created'
    UNION ALL
    SELECT tenant_id, record_id, operation, key FROM intent_effects
) AS o ON o.tenant_id = c.tenant_id AND o.record_id = c.id
