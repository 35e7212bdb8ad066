package idempotency_test

import (
	"errors"
	"testing"

	"onlyonce/internal/idempotency"
)

// TestArgumentThatCannotBeEncoded checks that an argument outside the range of its PostgreSQL type fails before anything is sent. The
// attempt is neither sent again nor unconfirmed, and the connection stays usable.
func TestArgumentThatCannotBeEncoded(t *testing.T) {
	t.Parallel()
	inStyles(t, func(b *bundle, a item, rename renaming, _ finishing) {
		config := b.DB.Pool.Config()
		config.MaxConns = 1
		b.Store.Pool = b.pool(config)
		if _, err := rename.Do(b.Context(), b.Store, b.Of("first", a.ID, 1), order{"b"}); err != nil { // prepares the statements
			b.Fatal(err)
		}
		before := b.Store.Pool.Stat().AcquireCount()
		_, err := rename.Do(b.Context(), b.Store, b.Of("k", a.ID, 1<<31), order{"c"}) // a version is an integer
		for _, wrong := range []error{idempotency.ErrUnconfirmed, idempotency.ErrUnavailable, idempotency.ErrBusy, nil} {
			if errors.Is(err, wrong) {
				b.Errorf("got %v", err)
			}
		}
		if n := b.Store.Pool.Stat().AcquireCount() - before; n != 1 {
			b.Errorf("%d tries", n)
		}
		if _, err := rename.Do(b.Context(), b.Store, b.Of("k", a.ID, 2), order{"c"}); err != nil {
			b.Errorf("with the version that it has: %v", err)
		}
		if n := b.Store.Pool.Stat().NewConnsCount(); n != 1 {
			b.Errorf("%d connections, want the first one", n)
		}
	})
}
