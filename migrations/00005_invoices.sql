-- +goose Up
CREATE TABLE invoices (
    tenant_id       uuid        NOT NULL,
    id              uuid        NOT NULL,
    number          text        NOT NULL CHECK (number = btrim(number) AND number <> ''),
    status          text        NOT NULL DEFAULT 'draft' CHECK (status IN ('draft')),
    customer_id     uuid        NOT NULL,
    currency        char(3)     NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    issue_date      date        NOT NULL,
    issue_year      integer     NOT NULL GENERATED ALWAYS AS (extract(year FROM issue_date)::integer) STORED,
    due_date        date        NOT NULL,
    notes           text        NOT NULL,
    -- Money in minor units of the currency.
    subtotal        bigint      NOT NULL CHECK (subtotal >= 0),
    tax_total       bigint      NOT NULL CHECK (tax_total >= 0),
    total           bigint      NOT NULL,
    -- SHA-256 of customer, currency and lines: equal for invoices that look like a repeat.
    likeness        bytea       NOT NULL,
    -- The intent that created the invoice, for life: longer than any idempotency record.
    idempotency_key text        NOT NULL,
    version         integer     NOT NULL DEFAULT 1 CHECK (version > 0),
    created_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT invoices_one_per_intent UNIQUE (tenant_id, idempotency_key),
    CONSTRAINT invoices_number_once_per_year UNIQUE (tenant_id, issue_year, number),
    CONSTRAINT invoices_customer FOREIGN KEY (tenant_id, customer_id) REFERENCES customers (tenant_id, id),
    CONSTRAINT invoices_due_after_issue CHECK (due_date >= issue_date),
    CONSTRAINT invoices_total_adds_up CHECK (total = subtotal + tax_total)
);
CREATE INDEX invoices_of_customer ON invoices (tenant_id, customer_id, id);
CREATE INDEX invoices_likeness ON invoices (tenant_id, likeness, created_at);

CREATE TABLE invoice_lines (
    tenant_id   uuid    NOT NULL,
    invoice_id  uuid    NOT NULL,
    position    integer NOT NULL CHECK (position > 0),
    description text    NOT NULL CHECK (description <> ''),
    quantity    numeric NOT NULL CHECK (quantity > 0),
    unit_price  bigint  NOT NULL CHECK (unit_price >= 0),
    tax_rate    numeric NOT NULL CHECK (tax_rate BETWEEN 0 AND 100),
    net         bigint  NOT NULL CHECK (net >= 0),
    PRIMARY KEY (tenant_id, invoice_id, position),
    CONSTRAINT invoice_lines_invoice FOREIGN KEY (tenant_id, invoice_id) REFERENCES invoices (tenant_id, id)
);

-- The last allocated number of a tenant and year.
CREATE TABLE invoice_series (
    tenant_id uuid    NOT NULL REFERENCES tenants,
    year      integer NOT NULL,
    last      bigint  NOT NULL CHECK (last > 0),
    PRIMARY KEY (tenant_id, year)
);

ALTER TABLE invoices ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON invoices USING (tenant_id = current_tenant());
ALTER TABLE invoice_lines ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON invoice_lines USING (tenant_id = current_tenant());
ALTER TABLE invoice_series ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON invoice_series USING (tenant_id = current_tenant());

-- A number of the series as people read it: 2026-0042.
CREATE FUNCTION format_invoice_number(in_year integer, in_number bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN in_year || '-' || lpad(in_number::text, greatest(4, length(in_number::text)), '0');

-- next_invoice_number gives the first free number after the last allocated one. It only looks.
-- +goose StatementBegin
CREATE FUNCTION next_invoice_number(in_tenant uuid, in_year integer) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
DECLARE
    n bigint := COALESCE((SELECT last FROM invoice_series WHERE tenant_id = in_tenant AND year = in_year), 0) + 1;
BEGIN
    WHILE EXISTS (SELECT FROM invoices
                  WHERE tenant_id = in_tenant AND issue_year = in_year
                    AND number = format_invoice_number(in_year, n)) LOOP
        n := n + 1;
    END LOOP;
    RETURN n;
END $$;
-- +goose StatementEnd

-- invoice_series_lock names the lock under which a series gives out numbers. Typed numbers take it
-- shared and go side by side; an allocation takes it alone: it waits until the typed ones in flight
-- are decided, and makes later ones wait for it. So an allocated number never collides.
CREATE FUNCTION invoice_series_lock(in_tenant uuid, in_year integer) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN hashtextextended(in_tenant::text, in_year);

-- allocate_invoice_number gives the next number of the series. It belongs to the transaction: one that
-- is rolled back leaves no gap.
-- +goose StatementBegin
CREATE FUNCTION allocate_invoice_number(in_tenant uuid, in_year integer) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    n bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(invoice_series_lock(in_tenant, in_year));
    n := next_invoice_number(in_tenant, in_year);
    INSERT INTO invoice_series (tenant_id, year, last) VALUES (in_tenant, in_year, n)
    ON CONFLICT (tenant_id, year) DO UPDATE SET last = EXCLUDED.last;
    RETURN format_invoice_number(in_year, n);
END $$;
-- +goose StatementEnd

-- refuse_likeness ends the transaction with constraint name invoices_likeness and the id of the
-- earlier invoice as detail, if one like the new one was created within the window. The lock decides between
-- two that arrive together.
-- +goose StatementBegin
CREATE FUNCTION refuse_likeness(in_tenant uuid, in_id uuid, in_window interval) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    mine    bytea := (SELECT likeness FROM invoices WHERE tenant_id = in_tenant AND id = in_id);
    earlier uuid;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('likeness/' || in_tenant || encode(mine, 'hex'), 0));
    SELECT id INTO earlier FROM invoices
    WHERE tenant_id = in_tenant AND likeness = mine AND id <> in_id AND created_at > clock_timestamp() - in_window
    ORDER BY created_at DESC LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'looks like an earlier invoice'
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'invoices_likeness', DETAIL = earlier;
    END IF;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION refuse_likeness;
DROP FUNCTION allocate_invoice_number;
DROP FUNCTION invoice_series_lock;
DROP FUNCTION next_invoice_number;
DROP FUNCTION format_invoice_number;
DROP TABLE invoice_series, invoice_lines, invoices;
