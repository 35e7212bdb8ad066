-- Invoices that look alike and are not the same, each pair once. The smaller id comes first.

-- +goose Up
CREATE TABLE invoice_distinctions (
    tenant_id   uuid           NOT NULL REFERENCES tenants,
    id          uuid           NOT NULL,
    invoice_ids uuid[]         NOT NULL CHECK (cardinality(invoice_ids) > 1),
    version     record_version NOT NULL DEFAULT 1,
    created_at  timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);
CREATE TRIGGER next_version BEFORE UPDATE ON invoice_distinctions FOR EACH ROW EXECUTE FUNCTION next_version();
CREATE TABLE invoice_distinct_pairs (
    tenant_id uuid NOT NULL,
    one_id    uuid NOT NULL,
    other_id  uuid NOT NULL,
    PRIMARY KEY (tenant_id, one_id, other_id),
    CONSTRAINT invoice_distinct_pairs_one FOREIGN KEY (tenant_id, one_id) REFERENCES invoices (tenant_id, id),
    CONSTRAINT invoice_distinct_pairs_other FOREIGN KEY (tenant_id, other_id) REFERENCES invoices (tenant_id, id),
    CONSTRAINT invoice_distinct_pairs_in_order CHECK (one_id < other_id)
);

ALTER TABLE invoice_distinctions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON invoice_distinctions USING (tenant_id = current_tenant());
ALTER TABLE invoice_distinct_pairs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON invoice_distinct_pairs USING (tenant_id = current_tenant());
REVOKE DELETE, TRUNCATE ON invoice_distinctions FROM CURRENT_USER; -- replays rely on it

-- +goose Down
DROP TABLE invoice_distinct_pairs, invoice_distinctions;
