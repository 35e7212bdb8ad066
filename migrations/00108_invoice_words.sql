-- The words by which invoices are found: those of their numbers and of their lines. Those of the customer are in
-- customer_words, so that a customer who gets another name is found by it at once.

-- +goose Up

-- number_text returns a number as it is searched for: 2026-0042 by 42 too.
CREATE FUNCTION number_text(number text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN number || ' ' || regexp_replace(number, '(^|[^0-9])0+', '\1 ', 'g') || ' ';

-- Nothing refers to an invoice here: a foreign key would cost each create a look at it for each word, and invoices are
-- never deleted.
CREATE TABLE invoice_words (
    tenant_id  uuid NOT NULL,
    word       text COLLATE "C" NOT NULL,
    issue_date date NOT NULL, -- of the invoice: what has a word comes in the order of the list
    invoice_id uuid NOT NULL,
    PRIMARY KEY (tenant_id, word, issue_date, invoice_id)
);
ALTER TABLE invoice_words ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON invoice_words USING (tenant_id = current_tenant());

-- invoice_text returns what the words of an invoice are taken from.
-- +goose StatementBegin
CREATE FUNCTION invoice_text(in_tenant uuid, in_invoice uuid, number text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN number_text(number) || COALESCE((
        SELECT string_agg(description, ' ' ORDER BY position) FROM invoice_lines
        WHERE tenant_id = in_tenant AND invoice_id = in_invoice), '');
END $$;
-- +goose StatementEnd

-- word_new_lines adds the words of new lines, and of the numbers of their invoices. The LIMIT makes a
-- lookup of each invoice: a join with the touched rows, of which nothing is known when it is planned, may read all invoices.
-- +goose StatementBegin
CREATE FUNCTION word_new_lines() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO invoice_words (tenant_id, word, issue_date, invoice_id)
    SELECT lines.tenant_id, word, its.issue_date, lines.invoice_id
    FROM (
        SELECT tenant_id, invoice_id, string_agg(description, ' ' ORDER BY position) AS text
        FROM touched GROUP BY tenant_id, invoice_id) AS lines,
        LATERAL (SELECT number, issue_date FROM invoices WHERE tenant_id = lines.tenant_id AND id = lines.invoice_id LIMIT 1) AS its,
        LATERAL unnest(search_words(number_text(its.number) || lines.text)) AS word
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER word_new_lines AFTER INSERT ON invoice_lines
    REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION word_new_lines();

-- word_lines follows lines that are changed or deleted. The words of those that were are taken away, and then those of all
-- lines are there.
-- +goose StatementBegin
CREATE FUNCTION word_lines() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    lines record;
    its   invoices;
BEGIN
    FOR lines IN
        SELECT tenant_id, invoice_id, string_agg(description, ' ' ORDER BY position) AS text
        FROM touched GROUP BY tenant_id, invoice_id
    LOOP
        SELECT * INTO its FROM invoices WHERE tenant_id = lines.tenant_id AND id = lines.invoice_id;
        DELETE FROM invoice_words
        WHERE tenant_id = its.tenant_id AND issue_date = its.issue_date AND invoice_id = its.id
            AND word = ANY (search_words(lines.text));
        INSERT INTO invoice_words (tenant_id, word, issue_date, invoice_id)
        SELECT its.tenant_id, unnest(search_words(invoice_text(its.tenant_id, its.id, its.number))), its.issue_date, its.id
        ON CONFLICT DO NOTHING;
    END LOOP;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER word_changed_lines AFTER UPDATE ON invoice_lines
    REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION word_lines();
CREATE TRIGGER word_old_lines AFTER DELETE ON invoice_lines
    REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION word_lines();

-- word_changed_invoice follows a draft that gets another number or day.
-- +goose StatementBegin
CREATE FUNCTION word_changed_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM invoice_words w
    WHERE w.tenant_id = OLD.tenant_id AND w.issue_date = OLD.issue_date AND w.invoice_id = OLD.id
        AND w.word = ANY (search_words(invoice_text(OLD.tenant_id, OLD.id, OLD.number)));
    INSERT INTO invoice_words (tenant_id, word, issue_date, invoice_id)
    SELECT NEW.tenant_id, unnest(search_words(invoice_text(NEW.tenant_id, NEW.id, NEW.number))), NEW.issue_date, NEW.id
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER word_changed_invoice AFTER UPDATE OF number, issue_date ON invoices FOR EACH ROW
    WHEN ((OLD.number, OLD.issue_date) IS DISTINCT FROM (NEW.number, NEW.issue_date)) EXECUTE FUNCTION word_changed_invoice();

-- +goose Down
DROP TRIGGER word_changed_invoice ON invoices;
DROP TRIGGER word_old_lines ON invoice_lines;
DROP TRIGGER word_changed_lines ON invoice_lines;
DROP TRIGGER word_new_lines ON invoice_lines;
DROP FUNCTION word_changed_invoice, word_lines, word_new_lines, invoice_text;
DROP TABLE invoice_words;
DROP FUNCTION number_text;
