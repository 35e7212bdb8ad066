package pgtest

import "context"

// Take is New with what happens at the end of the test in the caller's hands.
func Take(ctx context.Context) (db *Database, giveBack func() error, err error) {
	return get(ctx, template, (*cluster).take)
}
