package pgtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
)

// Template is a database with rows that many tests begin with. They are made once, when the first test asks.
type Template struct {
	// Fill makes the rows in a database with the current schema. Its connections are cut when it returns.
	Fill func(ctx context.Context, db *Database) error

	once sync.Once
	name string
	err  error
}

// New is like the function [New], with the rows of the template.
func (p *Template) New(t testing.TB) *Database {
	t.Helper()
	p.once.Do(func() { p.name, p.err = p.fill(context.Background()) })
	if p.err != nil {
		t.Fatalf("pgtest: fill a template: %v", p.err)
	}
	return newFrom(t, p.name)
}

// fill makes the database. It goes with the cluster.
func (p *Template) fill(ctx context.Context) (name string, err error) {
	db, drop, err := clone(ctx, template)
	if err != nil {
		return "", err
	}
	if err := p.Fill(ctx, db); err != nil {
		return "", errors.Join(err, drop())
	}
	name = db.Pool.Config().ConnConfig.Database
	db.Pool.Close()
	cluster, err := shared.start()
	if err != nil {
		return "", fmt.Errorf("start PostgreSQL: %w", err)
	}
	return name, cluster.close(ctx, name)
}
