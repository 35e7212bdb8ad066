package torture

import "onlyonce/internal/postgres/server"

// Layer is one layer of protection, and how to remove it. Without it, a run must find violations.
type Layer struct {
	Name    string
	Removed string // what exactly

	sql   []string // run in the database before the clients start
	fresh bool     // clients make a new key for every attempt
}

// Layers lists those that the self-test removes, one at a time.
func Layers() []Layer {
	return []Layer{
		{
			Name:    "the intent",
			Removed: "the claim does nothing, and the primary key of intents is gone",
			sql: []string{
				`ALTER TABLE intent_effects DROP CONSTRAINT intent_effects_intent`,
				`ALTER TABLE intents DROP CONSTRAINT intents_pkey`,
				`CREATE OR REPLACE FUNCTION claim_intent(in_tenant uuid, in_operation text, in_key text, in_wait text)
					RETURNS void LANGUAGE sql AS $$
						SELECT set_config('onlyonce.tenant_id', in_tenant::text, true),
							set_config('lock_timeout', in_wait, true)
					$$`,
			},
		},
		{
			Name:    "the key, for life",
			Removed: "an intent is deleted when the retention of its result ends",
			sql: []string{
				`GRANT DELETE ON intents TO ` + server.Role,
				`ALTER TABLE intent_effects DROP CONSTRAINT intent_effects_intent`,
				`CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS $$
					BEGIN
						DELETE FROM intents
						WHERE tenant_id = NEW.tenant_id AND operation = NEW.operation AND key = NEW.key;
						RETURN NULL;
					END $$`,
				`CREATE TRIGGER forget AFTER UPDATE ON intents FOR EACH ROW WHEN (NEW.result IS NULL) EXECUTE FUNCTION forget()`,
			},
		},
		{
			Name:    "the unique number",
			Removed: "the constraint invoices_number_once_per_year",
			sql:     []string{`ALTER TABLE invoices DROP CONSTRAINT invoices_number_once_per_year`},
		},
		{
			Name:    "one intent, one key",
			Removed: "clients send a fresh key with every attempt",
			fresh:   true,
		},
		{
			Name:    "intent and work in one transaction",
			Removed: "now and then the work is committed without its intent, as by a crash between two transactions",
			sql: []string{
				`ALTER TABLE intent_effects DROP CONSTRAINT intent_effects_intent`,
				`CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$
					BEGIN
						RETURN CASE WHEN random() < 0.95 THEN NEW END;
					END $$`,
				`CREATE TRIGGER lose BEFORE INSERT ON intents FOR EACH ROW EXECUTE FUNCTION lose()`,
			},
		},
		{
			Name:    "issue and mail in one transaction",
			Removed: "now and then an invoice is issued without its mail, as by a crash between two transactions",
			sql: []string{
				`CREATE FUNCTION lose_mail() RETURNS trigger LANGUAGE plpgsql AS $$
					BEGIN
						RETURN CASE WHEN random() < 0.5 THEN NEW END;
					END $$`,
				`CREATE TRIGGER lose_mail BEFORE INSERT ON mails FOR EACH ROW EXECUTE FUNCTION lose_mail()`,
			},
		},
		{
			Name:    "the claim of a change",
			Removed: "the claim does nothing for changes of customers, and the primary key of intents is gone",
			sql: []string{
				`ALTER TABLE intent_effects DROP CONSTRAINT intent_effects_intent`,
				`ALTER TABLE intents DROP CONSTRAINT intents_pkey`,
				`ALTER FUNCTION claim_intent RENAME TO claim_creation`,
				`CREATE FUNCTION claim_intent(in_tenant uuid, in_operation text, in_key text, in_wait text)
					RETURNS void LANGUAGE plpgsql AS $$
					BEGIN
						IF in_operation NOT IN ('customer.edit', 'customer.archive', 'customer.restore') THEN
							PERFORM claim_creation(in_tenant, in_operation, in_key, in_wait);
							RETURN;
						END IF;
						PERFORM set_config('onlyonce.tenant_id', in_tenant::text, true),
							set_config('lock_timeout', in_wait, true);
					END $$`,
			},
		},
		{
			Name:    "the lock of the record",
			Removed: "the row that is changed is looked at without being locked",
			sql: []string{
				`DROP POLICY tenant_isolation ON customers`,
				`CREATE POLICY reading ON customers FOR SELECT USING (tenant_id = current_tenant())`,
				`CREATE POLICY inserting ON customers FOR INSERT WITH CHECK (tenant_id = current_tenant())`,
				// What may not be updated is not locked by SELECT … FOR UPDATE either.
				`CREATE POLICY updating ON customers FOR UPDATE
					USING (tenant_id = current_tenant() AND current_query() NOT LIKE '%FOR UPDATE%')`,
			},
		},
		{
			Name:    "the version that was seen",
			Removed: "a change takes any version",
			sql: beginningChange(`
				IF in_version IS NULL THEN
					RAISE EXCEPTION 'no such record' USING ERRCODE = 'OO004';
				ELSIF in_made THEN
					RAISE EXCEPTION 'made already' USING ERRCODE = 'OO005';
				END IF;`),
		},
		{
			Name:    "the look at the state",
			Removed: "a transition is made again when it is made already",
			sql: beginningChange(`
				IF in_version IS NULL THEN
					RAISE EXCEPTION 'no such record' USING ERRCODE = 'OO004';
				ELSIF in_seen <> 0 AND in_seen <> in_version THEN
					RAISE EXCEPTION 'another version' USING ERRCODE = 'OO006', DETAIL = in_version;
				END IF;`),
		},
		{
			Name:    "a version for each state",
			Removed: "the trigger next_version of customers",
			sql:     []string{`DROP TRIGGER next_version ON customers`},
		},
		{
			Name:    "the look at what is open",
			Removed: "a payment is posted whatever is open, and an amount may be negative",
			sql:     posting(`ALTER DOMAIN minor_units DROP CONSTRAINT minor_units_check`, ``, `true`),
		},
		{
			Name:    "the ledger",
			Removed: "payments are not posted, and nothing compares the sums at COMMIT",
			// A refund of what was not posted makes the sum negative.
			sql: posting(`
				ALTER DOMAIN minor_units DROP CONSTRAINT minor_units_check;
				DROP TRIGGER balance_paid ON invoices;
				DROP TRIGGER balance_credited ON invoices;
				DROP TRIGGER balance_postings ON postings`, enough, `false`),
		},
		{
			Name:    "the look at what is left",
			Removed: "a refund is posted whatever is left of its payment, and an amount may be negative",
			sql: []string{
				`ALTER DOMAIN minor_units DROP CONSTRAINT minor_units_check`,
				`DO $$ BEGIN
					EXECUTE replace(pg_get_functiondef('post_refund'::regproc), 'NEW.amount > payment.left_amount', 'false');
				END $$`,
			},
		},
	}
}

// beginningChange replaces what begin_change asks of the record.
func beginningChange(questions string) []string {
	return []string{`
		CREATE OR REPLACE FUNCTION begin_change(in_version integer, in_seen integer, in_made boolean, in_record json)
			RETURNS void LANGUAGE plpgsql AS $$
			BEGIN ` + questions + `
				PERFORM set_config('onlyonce.before', in_record::text, true);
			END $$`}
}

// enough is the question of post_payment about what is open.
const enough = `
	IF NEW.amount > billed.open_amount THEN
		RAISE EXCEPTION 'more than is open'
			USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_within_open', DETAIL = billed.open_amount;
	END IF;`

// posting replaces post_payment by one that asks a question, and posts under a condition, once what would prevent
// that was taken away.
func posting(first, question, condition string) []string {
	return []string{first, `
		CREATE OR REPLACE FUNCTION post_payment() RETURNS trigger LANGUAGE plpgsql AS $$
		DECLARE
			billed record;
		BEGIN
			SELECT status, open_amount INTO billed FROM invoices WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id FOR UPDATE;
			IF billed.status <> 'issued' THEN
				RAISE EXCEPTION 'not issued' USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_of_issued';
			END IF;` + question + `
			IF ` + condition + ` THEN
				INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
				VALUES (NEW.tenant_id, NEW.invoice_id, NEW.id, 'payment', NEW.amount);
			END IF;
			UPDATE invoices SET paid = paid + NEW.amount WHERE tenant_id = NEW.tenant_id AND id = NEW.invoice_id;
			RETURN NEW;
		END $$`}
}
