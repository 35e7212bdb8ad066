package site_test

import (
	"errors"
	"maps"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/assert"
	"onlyonce/internal/site/sitecases"
	"onlyonce/internal/site/sitetest"
)

// TestTextsOfCustomersAreDecided: each column with texts, files or documents of a table that refers to customers has a declaration of what
// becomes of it when the customer is erased.
func TestTextsOfCustomersAreDecided(t *testing.T) {
	b := setup(t)
	declared := map[string]string{}
	for _, of := range sitecases.Resources() {
		maps.Copy(declared, of.OfCustomer)
	}
	for _, column := range sitetest.Get[[]string](b, `
		SELECT COALESCE(array_agg(DISTINCT relname || '.' || attname), '{}')
		FROM pg_constraint f JOIN pg_class c ON c.oid = conrelid JOIN pg_attribute ON attrelid = c.oid
		WHERE contype = 'f' AND confrelid = 'customers'::regclass AND conrelid <> confrelid AND attnum > 0 AND NOT attisdropped
			AND attgenerated = '' AND atttypid = ANY ('{text,json,jsonb,bytea,text[]}'::regtype[])
			AND relname NOT LIKE 'customer\_merge%'`) {
		assert.Thatf(t, declared[column] != "",
			"%s may have personal data of a customer: erase it in a trigger on customers, or say why it is kept, "+
				"and declare that in OfCustomer of its resource: see docs/gdpr.md", column)
	}
	for column := range declared {
		assert.Thatf(t, sitetest.Get[bool](b, `
			SELECT EXISTS (
				SELECT FROM pg_attribute WHERE attrelid = to_regclass(split_part($1, '.', 1)) AND attname = split_part($1, '.', 2))`,
			column), "there is no column %s", column)
	}
}

// TestHistoryIsOnlyErased: a value in the history of a record can be erased, and not replaced, added or removed.
func TestHistoryIsOnlyErased(t *testing.T) {
	b := setup(t)
	b.Exec(`
		INSERT INTO intents (tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, changes, expires_at)
		VALUES ($1, 'customer.edit', 'edit', sha256(''), gen_random_uuid(), 'Ada', gen_random_uuid(), 'changed',
			'{"name": ["Ada", "Ada King"], "version": [1, 2]}', now())`, b.Acme.ID)
	update := func(changes string) error {
		_, err := b.Admin.Exec(t.Context(), `UPDATE intents SET changes = `+changes+` WHERE key = 'edit'`)
		return err
	}
	for _, changes := range []string{
		`NULL`, `changes - 'name'`, `changes || '{"name": ["Ada", "Eve"]}'`, `changes || '{"email": [null, null]}'`,
		`changes || '{"version": [null, null]}'`,
	} {
		refused, ok := errors.AsType[*pgconn.PgError](update(changes))
		assert.Thatf(t, ok && refused.ConstraintName == "intents_changes_kept", "%s: %v", changes, refused)
	}
	if err := update(`changes || '{"name": [null, null]}'`); err != nil {
		t.Error(err)
	}
}
