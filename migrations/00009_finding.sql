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
-- It does not ask the database's collation, which may know ASCII only. Most texts are ASCII, for which it is quick.
CREATE FUNCTION fold_text(in_text text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN octet_length(in_text) = length(in_text) THEN lower(in_text COLLATE "C")
    ELSE replace(replace(replace(replace(
        translate(
            lower(regexp_replace(normalize(in_text, NFKD), '[\u0300-\u036f]+', '', 'g') COLLATE "C"),
            'ŁłØøĐđĦħıŊŋŦŧÐðÆŒΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩςАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЃЄЅІЇЈЉЊЋЌЎЏ',
            'llooddhhinnttddæœαβγδεζηθικλμνξοπρστυφχψωσабвгдежзийклмнопрстуфхцчшщъыьэюяђѓєѕіїјљњћќўџ'),
        'ß', 'ss'), 'ẞ', 'ss'), 'æ', 'ae'), 'œ', 'oe')
    END;

-- search_words gives the words of a text, each once, in the order in which they come: at most 60, of at most 40
-- characters each, from its first 4,000 characters. So much is stored for an invoice, however long it is.
CREATE FUNCTION search_words(in_text text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (
    SELECT COALESCE(array_agg(word ORDER BY place), '{}')
    FROM (
        SELECT left(part, 40) COLLATE "C" AS word, min(n) AS place
        FROM fold_text(left(in_text, 4000)) AS folded, regexp_split_to_table(folded,
            CASE WHEN octet_length(folded) = length(folded) THEN '[^a-z0-9]+'
                ELSE '[\u0001-\u002f:-@\[-`\{-\u00bf\u2000-\u206f\u3000-\u3003\u3008-\u301f\uff00-\uff0f]+' END)
            WITH ORDINALITY AS split (part, n)
        WHERE part <> ''
        GROUP BY 1 ORDER BY 2 LIMIT 60) AS words);

-- number_words are those of an invoice's number: of 2026-0042 they are 2026, 0042 and 42.
CREATE FUNCTION number_words(number text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT array_agg(DISTINCT each) FROM unnest(search_words(number)) AS word, unnest(ARRAY[word, ltrim(word, '0')]) AS each
    WHERE each <> '');

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

-- word_invoice stores the words of an invoice as it is now.
-- +goose StatementBegin
CREATE FUNCTION word_invoice(in_tenant uuid, in_invoice uuid) RETURNS void LANGUAGE sql
BEGIN ATOMIC
    INSERT INTO invoice_words (tenant_id, word, issue_date, invoice_id)
    SELECT i.tenant_id, unnest(number_words(i.number) || search_words((
        SELECT string_agg(l.description, ' ' ORDER BY l.position) FROM invoice_lines l
        WHERE l.tenant_id = i.tenant_id AND l.invoice_id = i.id))), i.issue_date, i.id
    FROM invoices i WHERE i.tenant_id = in_tenant AND i.id = in_invoice
    ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd

-- word_new_lines and word_old_lines keep the words with the lines, whoever changes them.
-- +goose StatementBegin
CREATE FUNCTION word_new_lines() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM word_invoice(tenant_id, invoice_id) FROM (SELECT DISTINCT tenant_id, invoice_id FROM touched) AS changed;
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION word_old_lines() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM invoice_words w
    USING (
        SELECT DISTINCT t.tenant_id, unnest(search_words(t.description)) COLLATE "C" AS word, i.issue_date, t.invoice_id
        FROM touched t JOIN invoices i ON i.tenant_id = t.tenant_id AND i.id = t.invoice_id) AS gone
    WHERE (w.tenant_id, w.word, w.issue_date, w.invoice_id) = (gone.tenant_id, gone.word, gone.issue_date, gone.invoice_id);
    PERFORM word_invoice(tenant_id, invoice_id) FROM (SELECT DISTINCT tenant_id, invoice_id FROM touched) AS changed;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER word_new_lines AFTER INSERT ON invoice_lines
    REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION word_new_lines();
CREATE TRIGGER word_changed_lines AFTER UPDATE ON invoice_lines
    REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION word_old_lines();
CREATE TRIGGER word_old_lines AFTER DELETE ON invoice_lines
    REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION word_old_lines();

-- word_changed_invoice follows a draft that gets another number or day.
-- +goose StatementBegin
CREATE FUNCTION word_changed_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM invoice_words w
    WHERE w.tenant_id = OLD.tenant_id AND w.issue_date = OLD.issue_date AND w.invoice_id = OLD.id AND w.word = ANY (
        number_words(OLD.number) || search_words((
            SELECT string_agg(l.description, ' ' ORDER BY l.position) FROM invoice_lines l
            WHERE l.tenant_id = OLD.tenant_id AND l.invoice_id = OLD.id)));
    PERFORM word_invoice(NEW.tenant_id, NEW.id);
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
SELECT DISTINCT i.tenant_id, unnest(number_words(i.number) || search_words(l.texts)), i.issue_date, i.id
FROM invoices i LEFT JOIN (
    SELECT tenant_id, invoice_id, string_agg(description, ' ' ORDER BY position) AS texts
    FROM invoice_lines GROUP BY tenant_id, invoice_id) AS l ON l.tenant_id = i.tenant_id AND l.invoice_id = i.id;
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
DROP FUNCTION word_customer, word_changed_invoice, word_old_lines, word_new_lines, word_invoice;
DROP TABLE customer_words, invoice_words;
DROP FUNCTION number_words, search_words, fold_text;
DROP INDEX payments_by_day, invoices_open_of_customer, invoices_by_total, invoices_by_due, invoices_by_date, invoices_of_customer;
CREATE INDEX invoices_of_customer ON invoices (tenant_id, customer_id, id);
