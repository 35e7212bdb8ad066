-- Customers are also found by their tax ID, contact and reference, and by their tax ID without its spaces and signs,
-- and without its country.

-- +goose Up
-- customer_text returns what the words of a customer are taken from.
CREATE FUNCTION customer_text(email text, name text, tax_id text, contact text, reference text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN concat_ws(' ', email, name, tax_id, alike_tax_id(tax_id), regexp_replace(alike_tax_id(tax_id), '^[a-z]+', ''), contact, reference);

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
DROP TRIGGER word_changed_customer ON customers;
CREATE TRIGGER word_changed_customer AFTER UPDATE OF email, name, tax_id, contact, reference ON customers FOR EACH ROW
    WHEN ((OLD.email, OLD.name, OLD.tax_id, OLD.contact, OLD.reference)
        IS DISTINCT FROM (NEW.email, NEW.name, NEW.tax_id, NEW.contact, NEW.reference))
    EXECUTE FUNCTION word_customer();

-- The customers so far, one tenant after the other: a policy hides the rest. The trigger above has locked the table.
-- +goose StatementBegin
DO $$
DECLARE
    entered text := COALESCE(current_setting('onlyonce.tenant_id', true), '');
    tenant  uuid;
BEGIN
    FOR tenant IN SELECT id FROM tenants LOOP
        PERFORM set_config('onlyonce.tenant_id', tenant::text, true);
        INSERT INTO customer_words (tenant_id, word, customer_id)
        SELECT tenant, unnest(search_words(customer_text(email, name, tax_id, contact, reference))), id FROM customers
        WHERE tenant_id = tenant AND (tax_id <> '' OR contact <> '' OR reference <> '')
        ON CONFLICT DO NOTHING;
    END LOOP;
    PERFORM set_config('onlyonce.tenant_id', entered, true);
END $$;
-- +goose StatementEnd

-- +goose Down
-- The words of the details are removed.
-- +goose StatementBegin
DO $$
DECLARE
    entered text := COALESCE(current_setting('onlyonce.tenant_id', true), '');
    tenant  uuid;
BEGIN
    FOR tenant IN SELECT id FROM tenants LOOP
        PERFORM set_config('onlyonce.tenant_id', tenant::text, true);
        DELETE FROM customer_words w USING customers c
        WHERE w.tenant_id = tenant AND c.tenant_id = tenant AND c.id = w.customer_id
            AND (c.tax_id <> '' OR c.contact <> '' OR c.reference <> '')
            AND w.word <> ALL (search_words(concat_ws(' ', c.email, c.name)));
    END LOOP;
    PERFORM set_config('onlyonce.tenant_id', entered, true);
END $$;
-- +goose StatementEnd
DROP TRIGGER word_changed_customer ON customers;
CREATE TRIGGER word_changed_customer AFTER UPDATE OF email, name ON customers FOR EACH ROW
    WHEN ((OLD.email, OLD.name) IS DISTINCT FROM (NEW.email, NEW.name)) EXECUTE FUNCTION word_customer();
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION word_customer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM customer_words
        WHERE tenant_id = OLD.tenant_id AND customer_id = OLD.id AND word = ANY (search_words(concat_ws(' ', OLD.email, OLD.name)));
    END IF;
    INSERT INTO customer_words (tenant_id, word, customer_id)
    SELECT NEW.tenant_id, unnest(search_words(concat_ws(' ', NEW.email, NEW.name))), NEW.id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
DROP FUNCTION customer_text;
