-- Refunds give back what was paid, and credit notes take back what was billed. Both are posted to the ledger of the
-- invoice in the transaction that stores them: a refund never beyond what is left of its payment, a credit note never
-- beyond what is open, nor beyond what its lines bill.

-- +goose Up
ALTER DOMAIN posting_kind DROP CONSTRAINT posting_kind_check;
ALTER DOMAIN posting_kind ADD CHECK (VALUE IN ('payment', 'refund', 'credit'));

ALTER TABLE invoices DROP COLUMN state, DROP COLUMN open_amount;
ALTER TABLE invoices
    ADD COLUMN credited    minor_units NOT NULL DEFAULT 0,
    ADD COLUMN open_amount minor_units NOT NULL GENERATED ALWAYS AS (total - paid - credited) STORED,
    ADD COLUMN state       text        NOT NULL GENERATED ALWAYS AS (
        CASE
            WHEN status <> 'issued' THEN status::text
            WHEN paid + credited = total AND paid = 0 AND credited > 0 THEN 'credited'
            WHEN paid + credited = total THEN 'paid'
            WHEN paid > 0 THEN 'partially_paid'
            ELSE 'issued'
        END) STORED;

-- The sums of the postings up to each, of what was paid and of what was credited.
ALTER TABLE postings RENAME COLUMN balance TO paid;
ALTER TABLE postings ADD COLUMN credited minor_units NOT NULL DEFAULT 0;
ALTER TABLE postings ALTER COLUMN credited DROP DEFAULT;

-- carry_balance is as before, for both sums.
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

-- balance_invoice is as before, for both sums.
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
CREATE CONSTRAINT TRIGGER balance_credited AFTER UPDATE OF credited ON invoices
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION balance_invoice();

-- Of a payment nothing changes but what was given back of it.
ALTER TABLE payments
    ADD COLUMN refunded    minor_units NOT NULL DEFAULT 0,
    ADD COLUMN left_amount minor_units NOT NULL GENERATED ALWAYS AS (amount - refunded) STORED;
DROP TRIGGER append_only ON payments;
CREATE TRIGGER append_only BEFORE DELETE ON payments FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only_but_refunded BEFORE UPDATE ON payments FOR EACH ROW
    WHEN ((OLD.tenant_id, OLD.id, OLD.invoice_id, OLD.amount, OLD.paid_on, OLD.method, OLD.provider, OLD.reference, OLD.created_at)
        IS DISTINCT FROM
        (NEW.tenant_id, NEW.id, NEW.invoice_id, NEW.amount, NEW.paid_on, NEW.method, NEW.provider, NEW.reference, NEW.created_at))
    EXECUTE FUNCTION append_only();

CREATE TABLE refunds (
    tenant_id   uuid           NOT NULL,
    id          uuid           NOT NULL,
    payment_id  uuid           NOT NULL,
    invoice_id  uuid           NOT NULL, -- of the payment: see post_refund
    amount      minor_units    NOT NULL CHECK (amount > 0),
    refunded_on date           NOT NULL,
    -- The sum of the refunds of the payment up to this one: see post_refund.
    refunded    minor_units    NOT NULL,
    version     record_version NOT NULL DEFAULT 1,
    created_at  timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT refunds_payment FOREIGN KEY (tenant_id, payment_id) REFERENCES payments (tenant_id, id)
);
CREATE INDEX refunds_of_payment ON refunds (tenant_id, payment_id, id);
CREATE INDEX refunds_of_invoice ON refunds (tenant_id, invoice_id, id);
CREATE INDEX refunds_in_order ON refunds (tenant_id, payment_id, refunded);
CREATE TRIGGER next_version BEFORE UPDATE ON refunds FOR EACH ROW EXECUTE FUNCTION next_version();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON refunds FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON refunds FOR EACH STATEMENT EXECUTE FUNCTION append_only();
ALTER TABLE refunds ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON refunds USING (tenant_id = current_tenant());

-- post_refund writes the posting of a refund. Like post_payment it locks the invoice, before the row is inserted. It
-- fails with constraint refunds_payment, or refunds_within_payment with what is left of the payment as detail.
-- +goose StatementBegin
CREATE FUNCTION post_refund() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    payment payments;
BEGIN
    PERFORM FROM invoices
    WHERE tenant_id = NEW.tenant_id
        AND id = (SELECT invoice_id FROM payments WHERE tenant_id = NEW.tenant_id AND id = NEW.payment_id)
    FOR UPDATE;
    SELECT * INTO payment FROM payments WHERE tenant_id = NEW.tenant_id AND id = NEW.payment_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such payment' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'refunds_payment';
    ELSIF NEW.amount > payment.left_amount THEN
        RAISE EXCEPTION 'more than is left of the payment'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'refunds_within_payment', DETAIL = payment.left_amount;
    END IF;
    NEW.invoice_id := payment.invoice_id;
    NEW.refunded := payment.refunded + NEW.amount;
    INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
    VALUES (NEW.tenant_id, NEW.invoice_id, NEW.id, 'refund', -NEW.amount);
    UPDATE payments SET refunded = NEW.refunded WHERE tenant_id = NEW.tenant_id AND id = NEW.payment_id;
    UPDATE invoices SET paid = paid - NEW.amount WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER post_refund BEFORE INSERT ON refunds FOR EACH ROW EXECUTE FUNCTION post_refund();

-- balance_payment compares, at COMMIT, what a payment shows as refunded with the sum of its refunds, which the last one
-- carries.
-- +goose StatementBegin
CREATE FUNCTION balance_payment() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    shown  bigint;
    summed bigint;
BEGIN
    SELECT refunded INTO shown FROM payments WHERE tenant_id = NEW.tenant_id AND id = NEW.id;
    SELECT max(refunded) INTO summed FROM refunds WHERE tenant_id = NEW.tenant_id AND payment_id = NEW.id;
    IF shown IS DISTINCT FROM COALESCE(summed, 0) THEN
        RAISE EXCEPTION 'refunded is %, and the refunds are %', shown, summed
            USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_balanced';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE CONSTRAINT TRIGGER balance_refunded AFTER UPDATE OF refunded ON payments
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION balance_payment();

-- The last number that the series of a year has given out. Its row is locked until the transaction ends, so numbers
-- are consecutive, and one that is rolled back leaves no gap.
CREATE TABLE credit_note_series (
    tenant_id uuid    NOT NULL REFERENCES tenants,
    year      integer NOT NULL,
    last      bigint  NOT NULL CHECK (last > 0),
    PRIMARY KEY (tenant_id, year)
);
ALTER TABLE credit_note_series ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON credit_note_series USING (tenant_id = current_tenant());

CREATE TABLE credit_notes (
    tenant_id  uuid           NOT NULL,
    id         uuid           NOT NULL,
    invoice_id uuid           NOT NULL,
    issue_date date           NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')::date,
    -- What follows from the lines, and the next number of the series, such as CN-2026-0042: see post_credit_note.
    number     text           NOT NULL,
    subtotal   minor_units    NOT NULL,
    tax_total  minor_units    NOT NULL,
    total      minor_units    NOT NULL,
    taxes      json           NOT NULL, -- [{"rate": "23", "net": 1000, "tax": 230}], lowest rate first
    version    record_version NOT NULL DEFAULT 1,
    created_at timestamptz    NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    CONSTRAINT credit_notes_number_once UNIQUE (tenant_id, number),
    CONSTRAINT credit_notes_invoice FOREIGN KEY (tenant_id, invoice_id) REFERENCES invoices (tenant_id, id)
);
CREATE INDEX credit_notes_of_invoice ON credit_notes (tenant_id, invoice_id, id);

-- The lines come before their credit note, which adds them up.
CREATE TABLE credit_note_lines (
    tenant_id      uuid        NOT NULL,
    credit_note_id uuid        NOT NULL,
    invoice_id     uuid        NOT NULL,
    position       integer     NOT NULL, -- of the line of the invoice
    quantity       numeric     NOT NULL CHECK (quantity > 0),
    -- How much of the line was credited up to this credit note, and how much of its net amount this one credits: see
    -- credit_line.
    credited       numeric     NOT NULL,
    net            minor_units NOT NULL,
    PRIMARY KEY (tenant_id, credit_note_id, position),
    CONSTRAINT credit_note_lines_credit_note FOREIGN KEY (tenant_id, credit_note_id) REFERENCES credit_notes (tenant_id, id)
        DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT credit_note_lines_line FOREIGN KEY (tenant_id, invoice_id, position)
        REFERENCES invoice_lines (tenant_id, invoice_id, position)
);
CREATE INDEX credit_note_lines_in_order ON credit_note_lines (tenant_id, invoice_id, position, credited);

CREATE TRIGGER next_version BEFORE UPDATE ON credit_notes FOR EACH ROW EXECUTE FUNCTION next_version();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON credit_notes FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON credit_note_lines FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON credit_notes FOR EACH STATEMENT EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only_whole BEFORE TRUNCATE ON credit_note_lines FOR EACH STATEMENT EXECUTE FUNCTION append_only();
ALTER TABLE credit_notes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON credit_notes USING (tenant_id = current_tenant());
ALTER TABLE credit_note_lines ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON credit_note_lines USING (tenant_id = current_tenant());

-- credited_quantity gives how much of a line of an invoice was credited.
CREATE FUNCTION credited_quantity(in_tenant uuid, in_invoice uuid, in_position integer) RETURNS numeric
LANGUAGE sql STABLE
RETURN COALESCE((
    SELECT max(credited) FROM credit_note_lines
    WHERE tenant_id = in_tenant AND invoice_id = in_invoice AND position = in_position), 0);

-- credit_line credits a quantity of a line. Its net amount is that of all that was credited of the line, less that of
-- what was credited before: rounded steps add up to the rounded whole. It locks the invoice like post_payment. It fails
-- with constraint credit_notes_of_issued, credit_note_lines_line, credit_notes_append_only if the credit note is there
-- already, or credit_note_lines_within_line with a JSON object as detail: the position, and the quantity that is left.
-- +goose StatementBegin
CREATE FUNCTION credit_line() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    its_status invoice_status;
    line       invoice_lines;
    before     numeric;
BEGIN
    SELECT status INTO its_status FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id FOR UPDATE;
    SELECT * INTO line FROM invoice_lines
    WHERE tenant_id = NEW.tenant_id AND invoice_id = NEW.invoice_id AND position = NEW.position;
    before := credited_quantity(NEW.tenant_id, NEW.invoice_id, NEW.position);
    NEW.credited := before + NEW.quantity;
    NEW.net := round(line.unit_price * NEW.credited) - round(line.unit_price * before);
    IF its_status <> 'issued' THEN
        RAISE EXCEPTION 'not issued' USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_of_issued';
    ELSIF line IS NULL THEN
        RAISE EXCEPTION 'no such line' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'credit_note_lines_line';
    ELSIF EXISTS (SELECT FROM credit_notes WHERE tenant_id = NEW.tenant_id AND id = NEW.credit_note_id) THEN
        RAISE EXCEPTION 'a credit note does not change' USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_append_only';
    ELSIF NEW.credited > line.quantity THEN
        RAISE EXCEPTION 'more than is left of the line'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_note_lines_within_line',
                DETAIL = json_build_object('position', NEW.position, 'left', trim_scale(line.quantity - before)::text);
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER credit_line BEFORE INSERT ON credit_note_lines FOR EACH ROW EXECUTE FUNCTION credit_line();

-- post_credit_note adds up the lines of a credit note, gives it the next number and writes its posting. The tax of a rate
-- is that of all that was credited of the rate, less that of what was credited before. It locks the invoice like
-- post_payment, and then the series. It fails with constraint credit_notes_invoice, also if a line is of another one,
-- credit_notes_of_issued, credit_notes_of_lines if there are none, or credit_notes_within_open with the open amount as
-- detail.
-- +goose StatementBegin
CREATE FUNCTION post_credit_note() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    billed  invoices;
    in_year integer := extract(year FROM NEW.issue_date);
    place   bigint;
BEGIN
    SELECT * INTO billed FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id FOR UPDATE;
    IF NOT FOUND OR EXISTS (
        SELECT FROM credit_note_lines
        WHERE tenant_id = NEW.tenant_id AND credit_note_id = NEW.id AND invoice_id <> NEW.invoice_id) THEN
        RAISE EXCEPTION 'no such invoice' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'credit_notes_invoice';
    ELSIF billed.status <> 'issued' THEN
        RAISE EXCEPTION 'not issued' USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_of_issued';
    END IF;
    WITH line AS (
        SELECT l.tax_rate, c.net, round(l.unit_price * credited_quantity(l.tenant_id, l.invoice_id, l.position)) AS credited
        FROM invoice_lines l
        LEFT JOIN credit_note_lines c ON c.tenant_id = l.tenant_id AND c.credit_note_id = NEW.id AND c.position = l.position
        WHERE l.tenant_id = NEW.tenant_id AND l.invoice_id = NEW.invoice_id
    ), by_rate AS (
        SELECT
            tax_rate, sum(net) AS net,
            round(sum(credited) * tax_rate * 0.01) - round((sum(credited) - sum(net)) * tax_rate * 0.01) AS tax
        FROM line GROUP BY tax_rate HAVING sum(net) IS NOT NULL
    )
    SELECT
        sum(net), sum(tax), sum(net) + sum(tax),
        json_agg(json_build_object('rate', trim_scale(tax_rate)::text, 'net', net, 'tax', tax) ORDER BY tax_rate)
    INTO NEW.subtotal, NEW.tax_total, NEW.total, NEW.taxes
    FROM by_rate;
    IF NEW.total IS NULL THEN
        RAISE EXCEPTION 'no lines' USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_of_lines';
    ELSIF NEW.total > billed.open_amount THEN
        RAISE EXCEPTION 'more than is open'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'credit_notes_within_open', DETAIL = billed.open_amount;
    END IF;
    INSERT INTO credit_note_series AS s (tenant_id, year, last) VALUES (NEW.tenant_id, in_year, 1)
    ON CONFLICT (tenant_id, year) DO UPDATE SET last = s.last + 1
    RETURNING last INTO place;
    NEW.number := 'CN-' || format_invoice_number(in_year, place);
    INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
    VALUES (NEW.tenant_id, NEW.invoice_id, NEW.id, 'credit', NEW.total);
    UPDATE invoices SET credited = credited + NEW.total WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER post_credit_note BEFORE INSERT ON credit_notes FOR EACH ROW EXECUTE FUNCTION post_credit_note();

-- An invoice with credit notes, also with such of nothing, is not voided.
-- +goose StatementBegin
CREATE FUNCTION void_without_credit_notes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM credit_notes WHERE tenant_id = NEW.tenant_id AND invoice_id = NEW.id) THEN
        RAISE EXCEPTION 'the invoice has credit notes'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_void_without_credit_notes';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER void_without_credit_notes BEFORE UPDATE ON invoices
    FOR EACH ROW WHEN (NEW.status = 'void') EXECUTE FUNCTION void_without_credit_notes();

-- +goose Down
DROP TRIGGER void_without_credit_notes ON invoices;
DROP FUNCTION void_without_credit_notes;
DROP TRIGGER balance_credited ON invoices;
DROP FUNCTION credited_quantity;
DROP TABLE credit_note_lines, credit_notes, credit_note_series, refunds;
DROP FUNCTION credit_line, post_credit_note, post_refund;
DROP TRIGGER balance_refunded ON payments;
DROP FUNCTION balance_payment;
DROP TRIGGER append_only_but_refunded ON payments;
DROP TRIGGER append_only ON payments;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON payments FOR EACH ROW EXECUTE FUNCTION append_only();
ALTER TABLE payments DROP COLUMN left_amount, DROP COLUMN refunded;

ALTER TABLE postings DROP COLUMN credited;
ALTER TABLE postings RENAME COLUMN paid TO balance;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION carry_balance() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last postings;
BEGIN
    SELECT * INTO last FROM postings
    WHERE tenant_id = NEW.tenant_id AND invoice_id = NEW.invoice_id
    ORDER BY position DESC LIMIT 1;
    NEW.position := COALESCE(last.position, 0) + 1;
    NEW.balance := COALESCE(last.balance, 0) + NEW.amount;
    RETURN NEW;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION balance_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of_invoice uuid := CASE TG_TABLE_NAME WHEN 'invoices' THEN to_jsonb(NEW)->>'id' ELSE to_jsonb(NEW)->>'invoice_id' END;
    shown      bigint;
    posted     bigint;
BEGIN
    SELECT paid INTO shown FROM invoices WHERE tenant_id = NEW.tenant_id AND id = of_invoice;
    SELECT balance INTO posted FROM postings
    WHERE tenant_id = NEW.tenant_id AND invoice_id = of_invoice
    ORDER BY position DESC LIMIT 1;
    IF shown IS DISTINCT FROM COALESCE(posted, 0) THEN
        RAISE EXCEPTION 'paid is %, and its postings are %', shown, posted
            USING ERRCODE = 'check_violation', CONSTRAINT = 'invoices_balanced';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
ALTER TABLE invoices DROP COLUMN state, DROP COLUMN open_amount, DROP COLUMN credited;
ALTER TABLE invoices
    ADD COLUMN open_amount minor_units NOT NULL GENERATED ALWAYS AS (total - paid) STORED,
    ADD COLUMN state       text        NOT NULL GENERATED ALWAYS AS (
        CASE WHEN status <> 'issued' THEN status::text WHEN paid = total THEN 'paid' WHEN paid > 0 THEN 'partially_paid' ELSE 'issued' END)
        STORED;
ALTER DOMAIN posting_kind DROP CONSTRAINT posting_kind_check;
ALTER DOMAIN posting_kind ADD CHECK (VALUE IN ('payment'));
