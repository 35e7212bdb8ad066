-- Write-offs of what is open on issued invoices. Each is posted to the ledger in the transaction that stores it, never goes beyond the
-- open amount, and is taken back at most once, by another posting.

-- +goose Up
ALTER DOMAIN posting_kind DROP CONSTRAINT posting_kind_check;
ALTER DOMAIN posting_kind ADD CONSTRAINT posting_kind_check
    CHECK (VALUE IN ('payment', 'refund', 'removal', 'credit', 'write_off', 'reversal'));

-- invoice_state returns the state as people know it. What a customer has paid but for a small difference is paid; if more was written
-- off than paid, it is written off.
-- +goose StatementBegin
CREATE FUNCTION invoice_state(status text, total bigint, paid bigint, credited bigint, written_off bigint) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN CASE
        WHEN status <> 'issued' THEN status
        WHEN paid + credited + written_off < total THEN CASE WHEN paid > 0 THEN 'partially_paid' ELSE 'issued' END
        WHEN written_off > paid THEN 'written_off'
        WHEN paid = 0 AND credited > 0 THEN 'credited'
        ELSE 'paid'
    END;
END $$;
-- +goose StatementEnd

-- PostgreSQL 15 can't change the expression of a generated column, so the two are dropped with their indexes and made anew.
ALTER TABLE invoices
    DROP COLUMN open_amount,
    DROP COLUMN state,
    ADD COLUMN written_off minor_units NOT NULL DEFAULT 0,
    ADD COLUMN open_amount minor_units NOT NULL GENERATED ALWAYS AS (total - paid - credited - written_off) STORED,
    ADD COLUMN state text COLLATE "C" NOT NULL GENERATED ALWAYS AS (invoice_state(status, total, paid, credited, written_off)) STORED;
DROP FUNCTION invoice_state(text, bigint, bigint, bigint);
CREATE INDEX invoices_by_date ON invoices (tenant_id, state, issue_date, id);
CREATE INDEX invoices_by_due ON invoices (tenant_id, state, due_date, id);
CREATE INDEX invoices_by_total ON invoices (tenant_id, state, total_rank, id);
CREATE INDEX invoices_open_of_customer ON invoices (tenant_id, customer_id, due_date, id) WHERE state IN ('issued', 'partially_paid');
CREATE INDEX invoices_open_by_amount ON invoices (tenant_id, currency COLLATE "C", open_amount, id) WHERE state IN ('issued', 'partially_paid');
ANALYZE invoices (written_off, open_amount, state); -- nothing is known of new columns, and no row was changed after which it would be

ALTER TABLE postings ADD COLUMN written_off minor_units NOT NULL DEFAULT 0;

-- carry_balance is unchanged, except for write-offs.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION carry_balance() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last postings;
BEGIN
    SELECT * INTO last FROM postings
    WHERE tenant_id = NEW.tenant_id AND invoice_id = NEW.invoice_id
    ORDER BY position DESC LIMIT 1;
    NEW.position := COALESCE(last.position, 0) + 1;
    NEW.paid := COALESCE(last.paid, 0) + CASE WHEN NEW.kind IN ('payment', 'refund', 'removal') THEN NEW.amount ELSE 0 END;
    NEW.credited := COALESCE(last.credited, 0) + CASE WHEN NEW.kind = 'credit' THEN NEW.amount ELSE 0 END;
    NEW.written_off := COALESCE(last.written_off, 0) + CASE WHEN NEW.kind IN ('write_off', 'reversal') THEN NEW.amount ELSE 0 END;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- balance_invoice compares, at COMMIT, what an invoice shows as paid, credited and written off with the sums of its postings, which the
-- last one carries.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION balance_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of_invoice uuid := CASE TG_TABLE_NAME WHEN 'invoices' THEN to_jsonb(NEW)->>'id' ELSE to_jsonb(NEW)->>'invoice_id' END;
    shown      invoices;
    posted     postings;
BEGIN
    SELECT * INTO shown FROM invoices WHERE tenant_id = NEW.tenant_id AND id = of_invoice;
    SELECT * INTO posted FROM postings
    WHERE tenant_id = NEW.tenant_id AND invoice_id = of_invoice
    ORDER BY position DESC LIMIT 1;
    IF (shown.paid, shown.credited, shown.written_off)
        IS DISTINCT FROM (COALESCE(posted.paid, 0), COALESCE(posted.credited, 0), COALESCE(posted.written_off, 0)) THEN
        RAISE EXCEPTION 'paid is %, credited % and written off %, and the postings are %, % and %',
            shown.paid, shown.credited, shown.written_off, posted.paid, posted.credited, posted.written_off
            USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_balanced';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE CONSTRAINT TRIGGER balance_written_off AFTER UPDATE OF written_off ON invoices
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION balance_invoice();

CREATE DOMAIN write_off_reason AS text CHECK (VALUE IN ('small_difference', 'bad_debt', 'other'));

CREATE TABLE write_offs (
    tenant_id      uuid             NOT NULL,
    id             uuid             NOT NULL,
    invoice_id     uuid             NOT NULL,
    amount         minor_units      NOT NULL CHECK (amount > 0), -- by default what is open: see post_write_off
    reason         write_off_reason NOT NULL,
    note           text             NOT NULL DEFAULT '' CHECK (length(note) <= 200),
    written_off_on date             NOT NULL,
    reversed_at    timestamptz, -- when it was taken back
    version        record_version   NOT NULL DEFAULT 1,
    created_at     timestamptz      NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT write_offs_dated CHECK (written_off_on BETWEEN '2000-01-01' AND '2099-12-31'),
    CONSTRAINT write_offs_explained CHECK (reason <> 'other' OR note <> ''),
    CONSTRAINT write_offs_invoice FOREIGN KEY (tenant_id, invoice_id) REFERENCES invoices (tenant_id, id)
);
CREATE INDEX write_offs_of_invoice ON write_offs (tenant_id, invoice_id, id);
CREATE TRIGGER next_version BEFORE UPDATE ON write_offs FOR EACH ROW EXECUTE FUNCTION next_version();

ALTER TABLE write_offs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON write_offs USING (tenant_id = current_tenant());
REVOKE DELETE, TRUNCATE ON write_offs FROM CURRENT_USER; -- replays rely on it

-- Of a write-off nothing changes but that it is taken back, once.
CREATE TRIGGER append_only BEFORE DELETE ON write_offs FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only_but_reversed BEFORE UPDATE ON write_offs FOR EACH ROW
    WHEN ((OLD.tenant_id, OLD.id, OLD.invoice_id, OLD.amount, OLD.reason, OLD.note, OLD.written_off_on, OLD.created_at,
            COALESCE(OLD.reversed_at, NEW.reversed_at))
        IS DISTINCT FROM
        (NEW.tenant_id, NEW.id, NEW.invoice_id, NEW.amount, NEW.reason, NEW.note, NEW.written_off_on, NEW.created_at, NEW.reversed_at))
    EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON write_offs FOR EACH STATEMENT EXECUTE FUNCTION append_only();

-- post_write_off writes the posting of a write-off, of the whole open amount if it has none. It locks the invoice like post_payment,
-- before the row is inserted. It fails with constraint write_offs_invoice, write_offs_of_issued, or write_offs_within_open with the open
-- amount as detail.
-- +goose StatementBegin
CREATE FUNCTION post_write_off() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    billed invoices;
BEGIN
    SELECT * INTO billed FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such invoice' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'write_offs_invoice';
    ELSIF billed.status <> 'issued' THEN
        RAISE EXCEPTION 'not issued' USING ERRCODE = 'check_violation', CONSTRAINT = 'write_offs_of_issued';
    ELSIF billed.open_amount = 0 OR NEW.amount > billed.open_amount THEN
        RAISE EXCEPTION 'more than is open'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'write_offs_within_open', DETAIL = billed.open_amount;
    END IF;
    NEW.amount := COALESCE(NEW.amount, billed.open_amount);
    NEW.reversed_at := NULL;
    INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
    VALUES (NEW.tenant_id, NEW.invoice_id, NEW.id, 'write_off', NEW.amount);
    UPDATE invoices SET written_off = written_off + NEW.amount WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER post_write_off BEFORE INSERT ON write_offs FOR EACH ROW EXECUTE FUNCTION post_write_off();

-- post_reversal takes the posting of a write-off back by another one. The UPDATE of the write-off has locked it, and the invoice is locked
-- behind it, as in post_removal.
-- +goose StatementBegin
CREATE FUNCTION post_reversal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id FOR UPDATE;
    INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
    VALUES (NEW.tenant_id, NEW.invoice_id, NEW.id, 'reversal', -NEW.amount);
    UPDATE invoices SET written_off = written_off - NEW.amount WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER post_reversal BEFORE UPDATE ON write_offs
    FOR EACH ROW WHEN (OLD.reversed_at IS NULL AND NEW.reversed_at IS NOT NULL) EXECUTE FUNCTION post_reversal();

CREATE TRIGGER note_likeness AFTER INSERT ON write_offs FOR EACH ROW
    EXECUTE FUNCTION note_likeness('10 minutes', 'invoice_id amount written_off_on');
-- What is written off anew is no repeat of what was taken back.
CREATE TRIGGER forget_likeness AFTER UPDATE ON write_offs FOR EACH ROW WHEN (OLD.reversed_at IS NULL AND NEW.reversed_at IS NOT NULL)
    EXECUTE FUNCTION forget_likeness('10 minutes', 'invoice_id amount written_off_on');

-- An invoice with a write-off is not voided.
-- +goose StatementBegin
CREATE FUNCTION void_without_write_offs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the invoice has write-offs' USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_void_without_write_offs';
END $$;
-- +goose StatementEnd
CREATE TRIGGER void_without_write_offs BEFORE UPDATE ON invoices
    FOR EACH ROW WHEN (NEW.status = 'void' AND OLD.written_off > 0) EXECUTE FUNCTION void_without_write_offs();

-- +goose Down
-- What was written off is open again, also in the sums.
-- +goose StatementBegin
DO $$
DECLARE
    entered text := COALESCE(current_setting('onlyonce.tenant_id', true), '');
    tenant  uuid;
BEGIN
    FOR tenant IN SELECT id FROM tenants LOOP
        PERFORM set_config('onlyonce.tenant_id', tenant::text, true);
        UPDATE write_offs SET reversed_at = now() WHERE tenant_id = tenant AND reversed_at IS NULL;
        SET CONSTRAINTS ALL IMMEDIATE; -- a pending one would keep the tables from being altered
    END LOOP;
    PERFORM set_config('onlyonce.tenant_id', entered, true);
END $$;
-- +goose StatementEnd
DROP TRIGGER void_without_write_offs ON invoices;
DROP TABLE write_offs;
DROP FUNCTION void_without_write_offs, post_reversal, post_write_off;
DROP DOMAIN write_off_reason;
DROP TRIGGER balance_written_off ON invoices;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION balance_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of_invoice uuid := CASE TG_TABLE_NAME WHEN 'invoices' THEN to_jsonb(NEW)->>'id' ELSE to_jsonb(NEW)->>'invoice_id' END;
    shown      invoices;
    posted     postings;
BEGIN
    SELECT * INTO shown FROM invoices WHERE tenant_id = NEW.tenant_id AND id = of_invoice;
    SELECT * INTO posted FROM postings
    WHERE tenant_id = NEW.tenant_id AND invoice_id = of_invoice
    ORDER BY position DESC LIMIT 1;
    IF (shown.paid, shown.credited) IS DISTINCT FROM (COALESCE(posted.paid, 0), COALESCE(posted.credited, 0)) THEN
        RAISE EXCEPTION 'paid is % and credited %, and the postings are % and %',
            shown.paid, shown.credited, posted.paid, posted.credited
            USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_balanced';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION carry_balance() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last postings;
BEGIN
    SELECT * INTO last FROM postings
    WHERE tenant_id = NEW.tenant_id AND invoice_id = NEW.invoice_id
    ORDER BY position DESC LIMIT 1;
    NEW.position := COALESCE(last.position, 0) + 1;
    NEW.paid := COALESCE(last.paid, 0) + CASE WHEN NEW.kind = 'credit' THEN 0 ELSE NEW.amount END;
    NEW.credited := COALESCE(last.credited, 0) + CASE WHEN NEW.kind = 'credit' THEN NEW.amount ELSE 0 END;
    RETURN NEW;
END $$;
-- +goose StatementEnd
ALTER TABLE postings NO FORCE ROW LEVEL SECURITY;
ALTER TABLE postings DISABLE TRIGGER append_only;
DELETE FROM postings WHERE kind IN ('write_off', 'reversal');
ALTER TABLE postings ENABLE TRIGGER append_only;
ALTER TABLE postings FORCE ROW LEVEL SECURITY;
ALTER TABLE postings DROP COLUMN written_off;
-- +goose StatementBegin
CREATE FUNCTION invoice_state(status text, total bigint, paid bigint, credited bigint) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN CASE
        WHEN status <> 'issued' THEN status
        WHEN paid + credited = total AND paid = 0 AND credited > 0 THEN 'credited'
        WHEN paid + credited = total THEN 'paid'
        WHEN paid > 0 THEN 'partially_paid'
        ELSE 'issued'
    END;
END $$;
-- +goose StatementEnd
ALTER TABLE invoices
    DROP COLUMN open_amount,
    DROP COLUMN state,
    DROP COLUMN written_off,
    ADD COLUMN open_amount minor_units NOT NULL GENERATED ALWAYS AS (total - paid - credited) STORED,
    ADD COLUMN state text COLLATE "C" NOT NULL GENERATED ALWAYS AS (invoice_state(status, total, paid, credited)) STORED;
DROP FUNCTION invoice_state(text, bigint, bigint, bigint, bigint);
CREATE INDEX invoices_by_date ON invoices (tenant_id, state, issue_date, id);
CREATE INDEX invoices_by_due ON invoices (tenant_id, state, due_date, id);
CREATE INDEX invoices_by_total ON invoices (tenant_id, state, total_rank, id);
CREATE INDEX invoices_open_of_customer ON invoices (tenant_id, customer_id, due_date, id) WHERE state IN ('issued', 'partially_paid');
CREATE INDEX invoices_open_by_amount ON invoices (tenant_id, currency COLLATE "C", open_amount, id) WHERE state IN ('issued', 'partially_paid');
ALTER DOMAIN posting_kind DROP CONSTRAINT posting_kind_check;
ALTER DOMAIN posting_kind ADD CONSTRAINT posting_kind_check CHECK (VALUE IN ('payment', 'refund', 'removal', 'credit'));
