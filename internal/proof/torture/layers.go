package torture

import (
	"context"
	"fmt"
	"io"
	"time"

	"onlyonce/internal/postgres/server"
	"onlyonce/internal/proof/layer"
)

// Layer is a layer of protection that can be removed. Without it, a run must find violations.
type Layer struct {
	Name    string
	Removed string // the part that is removed

	sql      []string      // run in the database before the clients start
	fresh    bool          // clients use a new key for every attempt
	replaced []replacement // in the server's source; the server then keeps copies of intents
	fault    string        // the only fault to inject; "" for all
}

// replacement replaces text in a source file of the server.
type replacement struct{ file, old, new string }

// Layers returns the layers that the self-test removes, one at a time.
func Layers() []Layer {
	return []Layer{
		{
			Name:    "the intent",
			Removed: "the claim does nothing, and the primary key of intents is gone",
			sql:     append(layer.Claim(), `ALTER TABLE intents DROP CONSTRAINT intents_pkey`, eventsTwice),
		},
		{
			Name:    "the key, for life",
			Removed: "an intent is deleted when the retention of its result ends",
			sql:     append(layer.KeyForLife(), eventsTwice),
		},
		{
			Name:    "the unique number",
			Removed: "the constraint invoices_number_once_per_year",
			sql:     layer.UniqueNumber(),
		},
		{
			Name:    "one intent, one key",
			Removed: "clients send a fresh key with every attempt",
			fresh:   true,
		},
		{
			Name:    "intent and work in one transaction",
			Removed: "now and then the work is committed without its intent, as by a crash between two transactions",
			sql:     layer.SameTransaction(`random() >= 0.95`),
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
			sql:     withoutClaim(`'customer.edit', 'customer.archive', 'customer.restore'`),
		},
		{
			Name:    "the lock of the record",
			Removed: "the row that is changed is looked at without being locked, and then it takes a moment to change it",
			sql: append(withoutLock(`customers`),
				`CREATE FUNCTION take_long() RETURNS trigger LANGUAGE plpgsql AS $$
					BEGIN
						PERFORM pg_sleep(0.03);
						RETURN NULL;
					END $$`,
				`CREATE TRIGGER take_long BEFORE UPDATE ON customers FOR EACH STATEMENT EXECUTE FUNCTION take_long()`,
			),
		},
		{
			Name:    "the version that was seen",
			Removed: "a change takes any version",
			sql:     layer.Version(),
		},
		{
			Name:    "the look at the state",
			Removed: "a transition is made again when it is made already",
			sql: layer.BeginChange(`
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
			Name:    "the end of sessions",
			Removed: "the trigger end_sessions of users",
			sql:     []string{`DROP TRIGGER end_sessions ON users`},
		},
		{
			Name:    "the look at what is open",
			Removed: "a payment is posted whatever is open, and an amount may be negative",
			sql:     layer.OpenAmount(),
		},
		{
			Name:    "the ledger",
			Removed: "payments are not posted, and nothing compares the sums at COMMIT",
			// Refunding an unposted payment makes the sum negative.
			sql: layer.Posting(`
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
		{
			Name:    "the unique event",
			Removed: "the claim does nothing for events of webhooks, and the index webhook_events_once is gone",
			sql:     append(withoutClaim(`'webhook.receive'`), eventsTwice),
		},
		{
			Name:    "the unique period",
			Removed: "schedules are billed without being locked, and the constraint schedule_periods_once is gone",
			sql:     append(withoutLock(`schedules`), `ALTER TABLE schedule_periods DROP CONSTRAINT schedule_periods_once`),
		},
		{
			Name:    "the reference to a live customer",
			Removed: "nothing checks the foreign keys of invoices and schedules to customers that were not merged",
			sql: []string{
				// Keep the constraints, because a merge uses them to find the records to move.
				`DO $$
				DECLARE
					each record;
				BEGIN
					FOR each IN
						SELECT tgrelid::regclass AS of, tgname FROM pg_trigger JOIN pg_constraint c ON c.oid = tgconstraint
						WHERE conname IN ('invoices_customer', 'schedules_customer')
					LOOP
						EXECUTE format('ALTER TABLE %s DISABLE TRIGGER %I', each.of, each.tgname);
					END LOOP;
				END $$`,
			},
		},
		{
			Name:    "the refusal of erased customers",
			Removed: "the function live_customer returns erased customers too",
			sql: []string{`DO $$ BEGIN
				EXECUTE replace(pg_get_functiondef('live_customer'::regproc), 'found.erased_at IS NOT NULL', 'false');
			END $$`},
		},
		{
			Name:    "the unique external id",
			Removed: "the function begin_external does nothing, and the indexes of external ids are gone",
			sql: []string{
				`CREATE OR REPLACE FUNCTION begin_external(in_same boolean, in_constraint text) RETURNS void LANGUAGE sql AS $$ SELECT $$`,
				`DROP INDEX customers_external_once, invoices_external_once, payments_external_once`,
			},
		},
		{
			Name:    "the open sign-up",
			Removed: "the index sign_ups_open_once",
			sql:     []string{`DROP INDEX sign_ups_open_once`},
		},
		{
			Name:    "the look for what is alike",
			Removed: "the function tell_repeat tells and asks nothing",
			sql: []string{
				`CREATE OR REPLACE FUNCTION tell_repeat(in_record uuid, in_json json, in_ask boolean) RETURNS json
				LANGUAGE sql AS $$ SELECT in_json $$`,
			},
		},
		{
			Name:    "the seal of shared copies",
			Removed: "copies of intents are in Redis as they are, and any is believed that is found under a name",
			replaced: []replacement{
				{"internal/idempotency/shared/shared.go", `m.seal(name).Open(nil, nil, sealed, nil)`, `sealed, error(nil)`},
				{"internal/idempotency/shared/shared.go", `m.seal(name).Seal(nil, nil, value, nil)`, `value`},
			},
			fault: poisoned,
		},
	}
}

// withoutClaim makes the claim of some operations set only the tenant, and allows duplicate intents.
func withoutClaim(operations string) []string {
	return []string{
		`ALTER TABLE intent_effects DROP CONSTRAINT intent_effects_intent`,
		`ALTER TABLE intents DROP CONSTRAINT intents_pkey`,
		`ALTER FUNCTION claim_intent RENAME TO claim_other`,
		`CREATE FUNCTION claim_intent(in_tenant uuid, in_operation text, in_key text, in_wait text)
			RETURNS void LANGUAGE plpgsql AS $$
			BEGIN
				IF in_operation NOT IN (` + operations + `) THEN
					PERFORM claim_other(in_tenant, in_operation, in_key, in_wait);
					RETURN;
				END IF;
				PERFORM set_config('onlyonce.tenant_id', in_tenant::text, true), set_config('lock_timeout', in_wait, true);
			END $$`,
		`ALTER FUNCTION claim_intent OWNER TO ` + server.Role, // otherwise a killed replica doesn't start again
	}
}

// withoutLock stops SELECT … FOR UPDATE from locking rows of a table: it locks only rows that may be updated.
func withoutLock(table string) []string {
	return []string{
		`DROP POLICY tenant_isolation ON ` + table,
		`CREATE POLICY reading ON ` + table + ` FOR SELECT USING (tenant_id = current_tenant())`,
		`CREATE POLICY inserting ON ` + table + ` FOR INSERT WITH CHECK (tenant_id = current_tenant())`,
		`CREATE POLICY updating ON ` + table + ` FOR UPDATE
			USING (tenant_id = current_tenant() AND current_query() NOT LIKE '%FOR UPDATE%')`,
	}
}

// eventsTwice allows an event to be stored twice. Otherwise each repeat would be answered 503, and keep its senders busy.
const eventsTwice = `DROP INDEX webhook_events_once`

// enough is the check of the open amount in post_payment.
const enough = `
	IF NEW.amount > billed.open_amount THEN
		RAISE EXCEPTION 'more than is open'
			USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_within_open', DETAIL = billed.open_amount;
	END IF;`

// SelfTest removes one layer at a time and writes the broken rules. It returns an error if a run found no violation, since then the
// checks are blind. An undecided check is no violation.
func SelfTest(ctx context.Context, seed uint64, out io.Writer) error {
	for _, layer := range Layers() {
		report, err := Run(ctx, brief(seed, layer))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "\nwithout %s\n  removed  %s\n  run      %d intents, %d faults\n  broken   %s\n",
			layer.Name, layer.Removed, report.Intents, report.FaultCount(), report.Broken())
		if err != nil {
			return fmt.Errorf("print the self-test: %w", err)
		}
		if len(report.Violations) == 0 {
			return fmt.Errorf("seed %d: nothing broke without %s", seed, layer.Name)
		}
	}
	return nil
}

// brief returns the configuration of a run of a few seconds.
func brief(seed uint64, without Layer) Config {
	every := 300 * time.Millisecond
	if without.fault != "" {
		every = 30 * time.Millisecond // the fault must happen between an answer and its repeat
	}
	return Config{Seed: seed, Duration: 5 * time.Second, Intents: 300, Clients: 16, FaultEvery: every, Without: without}
}
