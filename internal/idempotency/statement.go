package idempotency

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"
)

// statement is an SQL text with its named arguments turned into positions, once per text.
type statement struct {
	name   string // of the prepared statement, the same on every connection
	sql    string
	params []string
}

// statements remembers the compiled form of each SQL text. Their number is bounded, because SQL is
// never built from input.
type statements struct{ byText sync.Map }

func (s *statements) compile(ctx context.Context, sql string) (*statement, error) {
	if known, ok := s.byText.Load(sql); ok {
		return known.(*statement), nil //nolint:forcetypeassert // nothing else is stored
	}
	// pgx tells the position of an argument only by placing its value, so each value is its name.
	named := pgx.NamedArgs{}
	for _, match := range argument.FindAllStringSubmatch(sql, -1) {
		named[match[1]] = match[1]
	}
	positional, order, err := named.RewriteQuery(ctx, nil, sql, nil)
	if err != nil {
		return nil, fmt.Errorf("compile statement: %w", err)
	}
	compiled := &statement{sql: positional, params: make([]string, len(order))}
	for i, name := range order {
		compiled.params[i], _ = name.(string)
	}
	sum := sha256.Sum256([]byte(positional))
	compiled.name = "intent_" + hex.EncodeToString(sum[:8])
	s.byText.Store(sql, compiled)
	return compiled, nil
}

var argument = regexp.MustCompile(`@([a-zA-Z_][a-zA-Z0-9_]*)`)

// bound is a statement with the values of one call.
type bound struct {
	*statement

	values []any
}

func (s *statements) bind(ctx context.Context, q query, common pgx.NamedArgs) (bound, error) {
	compiled, err := s.compile(ctx, q.sql)
	if err != nil {
		return bound{}, err
	}
	values := make([]any, len(compiled.params))
	for i, name := range compiled.params {
		value, ok := q.args[name]
		if !ok {
			if value, ok = common[name]; !ok {
				return bound{}, fmt.Errorf("no argument @%s for the statement:\n%s", name, q.sql)
			}
		}
		values[i] = value
	}
	return bound{compiled, values}, nil
}

// prepare makes sure that the connection knows all statements: one round trip for those that it has
// not seen yet, none later. Parsing a statement locks its tables for a moment, so that wait is bounded
// too.
func prepare(ctx context.Context, conn *pgx.Conn, wait string, lists ...[]bound) error {
	if conn.Config().DefaultQueryExecMode == pgx.QueryExecModeExec {
		return nil // a pooler stands between: the next transaction may run on another connection
	}
	known := conn.PgConn().CustomData()
	var missing []*statement
	for _, b := range slices.Concat(lists...) {
		if known[b.name] == nil {
			missing = append(missing, b.statement)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	pipeline := conn.PgConn().StartPipeline(ctx)
	pipeline.SendQueryParams(`SELECT set_config('lock_timeout', $1, true)`, [][]byte{[]byte(wait)}, nil, nil, nil)
	for _, st := range missing {
		pipeline.SendPrepare(st.name, st.sql, nil)
	}
	err := pipeline.Sync()
	if err == nil {
		_, err = pipeline.GetResults() // of set_config
	}
	for _, st := range missing {
		var description any
		if err == nil {
			description, err = pipeline.GetResults()
		}
		if err != nil {
			err = fmt.Errorf("prepare:\n%s\n%w", st.sql, err)
			break
		}
		known[st.name] = description
	}
	// Close tells the error of a statement a second time.
	if closed := pipeline.Close(); err == nil {
		err = closed
	}
	return err
}
