-- The time zone of a business, in which its days begin and in which pages show times.

-- +goose Up
ALTER TABLE settings ADD time_zone text COLLATE "C" NOT NULL DEFAULT 'UTC'; -- tenants_time_zone refuses an unknown one

-- +goose StatementBegin
CREATE FUNCTION copy_time_zone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE tenants SET time_zone = NEW.time_zone WHERE id = NEW.tenant_id AND time_zone <> NEW.time_zone;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER copy_time_zone AFTER INSERT OR UPDATE OF time_zone ON settings FOR EACH ROW EXECUTE FUNCTION copy_time_zone();

-- +goose Down
DROP TRIGGER copy_time_zone ON settings;
DROP FUNCTION copy_time_zone;
ALTER TABLE settings DROP time_zone;
