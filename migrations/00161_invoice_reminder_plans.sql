-- Automatic reminders of overdue invoices. A tenant without a plan sends none.

-- +goose Up
CREATE TABLE reminder_plans (
    tenant_id    uuid           NOT NULL REFERENCES tenants,
    id           uuid           NOT NULL,
    first_after  integer        NOT NULL CONSTRAINT reminder_plans_first CHECK (first_after BETWEEN 1 AND 365), -- days after the due date
    second_after integer        CONSTRAINT reminder_plans_second CHECK (second_after BETWEEN 1 AND 365), -- days after the first one
    final_after  integer        CONSTRAINT reminder_plans_final CHECK (final_after BETWEEN 1 AND 365), -- days after the second one
    removed_at   timestamptz, -- also when another one replaced it
    -- The settings that have it: NULL for a removed one.
    settings_id  uuid           GENERATED ALWAYS AS (CASE WHEN removed_at IS NULL THEN tenant_id END) STORED,
    version      record_version NOT NULL DEFAULT 1,
    created_at   timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT reminder_plans_one UNIQUE (tenant_id, settings_id),
    CONSTRAINT reminder_plans_in_order CHECK (final_after IS NULL OR second_after IS NOT NULL),
    CONSTRAINT reminder_plans_settings FOREIGN KEY (tenant_id, settings_id) REFERENCES settings (tenant_id, id)
);
CREATE TRIGGER next_version BEFORE UPDATE ON reminder_plans FOR EACH ROW EXECUTE FUNCTION next_version();

ALTER TABLE reminder_plans ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON reminder_plans USING (tenant_id = current_tenant());
REVOKE DELETE, TRUNCATE ON reminder_plans FROM CURRENT_USER; -- replays rely on it

-- +goose Down
DROP TABLE reminder_plans;
