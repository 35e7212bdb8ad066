-- Reminders of several invoices at once, with the outcome of each.

-- +goose Up
CREATE TABLE invoice_reminder_batches (
    tenant_id  uuid           NOT NULL REFERENCES tenants,
    id         uuid           NOT NULL,
    version    record_version NOT NULL DEFAULT 1,
    created_at timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);
CREATE TRIGGER next_version BEFORE UPDATE ON invoice_reminder_batches FOR EACH ROW EXECUTE FUNCTION next_version();

CREATE DOMAIN reminder_outcome AS text CHECK (
    VALUE IN ('sent', 'sent_before', 'not_issued', 'not_overdue', 'not_next', 'no_address', 'customer_erased'));

CREATE TABLE invoice_reminder_outcomes (
    tenant_id  uuid             NOT NULL,
    batch_id   uuid             NOT NULL,
    invoice_id uuid             NOT NULL,
    level      integer          NOT NULL CONSTRAINT reminder_outcomes_level CHECK (level BETWEEN 1 AND 3),
    outcome    reminder_outcome NOT NULL,
    PRIMARY KEY (tenant_id, batch_id, invoice_id),
    CONSTRAINT reminder_outcomes_batch FOREIGN KEY (tenant_id, batch_id) REFERENCES invoice_reminder_batches (tenant_id, id),
    CONSTRAINT reminder_outcomes_invoice FOREIGN KEY (tenant_id, invoice_id) REFERENCES invoices (tenant_id, id)
);
CREATE INDEX reminder_outcomes_of_invoice ON invoice_reminder_outcomes (tenant_id, invoice_id);

ALTER TABLE invoice_reminder_batches ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON invoice_reminder_batches USING (tenant_id = current_tenant());
REVOKE DELETE, TRUNCATE ON invoice_reminder_batches FROM CURRENT_USER; -- replays rely on it
ALTER TABLE invoice_reminder_outcomes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON invoice_reminder_outcomes USING (tenant_id = current_tenant());
REVOKE DELETE, TRUNCATE ON invoice_reminder_outcomes FROM CURRENT_USER;

-- send_reminders sends each reminder of a batch that is possible, and stores the outcome of each. The invoices are sorted, so that two
-- batches lock them in the same order.
-- +goose StatementBegin
CREATE FUNCTION send_reminders(
    in_tenant uuid, in_batch uuid, in_ids uuid[], in_invoices uuid[], in_levels integer[], in_messages text[], in_operation text, in_key text
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    broken text;
    became reminder_outcome;
BEGIN
    INSERT INTO invoice_reminder_batches (tenant_id, id) VALUES (in_tenant, in_batch);
    FOR i IN 1 .. cardinality(in_invoices) LOOP
        BEGIN
            PERFORM send_reminder(in_tenant, in_ids[i], in_invoices[i], in_levels[i], NULL, in_messages[in_levels[i]], in_operation, in_key);
            became := CASE WHEN EXISTS (SELECT FROM invoice_reminders WHERE tenant_id = in_tenant AND id = in_ids[i])
                THEN 'sent' ELSE 'sent_before' END;
        EXCEPTION WHEN check_violation THEN
            GET STACKED DIAGNOSTICS broken = CONSTRAINT_NAME;
            became := CASE broken WHEN 'mails_of_issued' THEN 'not_issued' WHEN 'reminders_of_overdue' THEN 'not_overdue'
                WHEN 'reminders_of_next_level' THEN 'not_next' WHEN 'reminders_recipient' THEN 'no_address'
                WHEN 'customers_erased' THEN 'customer_erased' END;
            IF became IS NULL THEN
                RAISE;
            END IF;
        END;
        INSERT INTO invoice_reminder_outcomes (tenant_id, batch_id, invoice_id, level, outcome)
        VALUES (in_tenant, in_batch, in_invoices[i], in_levels[i], became);
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION send_reminders;
DROP TABLE invoice_reminder_outcomes, invoice_reminder_batches;
DROP DOMAIN reminder_outcome;
