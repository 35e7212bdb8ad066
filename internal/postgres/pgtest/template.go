package pgtest

import (
	"context"
	"errors"
	"sync"
	"testing"
)

// Template is a database that many tests copy. It is made once, by the first test that calls New.
type Template struct {
	// Fill makes tables or rows in a database with the current schema. Its connections are closed when it returns.
	Fill func(ctx context.Context, db *Database) error

	once sync.Once
	name string
	get  func(*cluster, context.Context, string) (*Database, error)
	err  error
}

// New is like the function [New], with the tables and rows of the template. If there are rows, the database is always a new copy.
func (p *Template) New(t testing.TB) *Database {
	t.Helper()
	p.once.Do(func() {
		p.err = errors.New("the test that was the first to need it has failed meanwhile, and its output says why")
		p.err = p.fill(context.Background()) // it may end this test, which leaves the error above
	})
	if p.err != nil {
		t.Fatalf("pgtest: fill a template: %v", p.err)
	}
	return newFrom(t, p.name, p.get)
}

// fill makes the database, which exists until the cluster ends.
func (p *Template) fill(ctx context.Context) error {
	db, giveBack, err := get(ctx, template, (*cluster).clone)
	if err != nil {
		return err
	}
	const filled = `SELECT count(*) FROM pg_class WHERE relkind = 'r' AND oid >= 16384 AND pg_relation_size(oid) > 0`
	var before, after int
	err = errors.Join(
		db.Pool.QueryRow(ctx, filled).Scan(&before),
		p.Fill(ctx, db),
		db.Pool.QueryRow(ctx, filled).Scan(&after))
	if err != nil {
		return errors.Join(err, giveBack())
	}
	p.name, p.get = db.name, (*cluster).take
	if after > before {
		p.get = (*cluster).clone
	}
	db.Pool.Close()
	db.admin.Close()
	cluster, err := shared.start()
	if err != nil {
		return err
	}
	return cluster.close(ctx, db.name)
}
