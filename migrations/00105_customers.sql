-- Customers, and the words by which they are found.

-- +goose Up
CREATE TABLE customers (
    tenant_id    uuid           NOT NULL REFERENCES tenants,
    id           uuid           NOT NULL,
    -- One address in printable ASCII: no invisible character can make a second one of it.
    email        text           NOT NULL CONSTRAINT customers_email_ascii CHECK (email COLLATE "C" ~ '^[!-?A-~]+@[!-?A-~]+$'),
    -- The form in which emails are compared, as a column: under row-level security an expression such as
    -- lower(email) may not be looked up in an index.
    email_folded text           COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower(email COLLATE "C")) STORED,
    name         text           NOT NULL CHECK (name = btrim(name) AND name <> ''),
    address      postal_address NOT NULL DEFAULT '',
    country      country_code   NOT NULL DEFAULT '',
    tax_id       text           NOT NULL DEFAULT '',
    payment_days payment_days, -- NULL for those of the settings
    -- What another system calls the customer, both or neither, and SHA-256 of what that system said of it last.
    source       external_source,
    source_folded text           COLLATE "C" GENERATED ALWAYS AS (fold_text(source)) STORED,
    external_id  external_id,
    external_digest sha256_digest,
    -- Archived customers are not listed or offered. Nothing else is different about them.
    archived_at  timestamptz,
    version      record_version NOT NULL DEFAULT 1,
    created_at   timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT customers_email_once UNIQUE (tenant_id, email_folded),
    CONSTRAINT customers_external CHECK (num_nonnulls(source, external_id, external_digest) IN (0, 3)),
    CONSTRAINT customers_name_one_line CHECK (name !~ '[[:cntrl:]]')
);
CREATE UNIQUE INDEX customers_external_once ON customers (tenant_id, source_folded, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX customers_active ON customers (tenant_id, id) WHERE archived_at IS NULL;
CREATE INDEX customers_archived ON customers (tenant_id, id) WHERE archived_at IS NOT NULL;
CREATE TRIGGER next_version BEFORE UPDATE ON customers FOR EACH ROW EXECUTE FUNCTION next_version();

ALTER TABLE customers ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON customers USING (tenant_id = current_tenant());
REVOKE DELETE, TRUNCATE ON customers FROM CURRENT_USER; -- replays rely on it

-- create_or_reuse_customer returns the tenant's customer with an email, as it is, and creates it if there is none. Of
-- those who come at the same time one creates it; the others wait for that one's commit and find it. With an external id, which
-- no customer has, it reuses none: it fails with constraint customers_email_once.
-- +goose StatementBegin
CREATE FUNCTION create_or_reuse_customer(
    in_tenant uuid, in_id uuid, in_email text, in_name text,
    in_address text DEFAULT '', in_country text DEFAULT '', in_tax_id text DEFAULT '', in_payment_days integer DEFAULT NULL,
    in_source text DEFAULT NULL, in_external_id text DEFAULT NULL, in_digest bytea DEFAULT NULL
) RETURNS customers LANGUAGE plpgsql AS $$
DECLARE
    known  customers;
    folded text := lower(in_email COLLATE "C");
BEGIN
    LOOP
        -- The usual case, and cheaper than a conflict.
        SELECT * INTO known FROM customers WHERE tenant_id = in_tenant AND email_folded = folded;
        IF FOUND AND in_external_id IS NOT NULL THEN
            RAISE EXCEPTION 'email of another customer' USING ERRCODE = 'unique_violation', CONSTRAINT = 'customers_email_once';
        ELSIF FOUND THEN
            RETURN known;
    END IF;
        INSERT INTO customers (tenant_id, id, email, name, address, country, tax_id, payment_days, source, external_id, external_digest)
        VALUES (in_tenant, in_id, in_email, in_name, in_address, in_country, in_tax_id, in_payment_days, in_source, in_external_id,
            in_digest)
        ON CONFLICT ON CONSTRAINT customers_email_once DO NOTHING
        RETURNING * INTO known;
        IF FOUND THEN
            RETURN known;
    END IF;
    END LOOP;
END $$;
-- +goose StatementEnd

CREATE TABLE customer_words (
    tenant_id   uuid NOT NULL,
    word        text COLLATE "C" NOT NULL,
    customer_id uuid NOT NULL,
    PRIMARY KEY (tenant_id, word, customer_id)
);
ALTER TABLE customer_words ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON customer_words USING (tenant_id = current_tenant());

-- +goose StatementBegin
CREATE FUNCTION word_customer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM customer_words
        WHERE tenant_id = OLD.tenant_id AND customer_id = OLD.id AND word = ANY (search_words(OLD.email || ' ' || OLD.name));
    END IF;
    INSERT INTO customer_words (tenant_id, word, customer_id)
    SELECT NEW.tenant_id, unnest(search_words(NEW.email || ' ' || NEW.name)), NEW.id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER word_customer AFTER INSERT ON customers FOR EACH ROW EXECUTE FUNCTION word_customer();
CREATE TRIGGER word_changed_customer AFTER UPDATE OF email, name ON customers FOR EACH ROW
    WHEN ((OLD.email, OLD.name) IS DISTINCT FROM (NEW.email, NEW.name)) EXECUTE FUNCTION word_customer();

-- +goose Down
DROP FUNCTION create_or_reuse_customer;
DROP TABLE customer_words, customers;
DROP FUNCTION word_customer;
