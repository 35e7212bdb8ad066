package user_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/people/account"
	"onlyonce/internal/people/user"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/value/email"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

type bundle struct {
	*testing.T

	db     *pgtest.Database
	store  *idempotency.Store
	tenant uuid.UUID
}

func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	b := &bundle{T: t, db: pgtest.New(t), tenant: uuid.New()}
	b.store = &idempotency.Store{Pool: b.db.Pool, Wait: 10 * time.Second, Timeout: 20 * time.Second}
	b.exec(`INSERT INTO tenants (id, name) VALUES ($1, 'Acme')`, b.tenant)
	return b
}

func (b *bundle) exec(sql string, args ...any) {
	b.Helper()
	if _, err := b.db.Pool.Exec(b.Context(), sql, args...); err != nil {
		b.Fatal(err)
	}
}

// owner adds an owner with a password, as a command does.
func (b *bundle) owner(name string) uuid.UUID {
	b.Helper()
	var id uuid.UUID
	err := b.db.Pool.QueryRow(b.Context(), `
		INSERT INTO users (tenant_id, email, password_hash, role) VALUES ($1, $2, 'hash', 'owner') RETURNING id`,
		b.tenant, name+"@example.com").Scan(&id)
	if err != nil {
		b.Fatal(err)
	}
	return id
}

func (b *bundle) intent(id uuid.UUID, key string) idempotency.Intent {
	b.Helper()
	k, err := idempotency.ParseKey(key)
	if err != nil {
		b.Fatal(err)
	}
	return idempotency.Intent{Tenant: b.tenant, Key: k, Actor: "test", Record: id, Seen: 1}
}

// owners counts those who can log in.
func (b *bundle) owners() (n int) {
	b.Helper()
	err := b.db.Pool.QueryRow(b.Context(), `
		SELECT count(*) FROM users WHERE role = 'owner' AND disabled_at IS NULL AND password_hash <> ''`).Scan(&n)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

func isLastOwner(err error) bool {
	c, ok := errors.AsType[*conflict.Error](err)
	return ok && c.Kind == &user.LastOwner
}

// TestTwoOwnersDisableEachOther, at the same instant, again and again: one of them stays.
func TestTwoOwnersDisableEachOther(t *testing.T) {
	b := setup(t)
	ids := []uuid.UUID{b.owner("ada"), b.owner("grace")}
	for round := range 20 {
		errs := make([]error, len(ids))
		gate := make(chan struct{})
		var both sync.WaitGroup
		for i, id := range ids {
			intent := b.intent(id, fmt.Sprint("round ", round, i))
			intent.Seen = 0
			both.Go(func() {
				<-gate
				if round%2 == 0 {
					_, errs[i] = user.Disable.Do(context.Background(), b.store, intent, struct{}{})
				} else { // past the operations
					_, errs[i] = b.db.Pool.Exec(context.Background(), `UPDATE users SET role = 'member' WHERE id = $1`, id)
				}
			})
		}
		close(gate)
		both.Wait()
		if (errs[0] == nil) == (errs[1] == nil) || b.owners() != 1 {
			t.Fatalf("round %d: %v and %v, %d owners are left", round, errs[0], errs[1], b.owners())
		}
		if failed := errors.Join(errs...); round%2 == 0 && !isLastOwner(errs[0]) && !isLastOwner(errs[1]) {
			t.Fatalf("round %d: %v", round, failed)
		}
		b.exec(`UPDATE users SET disabled_at = NULL, role = 'owner'`)
	}
}

// TestLastOwnerStays, whichever way: and one without a password is none.
func TestLastOwnerStays(t *testing.T) {
	b := setup(t)
	ada := b.owner("ada")
	draft := user.Draft{Email: "grace@example.com", Role: string(account.Owner)}
	if _, err := user.Create.Do(t.Context(), b.store, b.intent(uuid.Nil, "grace"), draft); err != nil {
		t.Fatal(err)
	}
	if _, err := user.Disable.Do(t.Context(), b.store, b.intent(ada, "disable"), struct{}{}); !isLastOwner(err) {
		t.Errorf("disabled: %v", err)
	}
	member := user.Draft{Email: "ada@example.com", Role: string(account.Member)}
	if _, err := user.Edit.Do(t.Context(), b.store, b.intent(ada, "edit"), member); !isLastOwner(err) {
		t.Errorf("made a member: %v", err)
	}
	if _, err := b.db.Pool.Exec(t.Context(), `UPDATE users SET password_hash = ''`); err == nil {
		t.Error("nobody has a password any more")
	}
	b.exec(`UPDATE users SET password_hash = 'hash' WHERE email = 'grace@example.com'`)
	if _, err := user.Disable.Do(t.Context(), b.store, b.intent(ada, "disable"), struct{}{}); err != nil {
		t.Errorf("with another owner: %v", err)
	}
}

// TestFirstIsOwner: who comes first is an owner, however many come at once, and the others are members.
func TestFirstIsOwner(t *testing.T) {
	b := setup(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			_, err := b.db.Pool.Exec(context.Background(), `INSERT INTO users (tenant_id, email, password_hash) VALUES ($1, $2, 'hash')`,
				b.tenant, fmt.Sprint(i, "@example.com"))
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := b.owners(); n != 1 {
		t.Errorf("%d owners of 8 users", n)
	}
}

// TestEmailElsewhere: of a user of another tenant nothing is told but that the email cannot be used.
func TestEmailElsewhere(t *testing.T) {
	b := setup(t)
	b.owner("ada")
	other := uuid.New()
	b.exec(`INSERT INTO tenants (id, name) VALUES ($1, 'Globex')`, other)
	b.exec(`INSERT INTO users (tenant_id, email, name, password_hash) VALUES ($1, 'grace@example.com', 'Grace Hopper', 'hash')`, other)
	for address, kind := range map[string]*conflict.Kind{"Grace@example.com": &user.EmailUnusable, "ADA@example.com": &user.Exists} {
		draft := user.Draft{Email: email.Address(address), Role: string(account.Member)}
		_, err := user.Create.Do(t.Context(), b.store, b.intent(uuid.Nil, address), draft)
		c, ok := errors.AsType[*conflict.Error](err)
		if !ok || c.Kind != kind || (c.Existing == uuid.Nil) != (kind == &user.EmailUnusable) {
			t.Errorf("%s: %+v", address, err)
		} else if said := fmt.Sprintf("%+v", *c); strings.Contains(said, "Grace Hopper") || strings.Contains(said, "Globex") {
			t.Errorf("tells %s", said)
		}
	}
}

// TestEmailIsGivenUp: the user who has the email gets another one between the refusal and the look at who it is. Then nobody has it,
// and the work is done.
func TestEmailIsGivenUp(t *testing.T) {
	b := setup(t)
	b.owner("ada")
	config := b.db.Pool.Config()
	config.MaxConns = 1 // the look needs the connection of the refused work
	config.AfterRelease = func(*pgx.Conn) bool {
		b.exec(`UPDATE users SET email = 'lovelace@example.com' WHERE role = 'owner'`)
		return true
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	store := &idempotency.Store{Pool: pool, Wait: 10 * time.Second, Timeout: 20 * time.Second}
	ada := user.Draft{Email: "ada@example.com", Role: string(account.Member)}
	done, err := user.Create.Do(t.Context(), store, b.intent(uuid.Nil, "k"), ada)
	if err != nil || done.Outcome != idempotency.Created || done.Value.Email != "ada@example.com" {
		t.Errorf("%+v, %v", done, err)
	}
}

func TestDraft(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in    user.Input
		wrong string // pointers, in their order
	}{
		{user.Input{Email: " Ada@Example.com ", Name: " Ada  Lovelace", Role: "owner"}, ""},
		{user.Input{Email: "ada@example.com", Role: "member"}, ""},
		{user.Input{Email: "ada@example.com", Role: "read-only"}, ""},
		{user.Input{}, "/email /role"},
		{user.Input{Email: "ada", Name: "a\u202eb", Role: "Owner"}, "/email /name /role"},
		{user.Input{Email: "ada@example.com", Name: strings.Repeat("x", 1000), Role: "member"}, "/name"},
	} {
		_, err := c.in.Draft()
		var wrong []string
		if problems, ok := errors.AsType[*invalid.Error](err); ok {
			for _, f := range problems.Fields {
				wrong = append(wrong, f.Pointer)
			}
		}
		if strings.Join(wrong, " ") != c.wrong {
			t.Errorf("%+v: wrong is %v, want %q", c.in, wrong, c.wrong)
		}
	}
}
