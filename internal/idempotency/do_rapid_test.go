package idempotency_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"pgregory.net/rapid"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
)

// machine runs random steps in one tenant, and predicts the result of each.
type machine struct {
	b      *bundle
	admin  *pgxpool.Pool // sees all tenants
	tenant uuid.UUID

	made     map[string]item  // by key, for life
	commands map[string]order // by key, for life: the command that made it
	results  map[string]bool  // by key: the result has not expired
}

func TestStateMachine(t *testing.T) {
	t.Parallel()
	for name, styled := range map[string][2]idempotency.Spec[order, item]{
		"statements": {spec(), failing()}, "interactive": {interactive(), failingInteractive()},
	} {
		t.Run(name, func(t *testing.T) {
			stateMachine(setup(t), idempotency.Define(styled[0]), idempotency.Define(styled[1]))
		})
	}
}

func stateMachine(b *bundle, create, failing idempotency.Operation[order, item]) {
	admin := b.DB.Admin()
	rapid.Check(b.T, func(t *rapid.T) {
		m := &machine{
			b: b, admin: admin, tenant: uuid.New(), made: map[string]item{}, commands: map[string]order{}, results: map[string]bool{},
		}
		keys := rapid.SampledFrom([]string{"k1", "k2", "k3", "k4"})
		names := rapid.SampledFrom([]string{"a", "b", "c"})
		t.Repeat(map[string]func(*rapid.T){
			"attempt": func(t *rapid.T) { m.attempt(t, create, keys.Draw(t, "key"), order{names.Draw(t, "name")}) },
			"attempt whose work fails": func(t *rapid.T) {
				m.attemptFailing(t, failing, keys.Draw(t, "key"), order{names.Draw(t, "name")})
			},
			"attempts at once": func(t *rapid.T) {
				m.race(t, create, keys.Draw(t, "key"), order{names.Draw(t, "name")}, rapid.IntRange(2, 5).Draw(t, "attempts"))
			},
			"attempt while a first one runs and then dies": func(t *rapid.T) {
				m.meetCrash(t, create, keys.Draw(t, "key"), order{names.Draw(t, "name")})
			},
			"expire": func(t *rapid.T) { m.expire(t, keys.Draw(t, "key")) },
			"":       m.compare,
		})
	})
}

// failing returns spec with work that fails.
func failing() idempotency.Spec[order, item] {
	s := spec()
	work := s.Statements
	s.Statements = func(tx *idempotency.Tx, o order) idempotency.Result {
		result := work(tx, o)
		tx.Exec(`SELECT 1 / 0`, nil)
		return result
	}
	return s
}

func failingInteractive() idempotency.Spec[order, item] {
	s := interactive()
	work := s.Run
	s.Run = func(ctx context.Context, tx pgx.Tx, intent idempotency.Intent, o order) (item, error) {
		if _, err := work(ctx, tx, intent, o); err != nil {
			return item{}, err
		}
		return item{}, errors.New("work failed")
	}
	return s
}

func (m *machine) intent(key string) idempotency.Intent {
	intent := m.b.Intent(key)
	intent.Tenant = m.tenant
	return intent
}

// attempt runs the operation once and checks the answer.
func (m *machine) attempt(t *rapid.T, create idempotency.Operation[order, item], key string, o order) {
	done, err := create.Do(context.Background(), m.b.Store, m.intent(key), o)
	m.judge(t, key, o, done, err)
}

// judge compares an answer with the model, and updates the model.
func (m *machine) judge(t *rapid.T, key string, o order, done idempotency.Done[item], err error) {
	t.Helper()
	mine, exists := m.made[key]
	command := m.commands[key]
	var mismatch *idempotency.MismatchError
	var expired *idempotency.AlreadyDoneError
	var broken *pgconn.PgError
	switch {
	case exists && command == o && m.results[key]:
		must.Thatf(t, err == nil && done.Replayed && done.Value == mine, "replay of %v: %+v, %v", mine, done, err)
	case exists && command != o:
		must.Thatf(t, errors.As(err, &mismatch) && mismatch.Record == mine.ID, "mismatch with %v: %v", mine, err)
	case exists:
		must.Thatf(t, errors.As(err, &expired) && expired.Record == mine.ID, "late repeat of %v: %v", mine, err)
	case m.taken(o.Name):
		must.Thatf(t, errors.As(err, &broken) && broken.ConstraintName == "items_name_once", "name %s is taken: %v", o.Name, err)
	default:
		must.Thatf(t, err == nil && !done.Replayed && done.Value.Name == o.Name, "first: %+v, %v", done, err)
		m.made[key], m.commands[key], m.results[key] = done.Value, o, true
	}
}

func (m *machine) taken(name string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(m.made)), func(made item) bool { return made.Name == name })
}

// attemptFailing checks that failing work has no effect. It does not run if the intent was carried out before.
func (m *machine) attemptFailing(t *rapid.T, failing idempotency.Operation[order, item], key string, o order) {
	if _, exists := m.made[key]; exists {
		m.attempt(t, failing, key, o) // its work does not run
		return
	}
	done, err := failing.Do(context.Background(), m.b.Store, m.intent(key), o)
	must.Thatf(t, err != nil, "work failed and was answered %+v", done)
}

// race runs equal attempts concurrently on two replicas. The first must do what a single attempt would, and the others must repeat its
// result.
func (m *machine) race(t *rapid.T, create idempotency.Operation[order, item], key string, o order, n int) {
	done, errs := make([]idempotency.Done[item], n), make([]error, n)
	stores := []*idempotency.Store{m.b.Store, m.b.replica()}
	rush(n, func(i int) {
		done[i], errs[i] = create.Do(context.Background(), stores[i%2], m.intent(key), o)
	})()
	first := max(0, slices.IndexFunc(done, func(d idempotency.Done[item]) bool { return d.Value.ID != uuid.Nil && !d.Replayed }))
	m.judge(t, key, o, done[first], errs[first])
	for i := range n {
		if i != first {
			m.judge(t, key, o, done[i], errs[i])
		}
	}
}

// meetCrash claims the key on a connection that breaks before it commits. Other attempts are in progress while it holds the claim.
// Afterwards, the claim has left no trace.
func (m *machine) meetCrash(t *rapid.T, create idempotency.Operation[order, item], key string, o order) {
	if _, exists := m.made[key]; exists {
		return // the key is used
	}
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, m.b.DB.URL)
	must.OK(t, err)
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, `BEGIN`); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(ctx, `SELECT claim_intent($1, 'item.create', $2, '1s')`, m.tenant, key); err != nil {
		t.Fatal(err)
	}
	impatient := &idempotency.Store{Pool: m.b.DB.Pool, Wait: 20 * time.Millisecond, Timeout: 10 * time.Second}
	if _, err := create.Do(ctx, impatient, m.intent(key), o); !errors.Is(err, idempotency.ErrInProgress) {
		t.Fatalf("while another attempt runs: %v", err)
	}
	if err := conn.PgConn().Conn().Close(); err != nil { // without a Terminate message, as in a crash
		t.Fatal(err)
	}
	m.attempt(t, create, key, o)
}

// expire ends the retention of a result.
func (m *machine) expire(t *rapid.T, key string) {
	_, err := m.admin.Exec(context.Background(), `
		UPDATE intents SET expires_at = now() - interval '1 second'
		WHERE tenant_id = $1 AND key = $2`, m.tenant, key)
	must.OK(t, err)
	erased, err := idempotency.Expire(context.Background(), m.b.DB.Pool, m.tenant)
	want := int64(0)
	if m.results[key] {
		want = 1
	}
	must.Thatf(t, err == nil && erased == want, "expired %d results, %v, want %d", erased, err, want)
	m.b.Store.Forget()
	delete(m.results, key)
}

// compare compares the whole model with the database.
func (m *machine) compare(t *rapid.T) {
	var items, intents, results int
	err := m.admin.QueryRow(context.Background(), `
		SELECT (SELECT count(*) FROM items WHERE tenant_id = $1),
			(SELECT count(*) FROM intents WHERE tenant_id = $1),
			(SELECT count(*) FROM intents WHERE tenant_id = $1 AND result->>'id' IS NOT NULL)`,
		m.tenant).Scan(&items, &intents, &results)
	must.Thatf(t, err == nil && items == len(m.made) && intents == items && results == len(m.results),
		"%d items, %d intents and %d results, %v, want %d and %d", items, intents, results, err, len(m.made), len(m.results))
}
