-- What a business says of itself on its invoices, and what new invoices begin with; what it knows of its customers
-- besides; and both as they were when an invoice was issued.

-- +goose Up
CREATE DOMAIN country_code AS text CHECK (VALUE ~ '^([A-Z]{2})?$'); -- ISO 3166-1 alpha-2; '' if it is not known
CREATE DOMAIN postal_address AS text CHECK (length(VALUE) <= 500); -- lines, without the country
CREATE DOMAIN payment_days AS integer CHECK (VALUE BETWEEN 0 AND 365);
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
    -- Of new invoices.
    currency       currency_code  NOT NULL DEFAULT 'EUR',
    tax_rate       tax_percent, -- NULL for none
    payment_days   payment_days   NOT NULL DEFAULT 30,
    version        record_version NOT NULL DEFAULT 1,
    created_at     timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);
CREATE TRIGGER next_version BEFORE UPDATE ON settings FOR EACH ROW EXECUTE FUNCTION next_version();

-- Tenants that are there already.
INSERT INTO settings (tenant_id, name) SELECT id, name FROM tenants;

ALTER TABLE settings ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON settings USING (tenant_id = current_tenant());

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

ALTER TABLE customers
    ADD COLUMN address      postal_address NOT NULL DEFAULT '',
    ADD COLUMN country      country_code   NOT NULL DEFAULT '',
    ADD COLUMN tax_id       text           NOT NULL DEFAULT '',
    ADD COLUMN payment_days payment_days; -- NULL for those of the settings

DROP FUNCTION create_or_reuse_customer;
-- create_or_reuse_customer gives the tenant's customer with an email, as it is, and creates it if there is none. Of
-- those who come at the same time one creates it; the others wait for that one's commit and find it.
-- +goose StatementBegin
CREATE FUNCTION create_or_reuse_customer(
    in_tenant uuid, in_id uuid, in_email text, in_name text,
    in_address text DEFAULT '', in_country text DEFAULT '', in_tax_id text DEFAULT '', in_payment_days integer DEFAULT NULL
) RETURNS customers LANGUAGE plpgsql AS $$
DECLARE
    known  customers;
    folded text := lower(in_email COLLATE "C");
BEGIN
    LOOP
        -- The usual case, and cheaper than a conflict.
        SELECT * INTO known FROM customers WHERE tenant_id = in_tenant AND email_folded = folded;
        IF FOUND THEN
            RETURN known;
        END IF;
        INSERT INTO customers (tenant_id, id, email, name, address, country, tax_id, payment_days)
        VALUES (in_tenant, in_id, in_email, in_name, in_address, in_country, in_tax_id, in_payment_days)
        ON CONFLICT ON CONSTRAINT customers_email_once DO NOTHING
        RETURNING * INTO known;
        IF FOUND THEN
            RETURN known;
        END IF;
    END LOOP;
END $$;
-- +goose StatementEnd

-- The business as the issued invoice names it, whatever becomes of its settings: bill_to is the same of the customer.
ALTER TABLE invoices ADD COLUMN seller json;

-- Invoices that were issued already name the business as it is now. No tenant is entered here, so the rows are hidden
-- from their owner too while that is forced.
ALTER TABLE settings NO FORCE ROW LEVEL SECURITY;
ALTER TABLE invoices NO FORCE ROW LEVEL SECURITY, DISABLE TRIGGER USER;
UPDATE invoices i SET seller = (SELECT json_build_object('name', s.name) FROM settings s WHERE s.tenant_id = i.tenant_id)
WHERE i.issued_at IS NOT NULL;
ALTER TABLE invoices FORCE ROW LEVEL SECURITY, ENABLE TRIGGER USER;
ALTER TABLE settings FORCE ROW LEVEL SECURITY;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'an invoice is voided, never deleted' USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_kept';
    END IF;
    IF (OLD.status, NEW.status) NOT IN (('draft', 'draft'), ('draft', 'issued'), ('draft', 'void'),
        ('issued', 'issued'), ('issued', 'void')) THEN
        RAISE EXCEPTION 'no way from % to %', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_life';
    END IF;
    IF (NEW.issued_at IS NULL) <> (NEW.bill_to IS NULL) OR (NEW.issued_at IS NULL) <> (NEW.seller IS NULL)
        OR NEW.status = 'issued' AND NEW.issued_at IS NULL OR (NEW.status = 'void') <> (NEW.voided_at IS NOT NULL) OR NEW.status = 'draft' AND NEW.issued_at IS NOT NULL THEN
        RAISE EXCEPTION 'stamps do not go with the state %', NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_stamped';
    END IF;
    IF OLD.status <> 'draft' AND (
        (OLD.number, OLD.customer_id, OLD.currency, OLD.issue_date, OLD.due_date, OLD.notes, OLD.subtotal, OLD.tax_total,
            OLD.total, OLD.issued_at, OLD.bill_to::text, OLD.seller::text)
        IS DISTINCT FROM
        (NEW.number, NEW.customer_id, NEW.currency, NEW.issue_date, NEW.due_date, NEW.notes, NEW.subtotal, NEW.tax_total,
            NEW.total, NEW.issued_at, NEW.bill_to::text, NEW.seller::text)) THEN
        RAISE EXCEPTION 'an invoice that was issued does not change'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_frozen';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- A mail names the business as its invoice does.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION queue_mail() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    billed invoices;
BEGIN
    SELECT * INTO billed FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such invoice' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'mails_invoice';
    ELSIF billed.status <> 'issued' THEN
        RAISE EXCEPTION 'not issued' USING ERRCODE = 'check_violation', CONSTRAINT = 'mails_of_issued';
    END IF;
    NEW.recipient := COALESCE(NEW.recipient, billed.bill_to->>'email');
    NEW.subject := 'Invoice ' || billed.number || ' from ' || (billed.seller->>'name');
    INSERT INTO river.river_job (kind, queue, args, max_attempts)
    VALUES ('mail', 'mail', jsonb_build_object('tenant', NEW.tenant_id, 'mail', NEW.id), 25);
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION queue_mail() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    billed invoices;
BEGIN
    SELECT * INTO billed FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such invoice' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'mails_invoice';
    ELSIF billed.status <> 'issued' THEN
        RAISE EXCEPTION 'not issued' USING ERRCODE = 'check_violation', CONSTRAINT = 'mails_of_issued';
    END IF;
    NEW.recipient := COALESCE(NEW.recipient, billed.bill_to->>'email');
    NEW.subject := 'Invoice ' || billed.number || ' from ' || (SELECT name FROM tenants WHERE id = NEW.tenant_id);
    INSERT INTO river.river_job (kind, queue, args, max_attempts)
    VALUES ('mail', 'mail', jsonb_build_object('tenant', NEW.tenant_id, 'mail', NEW.id), 25);
    RETURN NEW;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'an invoice is voided, never deleted' USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_kept';
    END IF;
    IF (OLD.status, NEW.status) NOT IN (('draft', 'draft'), ('draft', 'issued'), ('draft', 'void'),
        ('issued', 'issued'), ('issued', 'void')) THEN
        RAISE EXCEPTION 'no way from % to %', OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_life';
    END IF;
    IF (NEW.issued_at IS NULL) <> (NEW.bill_to IS NULL) OR NEW.status = 'issued' AND NEW.issued_at IS NULL
        OR (NEW.status = 'void') <> (NEW.voided_at IS NOT NULL) OR NEW.status = 'draft' AND NEW.issued_at IS NOT NULL THEN
        RAISE EXCEPTION 'stamps do not go with the state %', NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_stamped';
    END IF;
    IF OLD.status <> 'draft' AND (
        (OLD.number, OLD.customer_id, OLD.currency, OLD.issue_date, OLD.due_date, OLD.notes, OLD.subtotal, OLD.tax_total,
            OLD.total, OLD.issued_at, OLD.bill_to::text)
        IS DISTINCT FROM
        (NEW.number, NEW.customer_id, NEW.currency, NEW.issue_date, NEW.due_date, NEW.notes, NEW.subtotal, NEW.tax_total,
            NEW.total, NEW.issued_at, NEW.bill_to::text)) THEN
        RAISE EXCEPTION 'an invoice that was issued does not change'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_frozen';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
ALTER TABLE invoices DROP COLUMN seller;
DROP FUNCTION create_or_reuse_customer;
-- +goose StatementBegin
CREATE FUNCTION create_or_reuse_customer(in_tenant uuid, in_id uuid, in_email text, in_name text)
RETURNS customers LANGUAGE plpgsql AS $$
DECLARE
    known  customers;
    folded text := lower(in_email COLLATE "C");
BEGIN
    LOOP
        -- The usual case, and cheaper than a conflict.
        SELECT * INTO known FROM customers WHERE tenant_id = in_tenant AND email_folded = folded;
        IF FOUND THEN
            RETURN known;
        END IF;
        INSERT INTO customers (tenant_id, id, email, name) VALUES (in_tenant, in_id, in_email, in_name)
        ON CONFLICT ON CONSTRAINT customers_email_once DO NOTHING
        RETURNING * INTO known;
        IF FOUND THEN
            RETURN known;
        END IF;
    END LOOP;
END $$;
-- +goose StatementEnd
ALTER TABLE customers DROP COLUMN payment_days, DROP COLUMN tax_id, DROP COLUMN country, DROP COLUMN address;
DROP TRIGGER settle_tenant ON tenants;
DROP FUNCTION settle_tenant;
DROP TABLE settings;
DROP DOMAIN tax_percent, payment_days, postal_address, country_code;
