package idempotency_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/idempotency"
)

func TestTxIsOfNoUseOutsideOfItsWork(t *testing.T) {
	b := setup(t)
	var smuggled *idempotency.Tx
	s := spec()
	work := s.Work
	s.Work = func(tx *idempotency.Tx, o order) idempotency.Result {
		smuggled = tx
		return work(tx, o)
	}
	if _, err := idempotency.Define(s).Do(t.Context(), b.store, b.intent("k"), order{"a"}); err != nil {
		t.Fatal(err)
	}
	for name, tx := range map[string]*idempotency.Tx{"nil": nil, "zero": {}, "smuggled": smuggled} {
		if !panics(func() { tx.Exec(`DELETE FROM things`, nil) }) {
			t.Errorf("a %s Tx was usable", name)
		}
	}
}

func TestArgumentsAreChecked(t *testing.T) {
	b := setup(t)
	s := spec()
	s.Work = func(tx *idempotency.Tx, _ order) idempotency.Result { return tx.Return(`SELECT @nothing::json`, nil) }
	if _, err := idempotency.Define(s).Do(t.Context(), b.store, b.intent("k"), order{"a"}); err == nil {
		t.Error("an argument that is not there became NULL")
	}
	s.Work = func(tx *idempotency.Tx, _ order) idempotency.Result {
		return tx.Return(`SELECT '{}'::json`, pgx.NamedArgs{"tenant_id": "another"})
	}
	if !panics(func() { _, _ = idempotency.Define(s).Do(t.Context(), b.store, b.intent("k"), order{"a"}) }) {
		t.Error("work could name its own tenant")
	}
}

func TestIncompleteOperations(t *testing.T) {
	t.Parallel()
	nameless, workless := spec(), spec()
	nameless.Name, workless.Work = "", nil
	for _, s := range []idempotency.Spec[order, thing]{nameless, workless} {
		if !panics(func() { idempotency.Define(s) }) {
			t.Errorf("defined %+v", s)
		}
	}
}

func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}
