-- Batches that issue or send several invoices, one after the other, with the outcome of each.

-- +goose Up
CREATE DOMAIN invoice_batch_action AS text CHECK (VALUE IN ('issue', 'send'));
CREATE DOMAIN invoice_batch_outcome AS text CHECK (VALUE IN ('waiting', 'done', 'unchanged', 'refused'));

CREATE TABLE invoice_batches (
    tenant_id  uuid                 NOT NULL REFERENCES tenants,
    id         uuid                 NOT NULL,
    action     invoice_batch_action NOT NULL,
    no_email   boolean              NOT NULL, -- issued only
    e_invoice  boolean              NOT NULL, -- attached to each email
    asked_by   text                 NOT NULL, -- the name of the user or token in whose name the job acts
    version    record_version       NOT NULL DEFAULT 1,
    created_at timestamptz          NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);
CREATE TRIGGER next_version BEFORE UPDATE ON invoice_batches FOR EACH ROW EXECUTE FUNCTION next_version();

-- The progress of a batch is not part of its version, which nobody changes.
CREATE TABLE invoice_batch_items (
    tenant_id  uuid                  NOT NULL,
    batch_id   uuid                  NOT NULL,
    invoice_id uuid                  NOT NULL,
    outcome    invoice_batch_outcome NOT NULL DEFAULT 'waiting',
    reason     text                  NOT NULL DEFAULT '', -- of a refusal, in plain words
    PRIMARY KEY (tenant_id, batch_id, invoice_id),
    CONSTRAINT invoice_batch_items_refused CHECK ((outcome = 'refused') = (reason <> '')),
    CONSTRAINT invoice_batch_items_batch FOREIGN KEY (tenant_id, batch_id) REFERENCES invoice_batches (tenant_id, id),
    CONSTRAINT invoice_batch_items_invoice FOREIGN KEY (tenant_id, invoice_id) REFERENCES invoices (tenant_id, id)
);
CREATE INDEX invoice_batch_items_of_invoice ON invoice_batch_items (tenant_id, invoice_id);

ALTER TABLE invoice_batches ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON invoice_batches USING (tenant_id = current_tenant());
REVOKE DELETE, TRUNCATE ON invoice_batches FROM CURRENT_USER; -- replays rely on it
ALTER TABLE invoice_batch_items ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON invoice_batch_items USING (tenant_id = current_tenant());
REVOKE DELETE, TRUNCATE ON invoice_batch_items FROM CURRENT_USER;

-- +goose Down
DROP TABLE invoice_batch_items, invoice_batches;
DROP DOMAIN invoice_batch_outcome, invoice_batch_action;
