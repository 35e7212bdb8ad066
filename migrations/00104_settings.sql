-- What a business says of itself, and what its new records begin with.

-- +goose Up
CREATE DOMAIN tax_percent AS numeric CHECK (VALUE BETWEEN 0 AND 100);

-- Each tenant has exactly one row, which has its id.
CREATE TABLE settings (
    tenant_id      uuid           NOT NULL REFERENCES tenants,
    id             uuid           NOT NULL GENERATED ALWAYS AS (tenant_id) STORED,
    name           text           NOT NULL CHECK (name <> ''),
    address        postal_address NOT NULL DEFAULT '',
    country        country_code   NOT NULL DEFAULT '',
    tax_id         text           NOT NULL DEFAULT '',
    account_holder text           NOT NULL DEFAULT '',
    account_number text           NOT NULL DEFAULT '', -- an IBAN without spaces, or another number
    bic            text           NOT NULL DEFAULT '',
    -- Of new records.
    currency       currency_code  NOT NULL DEFAULT 'EUR',
    tax_rate       tax_percent, -- NULL for none
    payment_days   payment_days   NOT NULL DEFAULT 30,
    version        record_version NOT NULL DEFAULT 1,
    created_at     timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);
CREATE TRIGGER next_version BEFORE UPDATE ON settings FOR EACH ROW EXECUTE FUNCTION next_version();

ALTER TABLE settings ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON settings USING (tenant_id = current_tenant());
REVOKE DELETE, TRUNCATE ON settings FROM CURRENT_USER; -- replays rely on it

-- settle_tenant gives a new tenant its settings. It enters the tenant for that, and leaves it again.
-- +goose StatementBegin
CREATE FUNCTION settle_tenant() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    entered text := COALESCE(current_setting('onlyonce.tenant_id', true), '');
BEGIN
    PERFORM set_config('onlyonce.tenant_id', NEW.id::text, true);
    INSERT INTO settings (tenant_id, name) VALUES (NEW.id, NEW.name);
    PERFORM set_config('onlyonce.tenant_id', entered, true);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER settle_tenant AFTER INSERT ON tenants FOR EACH ROW EXECUTE FUNCTION settle_tenant();

-- +goose Down
DROP TRIGGER settle_tenant ON tenants;
DROP FUNCTION settle_tenant;
DROP TABLE settings;
DROP DOMAIN tax_percent;
