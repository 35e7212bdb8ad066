-- Customers, the words by which they are found, and the forms in which they are compared.

-- +goose Up

-- alike_name returns the form in which names are compared: folded, without spaces and punctuation.
CREATE FUNCTION alike_name(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(fold_text(name),
    '[\u0001-\u002f:-@\[-`\{-\u00bf\u2000-\u206f\u3000-\u3003\u3008-\u301f\uff00-\uff0f]+', '', 'g') COLLATE "C";

-- alike_tax_id returns the form in which tax IDs are compared: letters without capitals, and digits.
CREATE FUNCTION alike_tax_id(tax_id text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(lower(tax_id COLLATE "C"), '[^a-z0-9]+', '', 'g') COLLATE "C";

-- alike_email returns the form in which emails are compared that may lead to one mailbox: without capitals, dots before the @,
-- and what stands behind a plus there. One that would have nothing before the @ stays as it is.
CREATE FUNCTION alike_email(email text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (COALESCE(NULLIF(replace(split_part(split_part(lower(email COLLATE "C"), '@', 1), '+', 1), '.', ''), ''),
        split_part(lower(email COLLATE "C"), '@', 1)) || '@' || split_part(lower(email COLLATE "C"), '@', 2)) COLLATE "C";

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
    -- The customer that this one was merged into, which is not merged itself: see 00117_merges.sql.
    merged_into  uuid,
    -- The id, unless this one was merged into another. What refers to customers refers to this column, and so never to one
    -- that was merged: the foreign key sees to it, and a merge finds by it what it has to move.
    live_id      uuid           GENERATED ALWAYS AS (CASE WHEN merged_into IS NULL THEN id END) STORED,
    alike_name   text           COLLATE "C" NOT NULL GENERATED ALWAYS AS (alike_name(name)) STORED,
    alike_tax_id text           COLLATE "C" NOT NULL GENERATED ALWAYS AS (alike_tax_id(tax_id)) STORED,
    alike_email  text           COLLATE "C" NOT NULL GENERATED ALWAYS AS (alike_email(email)) STORED,
    version      record_version NOT NULL DEFAULT 1,
    created_at   timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT customers_email_once UNIQUE (tenant_id, email_folded),
    CONSTRAINT customers_external CHECK (num_nonnulls(source, external_id, external_digest) IN (0, 3)),
    CONSTRAINT customers_name_one_line CHECK (name !~ '[[:cntrl:]]'),
    CONSTRAINT customers_live UNIQUE (tenant_id, live_id),
    CONSTRAINT customers_merged_into FOREIGN KEY (tenant_id, merged_into) REFERENCES customers (tenant_id, live_id),
    -- So they are neither listed nor offered anywhere.
    CONSTRAINT customers_merged_are_archived CHECK (merged_into IS NULL OR archived_at IS NOT NULL)
);
CREATE UNIQUE INDEX customers_external_once ON customers (tenant_id, source_folded, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX customers_active ON customers (tenant_id, id) WHERE archived_at IS NULL;
CREATE INDEX customers_archived ON customers (tenant_id, id) WHERE archived_at IS NOT NULL AND merged_into IS NULL;
CREATE INDEX customers_merged ON customers (tenant_id, merged_into, id) WHERE merged_into IS NOT NULL;
CREATE INDEX customers_alike_name ON customers (tenant_id, alike_name, id) WHERE merged_into IS NULL AND alike_name <> '';
CREATE INDEX customers_alike_tax_id ON customers (tenant_id, alike_tax_id, id) WHERE merged_into IS NULL AND alike_tax_id <> '';
CREATE INDEX customers_alike_email ON customers (tenant_id, alike_email, id) WHERE merged_into IS NULL;
CREATE TRIGGER next_version BEFORE UPDATE ON customers FOR EACH ROW EXECUTE FUNCTION next_version();

ALTER TABLE customers ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON customers USING (tenant_id = current_tenant());
REVOKE DELETE, TRUNCATE ON customers FROM CURRENT_USER; -- replays rely on it

-- live_customer returns a customer, or the one that it was merged into, and keeps it from being merged until the transaction
-- ends; all NULL if there is none. One that is being merged now is waited for.
-- +goose StatementBegin
CREATE FUNCTION live_customer(in_tenant uuid, in_id uuid) RETURNS customers LANGUAGE plpgsql AS $$
DECLARE
    found customers;
BEGIN
    SELECT * INTO found FROM customers WHERE tenant_id = in_tenant AND id = in_id FOR KEY SHARE;
    WHILE found.merged_into IS NOT NULL LOOP
        SELECT * INTO found FROM customers WHERE tenant_id = in_tenant AND id = found.merged_into FOR KEY SHARE;
    END LOOP;
    RETURN found;
END $$;
-- +goose StatementEnd

-- create_or_reuse_customer returns the tenant's customer with an email, as it is, or the one that this was merged into, and
-- creates it if there is none. Of those who come at the same time one creates it; the others wait for that one's commit and
-- find it. With an external id, which no customer has, it reuses none: it fails with constraint customers_email_once.
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
        -- The usual case, and cheaper than a conflict. The lock keeps it from being merged, as in live_customer.
        SELECT * INTO known FROM customers WHERE tenant_id = in_tenant AND email_folded = folded FOR KEY SHARE;
        IF FOUND AND in_external_id IS NOT NULL THEN
            RAISE EXCEPTION 'email of another customer' USING ERRCODE = 'unique_violation', CONSTRAINT = 'customers_email_once';
        ELSIF FOUND AND known.merged_into IS NOT NULL THEN
            RETURN live_customer(in_tenant, known.merged_into);
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
DROP FUNCTION create_or_reuse_customer, live_customer;
DROP TABLE customer_words, customers;
DROP FUNCTION word_customer, alike_email, alike_tax_id, alike_name;
