-- A change of another version than the one that was seen is carried out only if the record is already what it makes: the app asks for
-- that with onlyonce.as_it_is, which earlier versions of it never set.

-- +goose Up
-- end_change returns what a change has changed: the fields that differ, and with them the version. It returns NULL if no other
-- field differs, or if the version is the same: what a record shows besides its own, such as the business of a draft, may change
-- while an operation looks at it, and that is not its change. It ends the transaction with SQLSTATE OO008 if the work has not made
-- what it was to make, and with OO006 if it has changed a record that it was to leave as it is.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION end_change(in_made boolean, in_record json) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    before  jsonb := current_setting('onlyonce.before');
    changes jsonb;
BEGIN
    IF in_made IS NOT TRUE THEN
        RAISE EXCEPTION 'the work has not made the state of its operation' USING ERRCODE = 'OO008';
    ELSIF before->>'version' = in_record->>'version' THEN
        RETURN NULL;
    END IF;
    changes := (
        SELECT jsonb_object_agg(key, jsonb_build_array(was.value, is_now.value))
        FROM jsonb_each(before) AS was FULL JOIN jsonb_each(in_record::jsonb) AS is_now USING (key)
        WHERE was.value IS DISTINCT FROM is_now.value AND key <> 'version')
        || jsonb_build_object('version', jsonb_build_array(before -> 'version', in_record -> 'version'));
    IF changes IS NOT NULL AND current_setting('onlyonce.as_it_is', true) = 'true' THEN
        RAISE EXCEPTION 'another version' USING ERRCODE = 'OO006';
    END IF;
    RETURN changes;
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION end_change(in_made boolean, in_record json) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    before jsonb := current_setting('onlyonce.before');
BEGIN
    IF in_made IS NOT TRUE THEN
        RAISE EXCEPTION 'the work has not made the state of its operation' USING ERRCODE = 'OO008';
    ELSIF before->>'version' = in_record->>'version' THEN
        RETURN NULL;
    END IF;
    RETURN (
        SELECT jsonb_object_agg(key, jsonb_build_array(was.value, is_now.value))
        FROM jsonb_each(before) AS was FULL JOIN jsonb_each(in_record::jsonb) AS is_now USING (key)
        WHERE was.value IS DISTINCT FROM is_now.value AND key <> 'version')
        || jsonb_build_object('version', jsonb_build_array(before -> 'version', in_record -> 'version'));
END $$;
-- +goose StatementEnd
