-- What the tables of all rooms are made of.

-- +goose Up

-- The tenant of the running transaction, or NULL outside of one: every row-level policy compares with it, so a query
-- that forgot its tenant sees nothing and writes nothing.
CREATE FUNCTION current_tenant() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
RETURN NULLIF(current_setting('onlyonce.tenant_id', true), '')::uuid;

-- new_id returns a UUIDv7 of a moment, for rows that no operation makes: the order of ids is the order of creation.
CREATE FUNCTION new_id(at timestamptz DEFAULT now()) RETURNS uuid LANGUAGE sql VOLATILE
RETURN (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7'
    || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid;

-- What a value may be, said once. A domain is checked when a value comes in. The CHECKs of a table are read again with
-- each statement, which costs more than checking them.
CREATE DOMAIN sha256_digest AS bytea CHECK (octet_length(VALUE) = 32);
CREATE DOMAIN currency_code AS text CHECK (VALUE ~ '^[A-Z]{3}$'); -- ISO 4217
CREATE DOMAIN minor_units AS bigint CHECK (VALUE >= 0); -- an amount, in the smallest units of its currency
CREATE DOMAIN country_code AS text CHECK (VALUE ~ '^([A-Z]{2})?$'); -- ISO 3166-1 alpha-2; '' if it is not known
CREATE DOMAIN postal_address AS text CHECK (length(VALUE) <= 500); -- lines, without the country
CREATE DOMAIN payment_days AS integer CHECK (VALUE BETWEEN 0 AND 365);
-- What another system calls a record: the system, whose name is compared folded, and its id, which is compared as it is.
CREATE DOMAIN external_source AS text CHECK (VALUE <> '' AND length(VALUE) <= 40 AND VALUE !~ '[[:cntrl:]]');
CREATE DOMAIN external_id AS text COLLATE "C" CHECK (VALUE ~ '^[!-~]([ -~]*[!-~])?$' AND length(VALUE) <= 200);

-- What became of a mail.
CREATE DOMAIN mail_state AS text CHECK (VALUE IN ('queued', 'sent', 'failed'));

-- Counts the states of a record, the first one included.
CREATE DOMAIN record_version AS integer CHECK (VALUE > 0);

-- next_version is the trigger of every table with a version: every UPDATE makes the next one.
-- +goose StatementBegin
CREATE FUNCTION next_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.version := OLD.version + 1;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- fold_text returns the form in which words are compared: without capitals, width and marks, so that lodz finds Łódź.
-- It does not ask the database's collation, which may know ASCII only. Most texts are ASCII, for which it is quick. It is
-- written in PL/pgSQL, which plans once what a generated column in SQL plans with each statement that writes to its table.
-- +goose StatementBegin
CREATE FUNCTION fold_text(in_text text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    IF octet_length(in_text) = length(in_text) THEN
        RETURN lower(in_text COLLATE "C");
    END IF;
    RETURN replace(replace(replace(replace(
        translate(
            lower(regexp_replace(normalize(in_text, NFKD), '[\u0300-\u036f]+', '', 'g') COLLATE "C"),
            'ŁłØøĐđĦħıŊŋŦŧÐðÆŒΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩςАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЃЄЅІЇЈЉЊЋЌЎЏ',
            'llooddhhinnttddæœαβγδεζηθικλμνξοπρστυφχψωσабвгдежзийклмнопрстуфхцчшщъыьэюяђѓєѕіїјљњћќўџ'),
        'ß', 'ss'), 'ẞ', 'ss'), 'æ', 'ae'), 'œ', 'oe');
END $$;
-- +goose StatementEnd

-- search_words returns the words by which a text is found, each once, in the order in which they come: at most 60, of
-- at most 40 characters each, from its first 4,000 characters. So much is stored for a record, however long its text is.
--
-- The words are rows of a table beside that of the records. Under row-level security PostgreSQL looks up in an index
-- only what leaks nothing: =, < and >= of plain columns, and no LIKE, no trigram, no @@. A search is a range of folded
-- words in a B-tree: all that begin alike stand together.
-- +goose StatementBegin
CREATE FUNCTION search_words(in_text text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    word  text;
    words text[] := '{}';
BEGIN
    FOREACH word IN ARRAY regexp_split_to_array(fold_text(left(in_text, 4000)),
        '[\u0001-\u002f:-@\[-`\{-\u00bf\u2000-\u206f\u3000-\u3003\u3008-\u301f\uff00-\uff0f]+') LOOP
        word := left(word, 40);
        CONTINUE WHEN word = '' OR word = ANY (words);
        words := words || word;
        EXIT WHEN cardinality(words) = 60;
    END LOOP;
    RETURN words;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION search_words, fold_text, next_version, new_id, current_tenant;
DROP DOMAIN record_version, mail_state, external_id, external_source, payment_days, postal_address, country_code, minor_units, currency_code,
    sha256_digest;
