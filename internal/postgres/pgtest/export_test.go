package pgtest

import "context"

// Take is New without a testing.TB. The caller must call giveBack.
func Take(ctx context.Context) (db *Database, giveBack func() error, err error) {
	return get(ctx, template, (*cluster).take)
}
