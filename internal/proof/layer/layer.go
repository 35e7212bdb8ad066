// Package layer takes layers of protection away from a database that nobody needs any more afterwards: to prove that they are
// needed, and to show it.
package layer

import "onlyonce/internal/postgres/server"

// Claim has the claim enter the tenant only: it neither waits for other attempts with the key nor looks for the intent.
func Claim() []string {
	return []string{withoutEffects, `
		CREATE OR REPLACE FUNCTION claim_intent(in_tenant uuid, in_operation text, in_key text, in_wait text)
		RETURNS void LANGUAGE sql AS $$
			SELECT set_config('onlyonce.tenant_id', in_tenant::text, true), set_config('lock_timeout', in_wait, true)
		$$`}
}

// withoutEffects lets intents be as they should not be.
const withoutEffects = `ALTER TABLE intent_effects DROP CONSTRAINT IF EXISTS intent_effects_intent`

// KeyForLife has an intent deleted when the retention of its result ends.
func KeyForLife() []string {
	return []string{
		`GRANT DELETE ON intents TO ` + server.Role,
		withoutEffects, `
		CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN
			DELETE FROM intents
			WHERE tenant_id = NEW.tenant_id AND operation = NEW.operation AND key = NEW.key;
			RETURN NULL;
		END $$`,
		`CREATE TRIGGER forget AFTER UPDATE ON intents FOR EACH ROW WHEN (NEW.result IS NULL) EXECUTE FUNCTION forget()`,
	}
}

// SameTransaction has the work committed without its intent while a condition, in SQL, is true: as by a crash between two
// transactions.
func SameTransaction(condition string) []string {
	return []string{withoutEffects, `
		CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN
			RETURN CASE WHEN NOT (` + condition + `) THEN NEW END;
		END $$`,
		`CREATE TRIGGER lose BEFORE INSERT ON intents FOR EACH ROW EXECUTE FUNCTION lose()`,
	}
}

// UniqueNumber lets invoices have the same number.
func UniqueNumber() []string {
	return []string{`ALTER TABLE invoices DROP CONSTRAINT invoices_number_once_per_year`}
}

// Version has a change take any version.
func Version() []string {
	return BeginChange(`
		IF in_version IS NULL THEN
			RAISE EXCEPTION 'no such record' USING ERRCODE = 'OO004';
		ELSIF in_made THEN
			RAISE EXCEPTION 'made already' USING ERRCODE = 'OO005';
		END IF;`)
}

// BeginChange replaces what begin_change asks of the record.
func BeginChange(questions string) []string {
	return []string{`
		CREATE OR REPLACE FUNCTION begin_change(in_version integer, in_seen integer, in_made boolean, in_record json)
		RETURNS void LANGUAGE plpgsql AS $$
		BEGIN ` + questions + `
			PERFORM set_config('onlyonce.before', in_record::text, true);
		END $$`}
}

// OpenAmount has a payment posted whatever is open, and lets amounts be negative.
func OpenAmount() []string {
	return Posting(`ALTER DOMAIN minor_units DROP CONSTRAINT minor_units_check`, ``, `true`)
}

// Posting replaces post_payment by one that asks a question, and posts under a condition, once what would prevent
// that was taken away.
func Posting(first, question, condition string) []string {
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
