package site_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/web"

	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/site/sitetest"
)

// TestTenantComesFirst: the tenant is the first column of every key and reference of the tenant tables, so no constraint and no
// index can mix tenants.
func TestTenantComesFirst(t *testing.T) {
	b := setup(t)
	type key struct{ Table, Name, First string }
	keys := sitetest.All[key](b, `
		SELECT c.relname::text, k.name::text, a.attname::text
		FROM (
			SELECT conrelid AS relation, conname AS name, conkey[1] AS first FROM pg_constraint WHERE contype IN ('p', 'u', 'f', 'x')
			UNION
			SELECT indrelid, indexrelid::regclass::text, indkey[0] FROM pg_index
		) AS k
		JOIN pg_class c ON c.oid = k.relation
		LEFT JOIN pg_attribute a ON a.attrelid = k.relation AND a.attnum = k.first
		WHERE c.relnamespace = 'public'::regnamespace AND c.relname <> ALL ($1)`, sitetest.Directory)
	must.Thatf(t, len(keys) >= 10, "found %d keys", len(keys))
	for _, k := range keys {
		assert.Thatf(t, k.First == "tenant_id", "%s of %s starts with %s", k.Name, k.Table, k.First)
	}
}

// TestTenantTablesAreGuarded: every table is either in the directory, or has forced row-level security with one permissive
// policy. Other policies are restrictive. Users, tokens, sessions and admins of the directory have a policy too, for transactions
// that have entered a tenant.
func TestTenantTablesAreGuarded(t *testing.T) {
	b := setup(t)
	open := sitetest.Get[[]string](b, `
		SELECT COALESCE(array_agg(relname::text), '{}') FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname <> ALL ($1)
			AND NOT (relrowsecurity AND relforcerowsecurity AND EXISTS (
				SELECT FROM pg_policies p WHERE p.tablename = relname AND p.cmd = 'ALL' AND p.permissive = 'PERMISSIVE'
					AND p.qual = '(tenant_id = current_tenant())' AND COALESCE(p.with_check, p.qual) = p.qual))`, sitetest.Directory)
	assert.Thatf(t, len(open) == 0, "without forced row-level security: %v", open)
	const own = `(tenant_id = current_tenant())`
	if n := sitetest.Get[int](b, `
		SELECT count(*) FROM pg_policies p JOIN pg_class ON relname = p.tablename
		WHERE tablename IN ('users', 'api_tokens', 'api_token_uses', 'sessions', 'installation_admins') AND relforcerowsecurity
			AND qual = '((current_tenant() IS NULL) OR `+own+`)'`); n != 5 {
		t.Errorf("%d of users, api_tokens, their uses, sessions and installation_admins are guarded within a tenant", n)
	}
	if n := sitetest.Get[int](b, `SELECT count(*) FROM pg_policies WHERE permissive = 'PERMISSIVE'`); n != len(b.TenantTables())+5 {
		t.Errorf("%d policies for %d tables", n, len(b.TenantTables()))
	}
}

// TestTheAuditStays: the app's role inserts intents, effects and events, and can neither change nor delete them. It can only erase
// results, and values in the history: TestHistoryIsOnlyErased.
func TestTheAuditStays(t *testing.T) {
	b := setup(t)
	role := sitetest.Get[string](b, `SELECT tableowner::text FROM pg_tables WHERE tablename = 'intents'`)
	changeable := sitetest.Get[[]string](b, `
		SELECT COALESCE(array_agg(attrelid::regclass || '.' || attname), '{}') FROM pg_attribute
		WHERE attrelid = ANY ('{intents,intent_effects,events}'::regclass[]) AND attnum > 0 AND NOT attisdropped
			AND has_column_privilege($1, attrelid, attnum, 'UPDATE')`, role)
	assert.Thatf(t, slices.Equal(changeable, []string{"intents.changes", "intents.result"}), "%s can change %v", role, changeable)
	for _, sql := range []string{
		`DELETE FROM intents`, `TRUNCATE intents, intent_effects, events`, `DELETE FROM intent_effects`, `DELETE FROM events`,
		`UPDATE intents SET actor = 'another'`,
	} {
		_, err := b.Pool.Exec(t.Context(), sql)
		refused, ok := errors.AsType[*pgconn.PgError](err)
		assert.Thatf(t, ok && refused.Code == "42501", "%s: %v", sql, err)
	}
}

// TestEveryUniquenessRuleIsEnforced also checks that every unique constraint has a rule with a message.
func TestEveryUniquenessRuleIsEnforced(t *testing.T) {
	b := setup(t)
	type constraint struct {
		Name     string
		Optional bool // NULL in a column admits duplicates, or the index is partial
	}
	enforced := map[string]bool{}
	for _, c := range sitetest.All[constraint](b, `
		SELECT i.relname::text, indpred IS NOT NULL OR NOT indnullsnotdistinct AND EXISTS (
			SELECT FROM pg_attribute a WHERE a.attrelid = indrelid AND a.attnum = ANY (indkey::int2[]) AND NOT attnotnull)
		FROM pg_index x JOIN pg_class i ON i.oid = indexrelid JOIN pg_class c ON c.oid = indrelid
		WHERE c.relnamespace = 'public'::regnamespace AND indisunique AND indisvalid AND NOT indisprimary
			AND c.relname <> ALL ($1) AND i.relname NOT LIKE '%\_hash\_once'`, // hashes of secrets, which users don't choose
		slices.DeleteFunc(slices.Clone(sitetest.Directory), func(table string) bool { return isOfOperations(b, table) })) {
		enforced[c.Name] = c.Optional
	}
	written := map[string]bool{}
	for _, rule := range b.Rules() {
		_, known := written[rule.Constraint]
		assert.Thatf(t, rule.Sentence != "" && rule.Answer != "" && !known, "a rule without words, or a second one: %+v", rule)
		written[rule.Constraint] = rule.Optional
	}
	for name, optional := range enforced {
		switch said, known := written[name]; {
		case !known:
			t.Errorf("the unique constraint %s has no rule in words: add it to the Rules of its resource", name)
		case optional && !said:
			t.Errorf("%s lets the same thing in twice where a column is NULL or the index is partial: make the column NOT NULL, "+
				"or say Optional in its rule", name)
		case said && !optional:
			t.Errorf("the rule of %s says Optional, and every row is compared", name)
		}
	}
	for name := range written {
		_, ok := enforced[name]
		assert.Thatf(t, ok, "the rule of %s has no unique constraint", name)
	}
}

func isOfOperations(b *sitetest.Bundle, table string) bool {
	return slices.ContainsFunc(b.Operations(), func(op web.Operation) bool { return op.Table == table })
}

// TestEveryTableOfAnOperationHasWhatItNeeds checks the columns in the SQL of operations and records, and the triggers that
// their promises depend on.
func TestEveryTableOfAnOperationHasWhatItNeeds(t *testing.T) {
	b := setup(t)
	for _, op := range b.Operations() {
		for column, want := range map[string]string{
			"tenant_id": "uuid NOT NULL", "id": "uuid NOT NULL", "version": "record_version NOT NULL",
			"created_at": "timestamp with time zone NOT NULL",
		} {
			got := sitetest.Get[string](b, `
				SELECT COALESCE((
					SELECT format_type(atttypid, atttypmod) || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END FROM pg_attribute
					WHERE attrelid = $1::regclass AND attname = $2 AND NOT attisdropped), 'missing')`, op.Table, column)
			assert.Thatf(t, got == want, "%s of %s is %s, and %s needs %s", column, op.Table, got, op.Name, want)
		}
		key := sitetest.Get[string](b, `
			SELECT COALESCE((
				SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = $1::regclass AND contype = 'p'), '')`, op.Table)
		assert.Thatf(t, key == "PRIMARY KEY (tenant_id, id)", "%s has %q, and %s needs PRIMARY KEY (tenant_id, id)", op.Table, key, op.Name)
		if !sitetest.Get[bool](b, `SELECT relrowsecurity AND relforcerowsecurity FROM pg_class WHERE oid = $1::regclass`, op.Table) {
			t.Errorf("%s of %s has no forced row-level security", op.Table, op.Name)
		}
		// 2 is BEFORE, 8 is DELETE. The rules of such a trigger are tested elsewhere.
		deletable := sitetest.Get[bool](b, `
			SELECT has_table_privilege(pg_get_userbyid(relowner), oid, 'TRUNCATE') AND NOT EXISTS (
					SELECT FROM pg_trigger WHERE tgrelid = c.oid AND tgtype & 34 = 34)
				OR has_table_privilege(pg_get_userbyid(relowner), oid, 'DELETE') AND NOT EXISTS (
					SELECT FROM pg_trigger WHERE tgrelid = c.oid AND tgtype & 11 = 11)
			FROM pg_class c WHERE oid = $1::regclass`, op.Table)
		if deletable && !op.Deletes {
			t.Errorf("records of %s can be deleted: REVOKE DELETE, TRUNCATE ON %[1]s FROM CURRENT_USER, or set Deletes in the Spec of %s",
				op.Table, op.Name)
		}
	}
}

// TestLikenessLastsAsSaid: the trigger that notes likenesses of a table keeps them for as long as the operation declares, and
// the trigger that removes them has the same arguments.
func TestLikenessLastsAsSaid(t *testing.T) {
	b := setup(t)
	compared := 0
	for _, op := range b.Operations() {
		if op.Alike == "" {
			continue
		}
		// Without a trigger, the INSERT statement of the record uses the same constant.
		noted := sitetest.Get[[]int](b, `
			SELECT ARRAY(
				SELECT DISTINCT ON (tgargs) (extract(epoch FROM split_part(encode(tgargs, 'escape'), '\000', 1)::interval) / 60)::integer
				FROM pg_trigger
				WHERE tgrelid = $1::regclass AND tgfoid IN ('note_likeness'::regproc, 'forget_likeness'::regproc))`, op.Table)
		compared += len(noted)
		if len(noted) > 1 || len(noted) == 1 && !strings.Contains(op.Alike, fmt.Sprintf("in the %d minutes before", noted[0])) {
			t.Errorf("%s: %s, and its table notes that for %v minutes", op.Name, op.Alike, noted)
		}
	}
	assert.Thatf(t, compared != 0, "nothing was compared")
}

// TestEveryVersionCounts: every UPDATE of a table with a version increments it, also a manual one. Otherwise a change from an
// old version would go unnoticed.
func TestEveryVersionCounts(t *testing.T) {
	b := setup(t)
	versioned := sitetest.Get[[]string](b, `
		SELECT array_agg(c.relname::text) FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
		WHERE c.relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT attisdropped
			AND (atttypid = 'record_version'::regtype OR attname = 'version')`)
	for _, op := range b.Operations() {
		assert.Thatf(t, slices.Contains(versioned, op.Table), "%s of %s has no version", op.Table, op.Name)
	}
	for _, table := range versioned {
		// 1 is FOR EACH ROW, 2 is BEFORE, 16 is UPDATE; there is no other bit, WHEN or list of columns, and the trigger isn't
		// disabled.
		assert.Thatf(t, sitetest.Get[bool](b, `
			SELECT EXISTS (
				SELECT FROM pg_trigger WHERE tgrelid = $1::regclass AND tgfoid = 'next_version'::regproc
					AND tgtype = 19 AND tgqual IS NULL AND tgattr = '' AND tgenabled IN ('O', 'A'))`, table),
			"%s has a version and no trigger next_version BEFORE UPDATE ... FOR EACH ROW", table)
	}
}

// TestEveryConflictIsDocumented: every conflict of a constraint or a rule has a page at /problems.
func TestEveryConflictIsDocumented(t *testing.T) {
	b := setup(t)
	stranger := b.Stranger(b.Replica)
	for _, rule := range b.Rules() {
		if rule.Conflict == nil {
			continue
		}
		a := stranger.Get("/problems/" + rule.Conflict.Slug)
		assert.Thatf(t, a.Status == http.StatusOK, "the conflict %q of the rule %s: %v", rule.Conflict.Slug, rule.Constraint, a)
	}
	files, err := filepath.Glob("../*/*.go")
	must.Thatf(t, err == nil && len(files) >= 50, "%d files: %v", len(files), err)
	slugs := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		must.OK(t, err)
		for _, slug := range conflictSlugs(parsed) {
			slugs++
			a := stranger.Get("/problems/" + slug)
			assert.Thatf(t, a.Status == http.StatusOK,
				"%s has a conflict %q that no problem explains: name it in a Rule, or in the conflicts of its resource", file, slug)
		}
	}
	assert.Thatf(t, slugs >= 3, "found only %d conflicts", slugs)
}

// conflictSlugs returns the slugs of the values conflict.Kind{…} in a file.
func conflictSlugs(file *ast.File) (slugs []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		made, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		if kind, ok := made.Type.(*ast.SelectorExpr); !ok || kind.Sel.Name != "Kind" || fmt.Sprint(kind.X) != "conflict" {
			return true
		}
		for _, element := range made.Elts {
			if pair, ok := element.(*ast.KeyValueExpr); ok && fmt.Sprint(pair.Key) == "Slug" {
				if value, ok := pair.Value.(*ast.BasicLit); ok {
					slugs = append(slugs, strings.Trim(value.Value, `"`))
				}
			}
		}
		return true
	})
	return slugs
}
