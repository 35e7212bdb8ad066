-- Finding invoices and customers: an index for each order of a list, and tables of words to search in.
--
-- Under row-level security PostgreSQL looks up in an index only what leaks nothing: =, < and >= of plain columns, and
-- no LIKE, no trigram, no @@. A search is a range of folded words in a B-tree: all that begin alike stand together.

-- +goose Up

-- The state leads: a list is merged from one stream for each state that is wanted, and none is read in vain.
CREATE INDEX invoices_by_date ON invoices (tenant_id, state, issue_date, id);
CREATE INDEX invoices_by_due ON invoices (tenant_id, state, due_date, id);
CREATE INDEX invoices_by_total ON invoices (tenant_id, state, total, id);
DROP INDEX invoices_of_customer;
CREATE INDEX invoices_of_customer ON invoices (tenant_id, customer_id, issue_date, id);
-- What a customer owes.
CREATE INDEX invoices_open_of_customer ON invoices (tenant_id, customer_id, due_date, id) WHERE state IN ('issued', 'partially_paid');
CREATE INDEX payments_by_day ON payments (tenant_id, paid_on, id);

-- fold_text gives the form in which words are compared: without capitals, width and marks, so that lodz finds Łódź.
-- It does not ask the database's collation, which may know ASCII only.
CREATE FUNCTION fold_text(in_text text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN replace(replace(replace(replace(
        translate(
            lower(regexp_replace(normalize(in_text, NFKD), '[\u0300-\u036f]+', '', 'g') COLLATE "C"),
            'ŁłØøĐđĦħıŊŋŦŧÐðÆŒΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩςАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЃЄЅІЇЈЉЊЋЌЎЏ',
            'llooddhhinnttddæœαβγδεζηθικλμνξοπρστυφχψωσабвгдежзийклмнопрстуфхцчшщъыьэюяђѓєѕіїјљњћќўџ'),
        'ß', 'ss'), 'ẞ', 'ss'), 'æ', 'ae'), 'œ', 'oe');

-- search_words gives the words of a text, each once, in the order in which they come: at most 60, of at most 40
-- characters each, from its first 4,000 characters. So much is stored for an invoice, however long it is. Most texts are
-- ASCII, for which it is quick. It is written in PL/pgSQL, which plans once what SQL would plan with each call.
-- +goose StatementBegin
CREATE FUNCTION search_words(in_text text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    folded  text := lower(left(in_text, 4000) COLLATE "C");
    between text := '[^a-z0-9]+';
BEGIN
    IF octet_length(folded) > length(folded) THEN
        folded := fold_text(folded);
        between := '[\u0001-\u002f:-@\[-`\{-\u00bf\u2000-\u206f\u3000-\u3003\u3008-\u301f\uff00-\uff0f]+';
    END IF;
    RETURN (
        SELECT COALESCE(array_agg(word ORDER BY place), '{}')
        FROM (
            SELECT left(part, 40) COLLATE "C" AS word, min(n) AS place
            FROM unnest(regexp_split_to_array(folded, between)) WITH ORDINALITY AS split (part, n)
            WHERE part <> ''
            GROUP BY 1 ORDER BY 2 LIMIT 60) AS words);
END $$;
-- +goose StatementEnd

-- number_text is a number as it is searched for: 2026-0042 by 42 too.
CREATE FUNCTION number_text(number text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN number || ' ' || regexp_replace(number, '(^|[^0-9])0+', '\1 ', 'g') || ' ';

-- The words of an invoice: those of its number and of its lines. Those of the customer are in customer_words, so that a
-- customer who gets another name is found by it at once. Nothing refers to an invoice here: a foreign key would cost
-- each create a look at it for each word, and invoices are never deleted.
CREATE TABLE invoice_words (
    tenant_id  uuid NOT NULL,
    word       text COLLATE "C" NOT NULL,
    issue_date date NOT NULL, -- of the invoice: what has a word comes in the order of the list
    invoice_id uuid NOT NULL,
    PRIMARY KEY (tenant_id, word, issue_date, invoice_id)
);
CREATE TABLE customer_words (
    tenant_id   uuid NOT NULL,
    word        text COLLATE "C" NOT NULL,
    customer_id uuid NOT NULL,
    PRIMARY KEY (tenant_id, word, customer_id)
);

-- invoice_text is what the words of an invoice are taken from.
-- +goose StatementBegin
CREATE FUNCTION invoice_text(in_tenant uuid, in_invoice uuid, number text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN number_text(number) || COALESCE((
        SELECT string_agg(description, ' ' ORDER BY position) FROM invoice_lines
        WHERE tenant_id = in_tenant AND invoice_id = in_invoice), '');
END $$;
-- +goose StatementEnd

-- word_lines keeps the words with the lines, whoever changes them. Those of lines that were are taken away first, and
-- then those of all lines are there. It goes from invoice to invoice, because a join with the touched rows, of which
-- nothing is known when it is planned, may read all invoices.
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
        IF TG_OP <> 'INSERT' THEN
            DELETE FROM invoice_words
            WHERE tenant_id = its.tenant_id AND issue_date = its.issue_date AND invoice_id = its.id
                AND word = ANY (search_words(lines.text));
            lines.text := invoice_text(its.tenant_id, its.id, its.number);
        ELSE
            lines.text := number_text(its.number) || lines.text;
        END IF;
        INSERT INTO invoice_words (tenant_id, word, issue_date, invoice_id)
        SELECT its.tenant_id, word, its.issue_date, its.id FROM unnest(search_words(lines.text)) AS word
        ON CONFLICT DO NOTHING;
    END LOOP;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER word_new_lines AFTER INSERT ON invoice_lines
    REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION word_lines();
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

-- What is there already. No tenant is entered here, so the rows are hidden from their owner too while that is forced.
ALTER TABLE invoices NO FORCE ROW LEVEL SECURITY;
ALTER TABLE invoice_lines NO FORCE ROW LEVEL SECURITY;
ALTER TABLE customers NO FORCE ROW LEVEL SECURITY;
INSERT INTO invoice_words (tenant_id, word, issue_date, invoice_id)
SELECT tenant_id, unnest(search_words(invoice_text(tenant_id, id, number))), issue_date, id FROM invoices;
INSERT INTO customer_words (tenant_id, word, customer_id)
SELECT tenant_id, unnest(search_words(email || ' ' || name)), id FROM customers;
ALTER TABLE invoices FORCE ROW LEVEL SECURITY;
ALTER TABLE invoice_lines FORCE ROW LEVEL SECURITY;
ALTER TABLE customers FORCE ROW LEVEL SECURITY;

ALTER TABLE invoice_words ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON invoice_words USING (tenant_id = current_tenant());
ALTER TABLE customer_words ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON customer_words USING (tenant_id = current_tenant());

-- +goose Down
DROP TRIGGER word_changed_customer ON customers;
DROP TRIGGER word_customer ON customers;
DROP TRIGGER word_changed_invoice ON invoices;
DROP TRIGGER word_old_lines ON invoice_lines;
DROP TRIGGER word_changed_lines ON invoice_lines;
DROP TRIGGER word_new_lines ON invoice_lines;
DROP FUNCTION word_customer, word_changed_invoice, word_lines, invoice_text;
DROP TABLE customer_words, invoice_words;
DROP FUNCTION number_text, search_words, fold_text;
DROP INDEX payments_by_day, invoices_open_of_customer, invoices_by_total, invoices_by_due, invoices_by_date, invoices_of_customer;
CREATE INDEX invoices_of_customer ON invoices (tenant_id, customer_id, id);
