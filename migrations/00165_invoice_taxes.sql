-- The tax of each invoice and credit note by rate and treatment, on the day on which it counts in a tax return. What was filed stays: an invoice that is
-- voided gets further rows on the day of the void, and none is changed.

-- +goose Up
-- taxed_as returns the treatment of a line with a rate.
CREATE FUNCTION taxed_as(treatment tax_treatment, rate numeric) RETURNS text LANGUAGE sql IMMUTABLE
RETURN COALESCE(treatment::text, CASE WHEN rate > 0 THEN 'standard' ELSE 'zero' END);

CREATE DOMAIN taxed_kind AS text COLLATE "C" CHECK (VALUE IN ('invoice', 'void', 'credit'));

CREATE TABLE invoice_taxes (
    tenant_id  uuid          NOT NULL,
    invoice_id uuid          NOT NULL,
    source_id  uuid          NOT NULL, -- the invoice, or the credit note
    kind       taxed_kind    NOT NULL,
    tax_rate   numeric       NOT NULL, -- percent
    treatment  text COLLATE "C" NOT NULL, -- see taxed_as
    day        date          NOT NULL, -- the issue date, or the day of the void, which is never before the issue date
    billed_on  date          NOT NULL, -- the issue date of the invoice
    currency   currency_code NOT NULL,
    net        minor_units   NOT NULL,
    tax        minor_units   NOT NULL,
    PRIMARY KEY (tenant_id, invoice_id, source_id, kind, tax_rate, treatment),
    CONSTRAINT invoice_taxes_invoice FOREIGN KEY (tenant_id, invoice_id) REFERENCES invoices (tenant_id, id)
);
-- All that a summary reads, so that it needs the index only.
CREATE INDEX invoice_taxes_by_day ON invoice_taxes (tenant_id, day) INCLUDE (kind, billed_on, currency, tax_rate, treatment, net, tax);
ALTER TABLE invoice_taxes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON invoice_taxes USING (tenant_id = current_tenant());
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON invoice_taxes FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON invoice_taxes FOR EACH STATEMENT EXECUTE FUNCTION append_only();

-- tax_invoice enters the tax of an invoice that is issued, from its lines, and of one that is voided, from its entries. A draft that is
-- voided has none.
-- +goose StatementBegin
CREATE FUNCTION tax_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.status = 'issued' THEN
        INSERT INTO invoice_taxes (tenant_id, invoice_id, source_id, kind, tax_rate, treatment, day, billed_on, currency, net, tax)
        SELECT NEW.tenant_id, NEW.id, NEW.id, 'invoice', tax_rate, taxed_as(tax_treatment, tax_rate), NEW.issue_date, NEW.issue_date, NEW.currency,
            sum(net), round(sum(net) * tax_rate * 0.01)
        FROM invoice_lines WHERE tenant_id = NEW.tenant_id AND invoice_id = NEW.id
        GROUP BY tax_rate, tax_treatment;
    ELSE
        INSERT INTO invoice_taxes (tenant_id, invoice_id, source_id, kind, tax_rate, treatment, day, billed_on, currency, net, tax)
        SELECT tenant_id, invoice_id, source_id, 'void', tax_rate, treatment, greatest(billed_on, (NEW.voided_at AT TIME ZONE 'UTC')::date),
            billed_on, currency, net, tax
        FROM invoice_taxes WHERE tenant_id = NEW.tenant_id AND invoice_id = NEW.id AND source_id = NEW.id AND kind = 'invoice';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tax_invoice AFTER UPDATE OF status ON invoices FOR EACH ROW
    WHEN (NEW.status <> OLD.status AND NEW.issued_at IS NOT NULL) EXECUTE FUNCTION tax_invoice();

-- tax_credit_note enters the tax of a credit note, which its row has by rate.
-- +goose StatementBegin
CREATE FUNCTION tax_credit_note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO invoice_taxes (tenant_id, invoice_id, source_id, kind, tax_rate, treatment, day, billed_on, currency, net, tax)
    SELECT NEW.tenant_id, NEW.invoice_id, NEW.id, 'credit', t.rate, taxed_as(t.tax_treatment, t.rate), NEW.issue_date, i.issue_date, i.currency, t.net, t.tax
    FROM invoices i, json_to_recordset(NEW.taxes) AS t (rate numeric, tax_treatment tax_treatment, net bigint, tax bigint)
    WHERE i.tenant_id = NEW.tenant_id AND i.id = NEW.invoice_id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tax_credit_note AFTER INSERT ON credit_notes FOR EACH ROW EXECUTE FUNCTION tax_credit_note();

-- The documents so far, one tenant after the other: a policy hides the rest. The triggers above have locked both tables.
-- +goose StatementBegin
DO $$
DECLARE
    entered text := COALESCE(current_setting('onlyonce.tenant_id', true), '');
    tenant  uuid;
BEGIN
    FOR tenant IN SELECT id FROM tenants LOOP
        PERFORM set_config('onlyonce.tenant_id', tenant::text, true);
        INSERT INTO invoice_taxes (tenant_id, invoice_id, source_id, kind, tax_rate, treatment, day, billed_on, currency, net, tax)
        SELECT tenant, i.id, i.id, 'invoice', l.tax_rate, taxed_as(l.tax_treatment, l.tax_rate), i.issue_date, i.issue_date, i.currency,
            sum(l.net), round(sum(l.net) * l.tax_rate * 0.01)
        FROM invoices i JOIN invoice_lines l ON l.tenant_id = i.tenant_id AND l.invoice_id = i.id
        WHERE i.tenant_id = tenant AND i.issued_at IS NOT NULL
        GROUP BY i.id, i.issue_date, i.currency, l.tax_rate, l.tax_treatment;
        INSERT INTO invoice_taxes (tenant_id, invoice_id, source_id, kind, tax_rate, treatment, day, billed_on, currency, net, tax)
        SELECT tenant, i.id, i.id, 'void', t.tax_rate, t.treatment, greatest(i.issue_date, (i.voided_at AT TIME ZONE 'UTC')::date),
            i.issue_date, i.currency, t.net, t.tax
        FROM invoices i JOIN invoice_taxes t ON t.tenant_id = i.tenant_id AND t.invoice_id = i.id
        WHERE i.tenant_id = tenant AND i.status = 'void';
        INSERT INTO invoice_taxes (tenant_id, invoice_id, source_id, kind, tax_rate, treatment, day, billed_on, currency, net, tax)
        SELECT tenant, i.id, n.id, 'credit', t.rate, taxed_as(t.tax_treatment, t.rate), n.issue_date, i.issue_date, i.currency, t.net, t.tax
        FROM credit_notes n JOIN invoices i ON i.tenant_id = n.tenant_id AND i.id = n.invoice_id,
            json_to_recordset(n.taxes) AS t (rate numeric, tax_treatment tax_treatment, net bigint, tax bigint)
        WHERE n.tenant_id = tenant;
    END LOOP;
    PERFORM set_config('onlyonce.tenant_id', entered, true);
END $$;
-- +goose StatementEnd

-- keep_invoice_taxes refuses entries that don't add up to the totals of their document, or that are of no issued document.
-- +goose StatementBegin
CREATE FUNCTION keep_invoice_taxes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM (SELECT DISTINCT tenant_id, invoice_id, source_id, kind FROM added) AS a
        JOIN LATERAL (
            SELECT sum(t.net) AS net, sum(t.tax) AS tax FROM invoice_taxes t
            WHERE t.tenant_id = a.tenant_id AND t.invoice_id = a.invoice_id AND t.source_id = a.source_id AND t.kind = a.kind
        ) AS entered ON true
        LEFT JOIN LATERAL (
            SELECT subtotal, tax_total FROM invoices i
            WHERE i.tenant_id = a.tenant_id AND i.id = a.invoice_id AND a.source_id = a.invoice_id
                AND i.status = CASE a.kind WHEN 'invoice' THEN 'issued' WHEN 'void' THEN 'void' END
            UNION ALL
            SELECT subtotal, tax_total FROM credit_notes n
            WHERE a.kind = 'credit' AND n.tenant_id = a.tenant_id AND n.id = a.source_id AND n.invoice_id = a.invoice_id
        ) AS stated ON true
        WHERE (entered.net, entered.tax) IS DISTINCT FROM (stated.subtotal, stated.tax_total)) THEN
        RAISE EXCEPTION 'the tax of a document is that of its totals'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'invoice_taxes_add_up';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER keep_invoice_taxes AFTER INSERT ON invoice_taxes
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_invoice_taxes();

-- +goose Down
DROP TRIGGER tax_credit_note ON credit_notes;
DROP TRIGGER tax_invoice ON invoices;
DROP FUNCTION tax_credit_note, tax_invoice;
DROP TABLE invoice_taxes;
DROP FUNCTION keep_invoice_taxes, taxed_as;
DROP DOMAIN taxed_kind;
