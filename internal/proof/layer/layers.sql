-- What removes layers of protection from a disposable database. A name in braces is replaced.

-- layer: claim
-- The claim sets only the tenant: it neither waits for other attempts with the key nor looks for the intent.
ALTER TABLE intent_effects DROP CONSTRAINT IF EXISTS intent_effects_intent;
ALTER TABLE events DROP CONSTRAINT IF EXISTS events_intent;
CREATE OR REPLACE FUNCTION claim_intent(in_tenant uuid, in_operation text, in_key text, in_wait text)
RETURNS void LANGUAGE sql AS $$
    SELECT set_config('onlyonce.tenant_id', in_tenant::text, true), set_config('lock_timeout', in_wait, true)
$$;

-- layer: claim of {operations}
-- The claim of some operations sets only the tenant, and an intent can be stored twice.
ALTER TABLE intent_effects DROP CONSTRAINT intent_effects_intent;
ALTER TABLE events DROP CONSTRAINT events_intent;
ALTER TABLE intents DROP CONSTRAINT intents_pkey;
ALTER FUNCTION claim_intent RENAME TO claim_other;
CREATE FUNCTION claim_intent(in_tenant uuid, in_operation text, in_key text, in_wait text)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF in_operation NOT IN ({operations}) THEN
        PERFORM claim_other(in_tenant, in_operation, in_key, in_wait);
        RETURN;
    END IF;
    PERFORM set_config('onlyonce.tenant_id', in_tenant::text, true), set_config('lock_timeout', in_wait, true);
END $$;
ALTER FUNCTION claim_intent OWNER TO onlyonce; -- otherwise a killed replica doesn't start again

-- layer: unique intent
ALTER TABLE intents DROP CONSTRAINT intents_pkey;

-- layer: key
-- Each intent and its effects are stored under a new key.
CREATE FUNCTION rename_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.key := gen_random_uuid();
    RETURN NEW;
END $$;
CREATE TRIGGER rename_key BEFORE INSERT ON intents FOR EACH ROW EXECUTE FUNCTION rename_key();
CREATE TRIGGER rename_key BEFORE INSERT ON intent_effects FOR EACH ROW EXECUTE FUNCTION rename_key();

-- layer: key for life
-- An intent is deleted when the retention of its result ends.
GRANT DELETE ON intents TO onlyonce;
ALTER TABLE intent_effects DROP CONSTRAINT IF EXISTS intent_effects_intent;
ALTER TABLE events DROP CONSTRAINT IF EXISTS events_intent;
CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM intents
    WHERE tenant_id = NEW.tenant_id AND operation = NEW.operation AND key = NEW.key;
    RETURN NULL;
END $$;
CREATE TRIGGER forget AFTER UPDATE ON intents FOR EACH ROW WHEN (NEW.result IS NULL) EXECUTE FUNCTION forget();

-- layer: same transaction
-- The work is committed without its intent while a condition is true, as in a crash between two transactions.
ALTER TABLE intent_effects DROP CONSTRAINT IF EXISTS intent_effects_intent;
ALTER TABLE events DROP CONSTRAINT IF EXISTS events_intent;
CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RETURN CASE WHEN NOT ({condition}) THEN NEW END;
END $$;
CREATE TRIGGER lose BEFORE INSERT ON intents FOR EACH ROW EXECUTE FUNCTION lose();

-- layer: mail
-- Now and then an invoice is issued without its mail.
CREATE FUNCTION lose_mail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RETURN CASE WHEN random() < 0.5 THEN NEW END;
END $$;
CREATE TRIGGER lose_mail BEFORE INSERT ON mails FOR EACH ROW EXECUTE FUNCTION lose_mail();

-- layer: lock of {table}
-- SELECT … FOR UPDATE locks no row: it locks only rows that may be updated.
DROP POLICY tenant_isolation ON {table};
CREATE POLICY reading ON {table} FOR SELECT USING (tenant_id = current_tenant());
CREATE POLICY inserting ON {table} FOR INSERT WITH CHECK (tenant_id = current_tenant());
CREATE POLICY updating ON {table} FOR UPDATE
    USING (tenant_id = current_tenant() AND current_query() NOT LIKE '%FOR UPDATE%');

-- layer: quick changes
CREATE FUNCTION take_long() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_sleep(0.03);
    RETURN NULL;
END $$;
CREATE TRIGGER take_long BEFORE UPDATE ON customers FOR EACH STATEMENT EXECUTE FUNCTION take_long();

-- layer: version
-- A change is accepted from any version.
CREATE OR REPLACE FUNCTION begin_change(in_version integer, in_seen integer, in_made boolean, in_record json)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF in_version IS NULL THEN
        RAISE EXCEPTION 'no such record' USING ERRCODE = 'OO004';
    ELSIF in_made THEN
        RAISE EXCEPTION 'made already' USING ERRCODE = 'OO005';
    END IF;
    PERFORM set_config('onlyonce.before', in_record::text, true);
END $$;

-- layer: state
-- A transition is made again although the record has its state.
CREATE OR REPLACE FUNCTION begin_change(in_version integer, in_seen integer, in_made boolean, in_record json)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF in_version IS NULL THEN
        RAISE EXCEPTION 'no such record' USING ERRCODE = 'OO004';
    ELSIF in_seen <> 0 AND in_seen <> in_version THEN
        RAISE EXCEPTION 'another version' USING ERRCODE = 'OO006', DETAIL = in_version;
    END IF;
    PERFORM set_config('onlyonce.before', in_record::text, true);
END $$;

-- layer: next version
DROP TRIGGER next_version ON customers;

-- layer: end of sessions
DROP TRIGGER end_sessions ON users;

-- layer: unique number
ALTER TABLE invoices DROP CONSTRAINT invoices_number_once_per_year;

-- layer: open amount
-- A payment is posted regardless of the open amount, and an amount may be negative.
ALTER DOMAIN minor_units DROP CONSTRAINT minor_units_check;
CREATE OR REPLACE FUNCTION post_payment() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    billed record;
BEGIN
    SELECT status, open_amount INTO billed FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id FOR UPDATE;
    IF billed.status <> 'issued' THEN
        RAISE EXCEPTION 'not issued' USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_of_issued';
    END IF;
    INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
    VALUES (NEW.tenant_id, NEW.invoice_id, NEW.id, 'payment', NEW.amount);
    UPDATE invoices SET paid = paid + NEW.amount WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NEW;
END $$;

-- layer: ledger
-- Payments aren't posted. Refunding an unposted payment makes the sum negative.
ALTER DOMAIN minor_units DROP CONSTRAINT minor_units_check;
DROP TRIGGER balance_paid ON invoices;
DROP TRIGGER balance_credited ON invoices;
DROP TRIGGER balance_postings ON postings;
CREATE OR REPLACE FUNCTION post_payment() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    billed record;
BEGIN
    SELECT status, open_amount INTO billed FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id FOR UPDATE;
    IF billed.status <> 'issued' THEN
        RAISE EXCEPTION 'not issued' USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_of_issued';
    END IF;
    IF NEW.amount > billed.open_amount THEN
        RAISE EXCEPTION 'more than is open'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_within_open', DETAIL = billed.open_amount;
    END IF;
    UPDATE invoices SET paid = paid + NEW.amount WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
    RETURN NEW;
END $$;

-- layer: left of a payment
ALTER DOMAIN minor_units DROP CONSTRAINT minor_units_check;
DO $$ BEGIN
    EXECUTE replace(pg_get_functiondef('post_refund'::regproc), 'NEW.amount > payment.left_amount', 'false');
END $$;

-- layer: unique event
-- Otherwise each repeat of an event would be answered 503, and keep its senders busy.
DROP INDEX webhook_events_once;

-- layer: payment reference
DROP INDEX payments_reference_once;
DROP TRIGGER hold_reference ON payments;
CREATE POLICY own_only ON payments AS RESTRICTIVE FOR SELECT USING (created_at = now());

-- layer: unique period
ALTER TABLE schedule_periods DROP CONSTRAINT schedule_periods_once;

-- layer: sight of periods
CREATE POLICY own_only ON schedule_periods AS RESTRICTIVE FOR SELECT USING (created_at = now());

-- layer: live customer
-- The constraints stay, because a merge uses them to find the records to move.
DO $$
DECLARE
    each record;
BEGIN
    FOR each IN
        SELECT tgrelid::regclass AS of, tgname FROM pg_trigger JOIN pg_constraint c ON c.oid = tgconstraint
        WHERE conname IN ('invoices_customer', 'schedules_customer')
    LOOP
        EXECUTE format('ALTER TABLE %s DISABLE TRIGGER %I', each.of, each.tgname);
    END LOOP;
END $$;

-- layer: erased customer
DO $$ BEGIN
    EXECUTE replace(pg_get_functiondef('live_customer'::regproc), 'found.erased_at IS NOT NULL', 'false');
END $$;

-- layer: external id
CREATE OR REPLACE FUNCTION begin_external(in_same boolean, in_constraint text) RETURNS void LANGUAGE sql AS $$ SELECT $$;
DROP INDEX customers_external_once, invoices_external_once, payments_external_once;

-- layer: open sign-up
DROP INDEX sign_ups_open_once;

-- layer: look for a sign-up
CREATE OR REPLACE FUNCTION ask_sign_up(in_tenant uuid, in_id uuid, in_email text, in_mail uuid, in_link_hash bytea)
RETURNS sign_ups LANGUAGE plpgsql AS $$
DECLARE
    asked sign_ups;
BEGIN
    INSERT INTO sign_ups (tenant_id, id, email) VALUES (in_tenant, in_id, in_email) RETURNING * INTO asked;
    INSERT INTO sign_up_mails (tenant_id, id, sign_up_id, link_hash) VALUES (in_tenant, in_mail, in_id, in_link_hash);
    RETURN asked;
END $$;

-- layer: file digest
DROP INDEX attachments_once;

-- layer: likely repeats
CREATE OR REPLACE FUNCTION tell_repeat(in_record uuid, in_json json, in_ask boolean) RETURNS json
LANGUAGE sql AS $$ SELECT in_json $$;
