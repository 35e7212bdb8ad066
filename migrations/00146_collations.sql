-- Text that is compared by identity is ordered by code point: an order of the operating system or of ICU may change with its version, and
-- a unique index then misses keys that are in it.

-- +goose Up
ALTER TABLE intents ALTER operation TYPE text COLLATE "C", ALTER key TYPE idempotency_key COLLATE "C";
ALTER TABLE intent_effects ALTER operation TYPE text COLLATE "C", ALTER key TYPE idempotency_key COLLATE "C";
ALTER TABLE attempts ALTER key TYPE idempotency_key COLLATE "C", ALTER outcome TYPE attempt_outcome COLLATE "C";
ALTER TABLE tenants ALTER name TYPE text COLLATE "C";
DROP TRIGGER end_sessions ON users;
ALTER TABLE users ALTER email TYPE text COLLATE "C", ALTER role TYPE user_role COLLATE "C";
CREATE TRIGGER end_sessions BEFORE UPDATE ON users FOR EACH ROW
    WHEN ((OLD.email, OLD.password_hash, OLD.disabled_at) IS DISTINCT FROM (NEW.email, NEW.password_hash, NEW.disabled_at))
    EXECUTE FUNCTION end_sessions();
ALTER TABLE sessions ALTER token TYPE text COLLATE "C";
ALTER TABLE api_tokens ALTER name TYPE text COLLATE "C";
ALTER TABLE customer_merge_rows ALTER table_name TYPE text COLLATE "C", ALTER column_name TYPE text COLLATE "C";

-- +goose Down
ALTER TABLE customer_merge_rows ALTER table_name TYPE text COLLATE "default", ALTER column_name TYPE text COLLATE "default";
ALTER TABLE api_tokens ALTER name TYPE text COLLATE "default";
ALTER TABLE sessions ALTER token TYPE text COLLATE "default";
DROP TRIGGER end_sessions ON users;
ALTER TABLE users ALTER email TYPE text COLLATE "default", ALTER role TYPE user_role COLLATE "default";
CREATE TRIGGER end_sessions BEFORE UPDATE ON users FOR EACH ROW
    WHEN ((OLD.email, OLD.password_hash, OLD.disabled_at) IS DISTINCT FROM (NEW.email, NEW.password_hash, NEW.disabled_at))
    EXECUTE FUNCTION end_sessions();
ALTER TABLE tenants ALTER name TYPE text COLLATE "default";
ALTER TABLE attempts ALTER key TYPE idempotency_key COLLATE "default", ALTER outcome TYPE attempt_outcome COLLATE "default";
ALTER TABLE intent_effects ALTER operation TYPE text COLLATE "default", ALTER key TYPE idempotency_key COLLATE "default";
ALTER TABLE intents ALTER operation TYPE text COLLATE "default", ALTER key TYPE idempotency_key COLLATE "default";
