// Package layer removes layers of protection from a disposable database, to prove or to demonstrate that they are needed.
package layer

import "onlyonce/internal/postgres/server"

// Claim makes the claim set only the tenant: it neither waits for other attempts with the key nor looks for the intent.
func Claim() []string {
	return []string{withoutEffects, `
		CREATE OR REPLACE FUNCTION claim_intent(in_tenant uuid, in_operation text, in_key text, in_wait text)
		RETURNS void LANGUAGE sql AS $$
			SELECT set_config('onlyonce.tenant_id', in_tenant::text, true), set_config('lock_timeout', in_wait, true)
		$$`}
}

// withoutEffects drops the constraint between intents and their effects.
const withoutEffects = `ALTER TABLE intent_effects DROP CONSTRAINT IF EXISTS intent_effects_intent`

// KeyForLife deletes an intent when the retention of its result ends.
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

// SameTransaction commits the work without its intent while a condition, in SQL, is true, as in a crash between two transactions.
func SameTransaction(condition string) []string {
	return []string{withoutEffects, `
		CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN
			RETURN CASE WHEN NOT (` + condition + `) THEN NEW END;
		END $$`,
		`CREATE TRIGGER lose BEFORE INSERT ON intents FOR EACH ROW EXECUTE FUNCTION lose()`,
	}
}

// UniqueNumber allows invoices with the same number.
func UniqueNumber() []string {
	return []string{`ALTER TABLE invoices DROP CONSTRAINT invoices_number_once_per_year`}
}

// Version accepts a change from any version.
func Version() []string {
	return BeginChange(`
		IF in_version IS NULL THEN
			RAISE EXCEPTION 'no such record' USING ERRCODE = 'OO004';
		ELSIF in_made THEN
			RAISE EXCEPTION 'made already' USING ERRCODE = 'OO005';
		END IF;`)
}

// BeginChange replaces the checks of begin_change.
func BeginChange(questions string) []string {
	return []string{`
		CREATE OR REPLACE FUNCTION begin_change(in_version integer, in_seen integer, in_made boolean, in_record json)
		RETURNS void LANGUAGE plpgsql AS $$
		BEGIN ` + questions + `
			PERFORM set_config('onlyonce.before', in_record::text, true);
		END $$`}
}

// OpenAmount posts a payment regardless of the open amount, and allows negative amounts.
func OpenAmount() []string {
	return Posting(`ALTER DOMAIN minor_units DROP CONSTRAINT minor_units_check`, ``, `true`)
}

// Posting replaces post_payment by a function that runs a check, and posts under a condition. first is SQL that removes the
// constraints in its way.
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
