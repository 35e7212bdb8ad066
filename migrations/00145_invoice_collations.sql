-- Text of invoices, and of what belongs to them, that is compared by identity is ordered by code point: see 00146_collations.sql.

-- +goose Up
ALTER TABLE invoices ALTER state TYPE text COLLATE "C";
DROP TRIGGER refund_waiting ON payments;
DROP TRIGGER append_only_but_refunded ON payments;
ALTER TABLE payments ALTER reference TYPE text COLLATE "C";
CREATE TRIGGER append_only_but_refunded BEFORE UPDATE ON payments FOR EACH ROW
    WHEN ((OLD.tenant_id, OLD.id, OLD.invoice_id, OLD.amount, OLD.paid_on, OLD.method, OLD.provider, OLD.reference, OLD.source,
            OLD.external_id, OLD.external_digest, OLD.created_at, COALESCE(OLD.removed_at, NEW.removed_at))
        IS DISTINCT FROM
        (NEW.tenant_id, NEW.id, NEW.invoice_id, NEW.amount, NEW.paid_on, NEW.method, NEW.provider, NEW.reference, NEW.source,
            NEW.external_id, NEW.external_digest, NEW.created_at, NEW.removed_at))
    EXECUTE FUNCTION append_only();
CREATE TRIGGER refund_waiting AFTER INSERT ON payments
    FOR EACH ROW WHEN (NEW.reference IS NOT NULL) EXECUTE FUNCTION refund_waiting();
ALTER TABLE credit_notes ALTER number TYPE text COLLATE "C";
ALTER TABLE postings ALTER kind TYPE posting_kind COLLATE "C";
ALTER TABLE standing ALTER kind TYPE standing_kind COLLATE "C", ALTER currency TYPE currency_code COLLATE "C";
DROP TRIGGER append_only_but_outcome ON webhook_events;
ALTER TABLE webhook_events ALTER event_id TYPE text COLLATE "C", ALTER reference TYPE text COLLATE "C",
    ALTER state TYPE webhook_state COLLATE "C";
CREATE TRIGGER append_only_but_outcome BEFORE UPDATE ON webhook_events FOR EACH ROW
    WHEN (OLD.state = 'applied' OR
        (OLD.tenant_id, OLD.id, OLD.source_id, OLD.event_id, OLD.first_id, OLD.digest, OLD.type, OLD.kind, OLD.invoice, OLD.reference,
            OLD.amount, OLD.currency, OLD.day, OLD.problem, OLD.created_at)
        IS DISTINCT FROM
        (NEW.tenant_id, NEW.id, NEW.source_id, NEW.event_id, NEW.first_id, NEW.digest, NEW.type, NEW.kind, NEW.invoice, NEW.reference,
            NEW.amount, NEW.currency, NEW.day, NEW.problem, NEW.created_at))
    EXECUTE FUNCTION append_only();

-- +goose Down
DROP TRIGGER append_only_but_outcome ON webhook_events;
ALTER TABLE webhook_events ALTER event_id TYPE text COLLATE "default", ALTER reference TYPE text COLLATE "default",
    ALTER state TYPE webhook_state COLLATE "default";
CREATE TRIGGER append_only_but_outcome BEFORE UPDATE ON webhook_events FOR EACH ROW
    WHEN (OLD.state = 'applied' OR
        (OLD.tenant_id, OLD.id, OLD.source_id, OLD.event_id, OLD.first_id, OLD.digest, OLD.type, OLD.kind, OLD.invoice, OLD.reference,
            OLD.amount, OLD.currency, OLD.day, OLD.problem, OLD.created_at)
        IS DISTINCT FROM
        (NEW.tenant_id, NEW.id, NEW.source_id, NEW.event_id, NEW.first_id, NEW.digest, NEW.type, NEW.kind, NEW.invoice, NEW.reference,
            NEW.amount, NEW.currency, NEW.day, NEW.problem, NEW.created_at))
    EXECUTE FUNCTION append_only();
ALTER TABLE standing ALTER kind TYPE standing_kind COLLATE "default", ALTER currency TYPE currency_code COLLATE "default";
ALTER TABLE postings ALTER kind TYPE posting_kind COLLATE "default";
ALTER TABLE credit_notes ALTER number TYPE text COLLATE "default";
DROP TRIGGER refund_waiting ON payments;
DROP TRIGGER append_only_but_refunded ON payments;
ALTER TABLE payments ALTER reference TYPE text COLLATE "default";
CREATE TRIGGER append_only_but_refunded BEFORE UPDATE ON payments FOR EACH ROW
    WHEN ((OLD.tenant_id, OLD.id, OLD.invoice_id, OLD.amount, OLD.paid_on, OLD.method, OLD.provider, OLD.reference, OLD.source,
            OLD.external_id, OLD.external_digest, OLD.created_at, COALESCE(OLD.removed_at, NEW.removed_at))
        IS DISTINCT FROM
        (NEW.tenant_id, NEW.id, NEW.invoice_id, NEW.amount, NEW.paid_on, NEW.method, NEW.provider, NEW.reference, NEW.source,
            NEW.external_id, NEW.external_digest, NEW.created_at, NEW.removed_at))
    EXECUTE FUNCTION append_only();
CREATE TRIGGER refund_waiting AFTER INSERT ON payments
    FOR EACH ROW WHEN (NEW.reference IS NOT NULL) EXECUTE FUNCTION refund_waiting();
ALTER TABLE invoices ALTER state TYPE text COLLATE "default";
