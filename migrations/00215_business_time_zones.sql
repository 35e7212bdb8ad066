-- A new business has the time zone of the browser that signed up.

-- +goose Up
-- settle_tenant is unchanged, except for the time zone.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION settle_tenant() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    entered text := COALESCE(current_setting('onlyonce.tenant_id', true), '');
BEGIN
    PERFORM set_config('onlyonce.tenant_id', NEW.id::text, true);
    INSERT INTO settings (tenant_id, name, time_zone) VALUES (NEW.id, NEW.name, NEW.time_zone);
    PERFORM set_config('onlyonce.tenant_id', entered, true);
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- The default of the time zone is for programs of the version before.
DROP FUNCTION begin_business;
-- +goose StatementBegin
CREATE FUNCTION begin_business(
    in_tenant uuid, in_sign_up uuid, in_business uuid, in_business_name text, in_name text, in_password_hash text, in_demo boolean,
    in_time_zone text DEFAULT 'UTC'
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    address text;
BEGIN
    SELECT email INTO address FROM sign_ups WHERE tenant_id = in_tenant AND id = in_sign_up;
    INSERT INTO tenants (id, name, demo, sign_up_id, time_zone)
    VALUES (in_business, in_business_name, in_demo, in_sign_up, in_time_zone);
    PERFORM set_config('onlyonce.tenant_id', in_business::text, true);
    INSERT INTO users (tenant_id, email, name, role, password_hash) VALUES (in_business, address, in_name, 'owner', in_password_hash);
    PERFORM set_config('onlyonce.tenant_id', in_tenant::text, true);
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION begin_business;
-- +goose StatementBegin
CREATE FUNCTION begin_business(
    in_tenant uuid, in_sign_up uuid, in_business uuid, in_business_name text, in_name text, in_password_hash text, in_demo boolean
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    address text;
BEGIN
    SELECT email INTO address FROM sign_ups WHERE tenant_id = in_tenant AND id = in_sign_up;
    INSERT INTO tenants (id, name, demo, sign_up_id) VALUES (in_business, in_business_name, in_demo, in_sign_up);
    PERFORM set_config('onlyonce.tenant_id', in_business::text, true);
    INSERT INTO users (tenant_id, email, name, role, password_hash) VALUES (in_business, address, in_name, 'owner', in_password_hash);
    PERFORM set_config('onlyonce.tenant_id', in_tenant::text, true);
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION settle_tenant() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    entered text := COALESCE(current_setting('onlyonce.tenant_id', true), '');
BEGIN
    PERFORM set_config('onlyonce.tenant_id', NEW.id::text, true);
    INSERT INTO settings (tenant_id, name) VALUES (NEW.id, NEW.name);
    PERFORM set_config('onlyonce.tenant_id', entered, true);
    RETURN NULL;
END $$;
-- +goose StatementEnd
