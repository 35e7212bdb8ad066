package torture

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
						SELECT set_config('onlyonce.tenant_id', in_tenant::text, true), set_config('lock_timeout', in_wait, true)
					$$`,
			},
		},
		{
			Name:    "the key, for life",
			Removed: "an intent is deleted when the retention of its result ends",
			sql: []string{
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
	}
}
