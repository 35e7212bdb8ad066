-- Recurring invoices. A schedule says what is billed to whom, and on which days. A period is one of these days that was billed.

-- +goose Up
CREATE DOMAIN schedule_unit AS text CHECK (VALUE IN ('week', 'month', 'year'));
CREATE DOMAIN schedule_bill_as AS text CHECK (VALUE IN ('draft', 'issued'));
-- Which periods are billed of those that nobody billed in time.
CREATE DOMAIN schedule_missed AS text CHECK (VALUE IN ('each', 'latest'));

CREATE TABLE schedules (
    tenant_id   uuid             NOT NULL,
    id          uuid             NOT NULL,
    customer_id uuid             NOT NULL,
    currency    currency_code    NOT NULL,
    -- As the API takes the lines of an invoice. What they come to is computed for each invoice.
    lines       jsonb            NOT NULL,
    notes       text             NOT NULL,
    every       integer          NOT NULL,
    unit        schedule_unit    NOT NULL,
    first_day   date             NOT NULL,
    last_day    date, -- NULL for no end
    bill_as     schedule_bill_as NOT NULL,
    missed      schedule_missed  NOT NULL,
    paused_at   timestamptz,
    archived_at timestamptz,
    version     record_version   NOT NULL DEFAULT 1,
    created_at  timestamptz      NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT schedules_customer FOREIGN KEY (tenant_id, customer_id) REFERENCES customers (tenant_id, live_id),
    CONSTRAINT schedules_lines CHECK (jsonb_typeof(lines) = 'array' AND jsonb_array_length(lines) BETWEEN 1 AND 200),
    CONSTRAINT schedules_every CHECK (every BETWEEN 1 AND 99),
    CONSTRAINT schedules_dated CHECK (first_day >= '2000-01-01' AND first_day <= '2099-12-31' AND last_day <= '2099-12-31'),
    CONSTRAINT schedules_last_after_first CHECK (last_day >= first_day),
    -- All missed periods are billed: the slip of a finger in the year must not bill twenty years.
    CONSTRAINT schedules_begin_lately CHECK (first_day >= (created_at AT TIME ZONE 'UTC')::date - 366)
);
CREATE INDEX schedules_active ON schedules (tenant_id, id) WHERE archived_at IS NULL;
CREATE INDEX schedules_archived ON schedules (tenant_id, id) WHERE archived_at IS NOT NULL;
CREATE INDEX schedules_of_customer ON schedules (tenant_id, customer_id, id);
CREATE TRIGGER next_version BEFORE UPDATE ON schedules FOR EACH ROW EXECUTE FUNCTION next_version();

-- A period has the id of its invoice. It is written with it, in one transaction, and stays for life.
CREATE TABLE schedule_periods (
    tenant_id   uuid           NOT NULL,
    id          uuid           NOT NULL,
    schedule_id uuid           NOT NULL,
    period      date           NOT NULL, -- the day it is due, and the date of the invoice
    version     record_version NOT NULL DEFAULT 1,
    created_at  timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT schedule_periods_once UNIQUE (tenant_id, schedule_id, period),
    CONSTRAINT schedule_periods_schedule FOREIGN KEY (tenant_id, schedule_id) REFERENCES schedules (tenant_id, id),
    CONSTRAINT schedule_periods_invoice FOREIGN KEY (tenant_id, id) REFERENCES invoices (tenant_id, id)
);
CREATE INDEX schedule_periods_of_schedule ON schedule_periods (tenant_id, schedule_id, id);
CREATE TRIGGER next_version BEFORE UPDATE ON schedule_periods FOR EACH ROW EXECUTE FUNCTION next_version();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON schedule_periods FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON schedule_periods FOR EACH STATEMENT EXECUTE FUNCTION append_only();

-- How far a schedule is. It is no part of the record: what the clock does must not make a person's edit one of an old version.
CREATE TABLE schedule_clocks (
    tenant_id   uuid NOT NULL,
    schedule_id uuid NOT NULL,
    -- The first period that was neither billed nor skipped.
    next_day    date NOT NULL,
    -- That day, while the schedule is to be billed then; NULL while it is paused or archived, and behind its last day.
    due_day     date,
    -- Why the last attempt at next_day failed, in words; '' if none has.
    failure     text NOT NULL DEFAULT '',
    failed_at   timestamptz,
    PRIMARY KEY (tenant_id, schedule_id),
    CONSTRAINT schedule_clocks_failed CHECK ((failure = '') = (failed_at IS NULL)),
    CONSTRAINT schedule_clocks_schedule FOREIGN KEY (tenant_id, schedule_id) REFERENCES schedules (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX schedule_clocks_due ON schedule_clocks (tenant_id, due_day, schedule_id) WHERE due_day IS NOT NULL;

ALTER TABLE schedules ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON schedules USING (tenant_id = current_tenant());
REVOKE DELETE, TRUNCATE ON schedules FROM CURRENT_USER; -- replays rely on it
ALTER TABLE schedule_periods ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON schedule_periods USING (tenant_id = current_tenant());
ALTER TABLE schedule_clocks ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON schedule_clocks USING (tenant_id = current_tenant());

-- keep_rhythm refuses to move the days of a schedule that was billed: the days that were would be none of it.
-- +goose StatementBegin
CREATE FUNCTION keep_rhythm() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM schedule_periods WHERE tenant_id = OLD.tenant_id AND schedule_id = OLD.id) THEN
        RAISE EXCEPTION 'the schedule was billed' USING ERRCODE = 'check_violation', CONSTRAINT = 'schedules_rhythm_kept';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER keep_rhythm BEFORE UPDATE ON schedules FOR EACH ROW
    WHEN ((OLD.every, OLD.unit, OLD.first_day) IS DISTINCT FROM (NEW.every, NEW.unit, NEW.first_day)) EXECUTE FUNCTION keep_rhythm();

-- set_clock begins the clock of a new schedule. Each change of a schedule makes its clock look again, and forgets a failure.
-- +goose StatementBegin
CREATE FUNCTION set_clock() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO schedule_clocks (tenant_id, schedule_id, next_day) VALUES (NEW.tenant_id, NEW.id, NEW.first_day);
    ELSE
        UPDATE schedule_clocks SET failure = '', failed_at = NULL, next_day = CASE
            WHEN (OLD.every, OLD.unit, OLD.first_day) IS DISTINCT FROM (NEW.every, NEW.unit, NEW.first_day) THEN NEW.first_day
            ELSE next_day END
        WHERE tenant_id = NEW.tenant_id AND schedule_id = NEW.id;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER set_clock AFTER INSERT OR UPDATE ON schedules FOR EACH ROW EXECUTE FUNCTION set_clock();

-- set_due_day keeps due_day, by the schedule as it is.
-- +goose StatementBegin
CREATE FUNCTION set_due_day() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT CASE WHEN paused_at IS NULL AND archived_at IS NULL AND NEW.next_day <= COALESCE(last_day, 'infinity') THEN NEW.next_day END
    INTO NEW.due_day FROM schedules WHERE tenant_id = NEW.tenant_id AND id = NEW.schedule_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER set_due_day BEFORE INSERT OR UPDATE ON schedule_clocks FOR EACH ROW EXECUTE FUNCTION set_due_day();

-- +goose Down
DROP TABLE schedule_clocks, schedule_periods, schedules;
DROP FUNCTION set_due_day, set_clock, keep_rhythm;
DROP DOMAIN schedule_missed, schedule_bill_as, schedule_unit;
