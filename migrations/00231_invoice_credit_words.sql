-- Credit notes are found by the words of their reasons.

-- +goose Up
LOCK TABLE credit_notes IN SHARE ROW EXCLUSIVE MODE;

-- Nothing refers to a credit note here, because credit notes are never deleted: see invoice_words.
CREATE TABLE credit_note_words (
    tenant_id      uuid NOT NULL,
    word           text COLLATE "C" NOT NULL,
    credit_note_id uuid NOT NULL,
    PRIMARY KEY (tenant_id, credit_note_id, word)
);
CREATE INDEX credit_note_words_by_word ON credit_note_words (tenant_id, word, credit_note_id);
ALTER TABLE credit_note_words ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON credit_note_words USING (tenant_id = current_tenant());

-- +goose StatementBegin
CREATE FUNCTION word_credit_note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO credit_note_words (tenant_id, word, credit_note_id)
    SELECT NEW.tenant_id, word, NEW.id FROM unnest(search_words(NEW.reason)) AS word;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER word_credit_note AFTER INSERT ON credit_notes FOR EACH ROW EXECUTE FUNCTION word_credit_note();

-- The credit notes so far, one tenant after the other: a policy hides the rest.
-- +goose StatementBegin
DO $$
DECLARE
    entered text := COALESCE(current_setting('onlyonce.tenant_id', true), '');
    tenant  uuid;
BEGIN
    FOR tenant IN SELECT id FROM tenants LOOP
        PERFORM set_config('onlyonce.tenant_id', tenant::text, true);
        INSERT INTO credit_note_words (tenant_id, word, credit_note_id)
        SELECT tenant, unnest(search_words(reason)), id FROM credit_notes WHERE tenant_id = tenant;
    END LOOP;
    PERFORM set_config('onlyonce.tenant_id', entered, true);
END $$;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER word_credit_note ON credit_notes;
DROP FUNCTION word_credit_note;
DROP TABLE credit_note_words;
