-- Customers are also found by the words of their address.

-- +goose Up
DROP TRIGGER word_changed_customer ON customers; -- and lock the table
-- customer_text is unchanged, except for the address.
DROP FUNCTION customer_text;
CREATE FUNCTION customer_text(email text, name text, tax_id text, contact text, reference text, address text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN concat_ws(' ', email, name, tax_id, alike_tax_id(tax_id), regexp_replace(alike_tax_id(tax_id), '^[a-z]+', ''), contact, reference,
    address);

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION word_customer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM customer_words
        WHERE tenant_id = OLD.tenant_id AND customer_id = OLD.id
            AND word = ANY (search_words(customer_text(OLD.email, OLD.name, OLD.tax_id, OLD.contact, OLD.reference, OLD.address)));
    END IF;
    INSERT INTO customer_words (tenant_id, word, customer_id)
    SELECT NEW.tenant_id, word, NEW.id
    FROM unnest(search_words(customer_text(NEW.email, NEW.name, NEW.tax_id, NEW.contact, NEW.reference, NEW.address))) AS word;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER word_changed_customer AFTER UPDATE OF email, name, tax_id, contact, reference, address ON customers FOR EACH ROW
    WHEN ((OLD.email, OLD.name, OLD.tax_id, OLD.contact, OLD.reference, OLD.address)
        IS DISTINCT FROM (NEW.email, NEW.name, NEW.tax_id, NEW.contact, NEW.reference, NEW.address))
    EXECUTE FUNCTION word_customer();

-- The customers so far, one tenant after the other: a policy hides the rest. The table is locked.
-- +goose StatementBegin
DO $$
DECLARE
    entered text := COALESCE(current_setting('onlyonce.tenant_id', true), '');
    tenant  uuid;
BEGIN
    FOR tenant IN SELECT id FROM tenants LOOP
        PERFORM set_config('onlyonce.tenant_id', tenant::text, true);
        INSERT INTO customer_words (tenant_id, word, customer_id)
        SELECT tenant, unnest(search_words(customer_text(email, name, tax_id, contact, reference, address))), id FROM customers
        WHERE tenant_id = tenant AND address <> ''
        ON CONFLICT DO NOTHING;
    END LOOP;
    PERFORM set_config('onlyonce.tenant_id', entered, true);
END $$;
-- +goose StatementEnd

-- +goose Down
-- The words of the addresses are removed.
DROP TRIGGER word_changed_customer ON customers;
DROP FUNCTION customer_text;
CREATE FUNCTION customer_text(email text, name text, tax_id text, contact text, reference text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN concat_ws(' ', email, name, tax_id, alike_tax_id(tax_id), regexp_replace(alike_tax_id(tax_id), '^[a-z]+', ''), contact, reference);
-- +goose StatementBegin
DO $$
DECLARE
    entered text := COALESCE(current_setting('onlyonce.tenant_id', true), '');
    tenant  uuid;
BEGIN
    FOR tenant IN SELECT id FROM tenants LOOP
        PERFORM set_config('onlyonce.tenant_id', tenant::text, true);
        DELETE FROM customer_words w USING customers c
        WHERE w.tenant_id = tenant AND c.tenant_id = tenant AND c.id = w.customer_id AND c.address <> ''
            AND w.word <> ALL (search_words(customer_text(c.email, c.name, c.tax_id, c.contact, c.reference)));
    END LOOP;
    PERFORM set_config('onlyonce.tenant_id', entered, true);
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION word_customer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM customer_words
        WHERE tenant_id = OLD.tenant_id AND customer_id = OLD.id
            AND word = ANY (search_words(customer_text(OLD.email, OLD.name, OLD.tax_id, OLD.contact, OLD.reference)));
    END IF;
    INSERT INTO customer_words (tenant_id, word, customer_id)
    SELECT NEW.tenant_id, unnest(search_words(customer_text(NEW.email, NEW.name, NEW.tax_id, NEW.contact, NEW.reference))), NEW.id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER word_changed_customer AFTER UPDATE OF email, name, tax_id, contact, reference ON customers FOR EACH ROW
    WHEN ((OLD.email, OLD.name, OLD.tax_id, OLD.contact, OLD.reference)
        IS DISTINCT FROM (NEW.email, NEW.name, NEW.tax_id, NEW.contact, NEW.reference))
    EXECUTE FUNCTION word_customer();
