package idempotency

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"sync"

	"github.com/jackc/pgx/v5"
)

// statement is an SQL text whose named arguments were replaced with positions. Each text is compiled once.
type statement struct {
	name   string // of the prepared statement, the same on every connection
	sql    string
	params []string
}

// text is the SQL of a statement before it is compiled.
type text struct {
	with, sql string
	stores    *intentSQL // if set, the statement stores the intent, and sql selects its result
}

func (t text) whole() string {
	if t.stores == nil {
		return t.sql
	}
	return t.with + t.stores.insert(`(`+t.sql+`)`)
}

// statements caches the compiled form of each SQL text. Their number is bounded, because SQL is never built from input.
type statements struct{ byText sync.Map }

func (s *statements) compile(ctx context.Context, of text) (*statement, error) {
	if known, ok := s.byText.Load(of); ok {
		return known.(*statement), nil //nolint:forcetypeassert // the map holds nothing else
	}
	sql := of.whole()
	// pgx reveals the position of an argument only by placing its value there, so each value is its own name.
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
	s.byText.Store(of, compiled)
	return compiled, nil
}

var argument = regexp.MustCompile(`@([a-zA-Z_][a-zA-Z0-9_]*)`)

// bound is a statement with its arguments.
type bound struct {
	*statement

	values    []any
	otherwise error // see query
}

// bind sets the arguments of each query: its own, or else the common ones.
func (s *statements) bind(ctx context.Context, common pgx.NamedArgs, queries ...query) ([]bound, error) {
	all := make([]bound, len(queries))
	for i, q := range queries {
		compiled, err := s.compile(ctx, q.text)
		if err != nil {
			return nil, err
		}
		values := make([]any, len(compiled.params))
		for n, name := range compiled.params {
			value, ok := q.args[name]
			if !ok {
				value, ok = common[name]
			}
			if !ok {
				return nil, fmt.Errorf("no argument @%s for the statement:\n%s", name, q.whole())
			}
			values[n] = value
		}
		all[i] = bound{compiled, values, q.otherwise}
	}
	return all, nil
}

// bindOne is bind for one query.
func (s *statements) bindOne(ctx context.Context, common pgx.NamedArgs, q query) (bound, error) {
	all, err := s.bind(ctx, common, q)
	if err != nil {
		return bound{}, err
	}
	return all[0], nil
}
