package torture

import "onlyonce/internal/proof/layer"

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
			sql:     append(layer.Claim(), `ALTER TABLE intents DROP CONSTRAINT intents_pkey`),
		},
		{
			Name:    "the key, for life",
			Removed: "an intent is deleted when the retention of its result ends",
			sql:     layer.KeyForLife(),
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
			// A refund of what was not posted makes the sum negative.
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
	}
}

// enough is the question of post_payment about what is open.
const enough = `
	IF NEW.amount > billed.open_amount THEN
		RAISE EXCEPTION 'more than is open'
			USING ERRCODE = 'check_violation', CONSTRAINT = 'payments_within_open', DETAIL = billed.open_amount;
	END IF;`
