-- What looks like a repeat does so whichever way it comes: each table of such records notes what a new row is like. Before, only the
-- operation that created one did, for itself.

-- +goose Up

-- note_alike notes what a new record of a kind is like, by the digests of its likenesses. If an earlier record of the kind is like it,
-- the setting onlyonce.repeats names that until the transaction ends: see tell_repeat. Of two that arrive together the second waits for
-- the first.
-- +goose StatementBegin
CREATE FUNCTION note_alike(in_kind text, in_tenant uuid, in_record uuid, in_within interval, in_digests bytea[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    digest  bytea;
    earlier likenesses;
BEGIN
    FOREACH digest IN ARRAY in_digests LOOP
        LOOP
            INSERT INTO likenesses VALUES (in_tenant, digest, in_record, clock_timestamp() + in_within) ON CONFLICT DO NOTHING;
            EXIT WHEN FOUND;
            SELECT * INTO earlier FROM likenesses WHERE tenant_id = in_tenant AND likeness = digest FOR UPDATE;
            CONTINUE WHEN NOT FOUND; -- it was over and is deleted
            IF earlier.expires_at > clock_timestamp() THEN
                PERFORM set_config('onlyonce.repeats', (COALESCE(repeats(), '{}') || jsonb_build_object(in_record, jsonb_build_object(
                    'kind', in_kind, 'of', earlier.record_id,
                    'seconds', floor(extract(epoch FROM clock_timestamp() + in_within - earlier.expires_at)))))::text, true);
            END IF;
            UPDATE likenesses SET record_id = in_record, expires_at = clock_timestamp() + in_within
            WHERE tenant_id = in_tenant AND likeness = digest;
            EXIT;
        END LOOP;
    END LOOP;
END $$;
-- +goose StatementEnd

-- repeats returns the new records of the transaction that look like a repeat, each with the kind and the id of the earlier one, and how
-- many seconds ago that was created; NULL if there are none.
CREATE FUNCTION repeats() RETURNS jsonb LANGUAGE sql STABLE PARALLEL RESTRICTED
RETURN NULLIF(current_setting('onlyonce.repeats', true), '')::jsonb;

-- note_likeness is note_alike for the new row of a table. Its arguments are for how long the row is looked at, and the columns of each
-- likeness, with spaces between; see likenesses_of.
-- +goose StatementBegin
CREATE FUNCTION note_likeness() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM note_alike(TG_TABLE_NAME, NEW.tenant_id, NEW.id, TG_ARGV[0]::interval,
        likenesses_of(TG_TABLE_NAME, to_jsonb(NEW), TG_ARGV[1:]));
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- forget_likeness forgets what a row is like, with the arguments of note_likeness.
-- +goose StatementBegin
CREATE FUNCTION forget_likeness() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM likenesses
    WHERE tenant_id = NEW.tenant_id AND record_id = NEW.id
        AND likeness = ANY (likenesses_of(TG_TABLE_NAME, to_jsonb(NEW), TG_ARGV[1:]));
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- tell_repeat returns the JSON of a new record: with possible_duplicate_of, if it looks like a repeat. If somebody is to be asked, and
-- it does, or another new record of the transaction, it ends the transaction with constraint <kind>_look_alike, and the id of the
-- earlier one and its age in seconds as detail.
-- +goose StatementBegin
CREATE FUNCTION tell_repeat(in_record uuid, in_json json, in_ask boolean) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
    all_repeats jsonb := repeats();
    repeat      jsonb := all_repeats -> in_record::text;
BEGIN
    IF all_repeats IS NOT NULL AND in_ask THEN
        repeat := COALESCE(repeat, (SELECT value FROM jsonb_each(all_repeats) LIMIT 1));
        RAISE EXCEPTION 'looks like a repeat' USING ERRCODE = 'unique_violation',
            CONSTRAINT = (repeat ->> 'kind') || '_look_alike', DETAIL = (repeat ->> 'of') || ' ' || (repeat ->> 'seconds');
    ELSIF repeat IS NULL THEN
        RETURN in_json;
    END IF;
    RETURN in_json::jsonb || jsonb_build_object('possible_duplicate_of', repeat -> 'of');
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION tell_repeat, forget_likeness, note_likeness, note_alike, repeats;
