-- What a record shows besides its own, such as the business of a draft, may change while an operation looks at it: that is not
-- its change.

-- +goose Up
-- end_change gives what a change has changed: the fields that differ, but for the version, and none if the version is the
-- same. It ends the transaction with SQLSTATE OO008 if the work has not made what it was to make.
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
        WHERE was.value IS DISTINCT FROM is_now.value AND key <> 'version');
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION end_change(in_made boolean, in_record json) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
    IF in_made IS NOT TRUE THEN
        RAISE EXCEPTION 'the work has not made the state of its operation' USING ERRCODE = 'OO008';
    END IF;
    RETURN (
        SELECT jsonb_object_agg(key, jsonb_build_array(was.value, is_now.value))
        FROM jsonb_each(current_setting('onlyonce.before')::jsonb) AS was
            FULL JOIN jsonb_each(in_record::jsonb) AS is_now USING (key)
        WHERE was.value IS DISTINCT FROM is_now.value AND key <> 'version');
END $$;
-- +goose StatementEnd
