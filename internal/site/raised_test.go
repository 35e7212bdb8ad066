package site_test

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitecases"
	"onlyonce/internal/site/sitetest"
)

// TestEveryRaisedConstraintIsExplained covers the constraints that a function raises by name: RAISE … USING CONSTRAINT = 'name'. An
// operation may break them if its executed SQL, which is in testdata, calls the function, or writes to a table whose trigger does. A
// trigger may raise for an UPDATE if it reads a new value that the UPDATE sets. If the SQL isn't in testdata, the operation may write each
// column of its table. A name that the function computes is not found.
func TestEveryRaisedConstraintIsExplained(t *testing.T) {
	b := setup(t)
	executed := executedSQL(t)
	unbroken := sitecases.Unbroken()
	raising := sitetest.All[raisingFunction](b, raisingFunctions)
	must.Thatf(t, len(raising) >= 5, "%d functions raise constraints", len(raising))
	for _, op := range b.Operations() {
		sql := executed[op.Name]
		switch {
		case sql != "":
		case op.Kind.Changes():
			sql = "UPDATE " + op.Table + " SET *"
		default:
			sql = "INSERT INTO " + op.Table
		}
		missing := map[string]string{}
		for _, f := range raising {
			if regexp.MustCompile(f.Pattern).MatchString(sql) {
				for _, constraint := range f.Constraints {
					missing[constraint] = f.Name
				}
			}
		}
		maps.DeleteFunc(missing, func(constraint, _ string) bool { return slices.Contains(op.Explained, constraint) })
		for _, constraint := range unbroken[op.Name] {
			_, ok := missing[constraint]
			assert.Thatf(t, ok, "%s explains %s, or nothing in its SQL raises it: remove it from Unbroken", op.Name, constraint)
			delete(missing, constraint)
		}
		for constraint, function := range missing {
			t.Errorf("%s may break %s, which %s raises: explain it in Explain of the operation or, if no command can break it, "+
				"add it to Unbroken of the room's cases", op.Name, constraint, function)
		}
	}
}

// executedSQL returns the executed SQL by the operation's name, with which its section in a file begins. A semicolon ends the
// columns that an UPDATE sets.
func executedSQL(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../*/testdata/*.sql")
	must.OK(t, err)
	deeper, err := filepath.Glob("../*/*/testdata/*.sql")
	must.OK(t, err)
	all := map[string]string{}
	where := regexp.MustCompile(`(?s)(UPDATE \w+ SET .*?)\bWHERE\b`)
	for _, file := range append(files, deeper...) {
		for _, section := range regexp.MustCompile(`(?m)^-- `).Split(where.ReplaceAllString(must.Read(t, file), "$1; WHERE"), -1) {
			all[regexp.MustCompile(`^[a-z_.]*`).FindString(section)] += section
		}
	}
	return all
}

type raisingFunction struct {
	Name, Pattern string // matches SQL that runs the function
	Constraints   []string
}

const raisingFunctions = `
	WITH RECURSIVE functions AS (SELECT oid, proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace),
	raising (function, "constraint") AS (
		SELECT oid, name[1] FROM functions, regexp_matches(prosrc, '\mCONSTRAINT = [^;]*', 'g') AS raised,
			regexp_matches(raised[1], '(?:CONSTRAINT =|THEN|ELSE)\s+''([a-z_]+)''', 'g') AS name
		UNION
		SELECT caller.oid, "constraint" FROM raising JOIN functions AS called ON called.oid = function
		JOIN functions AS caller ON strpos(caller.prosrc, called.proname || '(') > 0
	), run (function, pattern) AS (
		SELECT oid, '\b' || proname || '\(' FROM functions
		UNION ALL
		SELECT tgfoid, event || tgrelid::regclass || '\b' || rest
		FROM pg_trigger t JOIN functions f ON f.oid = tgfoid AND f.oid IN (SELECT function FROM raising), LATERAL (
			SELECT '[^;]*(\*|\b(' || string_agg(attname, '|') || ')\b)' AS columns
			FROM pg_attribute, LATERAL (SELECT prosrc || pg_get_triggerdef(t.oid)) AS read (source)
			WHERE attrelid = tgrelid AND attname NOT IN ('tenant_id', 'id') AND (tgattr = '' OR attnum = ANY (tgattr))
				AND (source ~* ('\mnew\.' || attname || '\M|\(new\)') OR source !~* '\mnew\.')
		) AS changed, LATERAL (
			VALUES (4, 'INSERT INTO ', ''), (8, 'DELETE FROM ', ''), (16, 'UPDATE ', columns)) AS events (bit, event, rest)
		WHERE tgtype & bit <> 0
	)
	SELECT proname::text, pattern, array_agg("constraint") FROM run JOIN raising USING (function) JOIN functions ON oid = function
	WHERE pattern IS NOT NULL GROUP BY 1, 2`
