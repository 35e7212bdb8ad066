-- The sum of amounts may exceed 64 bits. Every query of this table adds parts and casts the sum, so an earlier version reads the new
-- column too.

-- +goose Up
ALTER TABLE standing ALTER amount TYPE numeric(38);

-- add_to_standing adds to one sum. The parts that are free become one, or none if they come to nothing.
DROP FUNCTION add_to_standing(uuid, uuid, text, date, text, bigint, bigint);
-- +goose StatementBegin
CREATE FUNCTION add_to_standing(
    in_tenant uuid, in_of uuid, in_kind text, in_day date, in_currency text, in_amount numeric, in_invoices bigint
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    parts        uuid[];
    new_amount   numeric;
    new_invoices bigint;
BEGIN
    SELECT array_agg(part), COALESCE(sum(amount), 0) + in_amount, COALESCE(sum(invoices), 0) + in_invoices
    INTO parts, new_amount, new_invoices
    FROM (
        SELECT part, amount, invoices FROM standing
        WHERE tenant_id = in_tenant AND of_id = in_of AND kind = in_kind AND day = in_day AND currency = in_currency
        FOR UPDATE SKIP LOCKED) AS free;
    IF parts IS NULL THEN
        INSERT INTO standing (tenant_id, of_id, kind, day, currency, amount, invoices)
        VALUES (in_tenant, in_of, in_kind, in_day, in_currency, new_amount, new_invoices);
        RETURN;
    END IF;
    IF new_amount <> 0 OR new_invoices <> 0 THEN
        UPDATE standing SET amount = new_amount, invoices = new_invoices
        WHERE tenant_id = in_tenant AND of_id = in_of AND kind = in_kind AND day = in_day AND currency = in_currency
            AND part = parts[1];
        parts := parts[2:];
    END IF;
    IF cardinality(parts) > 0 THEN
        DELETE FROM standing
        WHERE tenant_id = in_tenant AND of_id = in_of AND kind = in_kind AND day = in_day AND currency = in_currency
            AND part = ANY (parts);
    END IF;
END $$;
-- +goose StatementEnd

-- stand_invoices is that of before, for sums of any size.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION stand_invoices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_to_standing(tenant_id, of_id, kind, day, currency, sum(amount), sum(invoices))
    FROM (
            SELECT tenant_id, customer_id, currency, issue_date, due_date, state, total, open_amount, 1 AS invoices FROM is_now
            UNION ALL
            SELECT tenant_id, customer_id, currency, issue_date, due_date, state, total, open_amount, -1 FROM was
        ) AS change,
        LATERAL (
            SELECT of_id, kind, day, invoices * open_amount::bigint AS amount
            FROM (VALUES (tenant_id), (customer_id)) AS owner (of_id),
                (VALUES ('due_day', due_date), ('due_month', date_trunc('month', due_date)::date)) AS due (kind, day)
            WHERE state IN ('issued', 'partially_paid')
            UNION ALL
            SELECT tenant_id, 'billed_month', date_trunc('month', issue_date)::date, invoices * total::bigint
            WHERE state NOT IN ('draft', 'void')
        ) AS part
    GROUP BY tenant_id, of_id, kind, day, currency
    HAVING sum(amount) <> 0 OR sum(invoices) <> 0;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose Down
ALTER TABLE standing ALTER amount TYPE bigint;
DROP FUNCTION add_to_standing(uuid, uuid, text, date, text, numeric, bigint);
-- +goose StatementBegin
CREATE FUNCTION add_to_standing(
    in_tenant uuid, in_of uuid, in_kind text, in_day date, in_currency text, in_amount bigint, in_invoices bigint
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    parts        uuid[];
    new_amount   bigint;
    new_invoices bigint;
BEGIN
    SELECT array_agg(part), COALESCE(sum(amount), 0) + in_amount, COALESCE(sum(invoices), 0) + in_invoices
    INTO parts, new_amount, new_invoices
    FROM (
        SELECT part, amount, invoices FROM standing
        WHERE tenant_id = in_tenant AND of_id = in_of AND kind = in_kind AND day = in_day AND currency = in_currency
        FOR UPDATE SKIP LOCKED) AS free;
    IF parts IS NULL THEN
        INSERT INTO standing (tenant_id, of_id, kind, day, currency, amount, invoices)
        VALUES (in_tenant, in_of, in_kind, in_day, in_currency, new_amount, new_invoices);
        RETURN;
    END IF;
    IF new_amount <> 0 OR new_invoices <> 0 THEN
        UPDATE standing SET amount = new_amount, invoices = new_invoices
        WHERE tenant_id = in_tenant AND of_id = in_of AND kind = in_kind AND day = in_day AND currency = in_currency
            AND part = parts[1];
        parts := parts[2:];
    END IF;
    IF cardinality(parts) > 0 THEN
        DELETE FROM standing
        WHERE tenant_id = in_tenant AND of_id = in_of AND kind = in_kind AND day = in_day AND currency = in_currency
            AND part = ANY (parts);
    END IF;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION stand_invoices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_to_standing(tenant_id, of_id, kind, day, currency, sum(amount)::bigint, sum(invoices))
    FROM (
            SELECT tenant_id, customer_id, currency, issue_date, due_date, state, total, open_amount, 1 AS invoices FROM is_now
            UNION ALL
            SELECT tenant_id, customer_id, currency, issue_date, due_date, state, total, open_amount, -1 FROM was
        ) AS change,
        LATERAL (
            SELECT of_id, kind, day, invoices * open_amount::bigint AS amount
            FROM (VALUES (tenant_id), (customer_id)) AS owner (of_id),
                (VALUES ('due_day', due_date), ('due_month', date_trunc('month', due_date)::date)) AS due (kind, day)
            WHERE state IN ('issued', 'partially_paid')
            UNION ALL
            SELECT tenant_id, 'billed_month', date_trunc('month', issue_date)::date, invoices * total::bigint
            WHERE state NOT IN ('draft', 'void')
        ) AS part
    GROUP BY tenant_id, of_id, kind, day, currency
    HAVING sum(amount) <> 0 OR sum(invoices) <> 0;
    RETURN NULL;
END $$;
-- +goose StatementEnd
