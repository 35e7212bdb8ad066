package torture

import (
	"context"
	_ "embed" // for the rules
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// rule is a promise about the database. Its query returns the violations, one line of text each.
type rule struct{ name, sql string }

// rulesText has the rules for the database at rest.
//
//go:embed rules.sql
var rulesText string

// rulesIn returns the rules of a file of SQL.
func rulesIn(text string) (all []rule) {
	for _, text := range strings.Split(text, "\n-- rule: ")[1:] {
		name, sql, _ := strings.Cut(text, "\n")
		all = append(all, rule{name, sql})
	}
	return all
}

// whileServing returns the rules that become true while the replicas run idle.
func whileServing() []rule {
	return []rule{
		{"no transaction stays open", `
			SELECT format('backend %s is %s since %s: %s', pid, state, state_change, query)
			FROM pg_stat_activity WHERE usename = 'onlyonce' AND state LIKE 'idle in transaction%'`},
		{"results expire", `
			SELECT format('%s results, the oldest should have gone at %s', count(*), min(expires_at))
			FROM intents WHERE expires_at < now() - interval '5 seconds' AND result IS NOT NULL HAVING count(*) > 0`},
		importsEnd,
	}
}

// broken returns up to five examples for each rule that is broken now. args are the named arguments of the rules.
func broken(ctx context.Context, conn *pgx.Conn, rules []rule, args pgx.NamedArgs) (found []Violation, err error) {
	for _, r := range rules {
		var example string
		err := each(ctx, conn, "what breaks the rule "+r.name, []any{&example}, func() {
			found = append(found, Violation{Rule: r.name, Detail: example, Intent: -1})
		}, r.sql+` LIMIT 5`, args)
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// each calls do for each row of a query, after it has scanned the row.
func each(ctx context.Context, conn *pgx.Conn, what string, scan []any, do func(), sql string, args ...any) error {
	rows, _ := conn.Query(ctx, sql, args...) // the rows have its error
	if _, err := pgx.ForEachRow(rows, scan, func() error { do(); return nil }); err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	return nil
}

// stillBroken waits until the rules hold. Rules that are broken at the end are violations.
func stillBroken(ctx context.Context, conn *pgx.Conn, rules []rule) ([]Violation, error) {
	deadline, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	for {
		found, err := broken(ctx, conn, rules, nil)
		if err != nil || len(found) == 0 || deadline.Err() != nil {
			return found, err
		}
		Pause(deadline, 50*time.Millisecond)
	}
}
