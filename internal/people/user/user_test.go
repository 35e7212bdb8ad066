package user_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/assert"
	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invalid"
	"onlyonce/internal/must"
	"onlyonce/internal/people/account"
	"onlyonce/internal/people/user"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/value/email"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

type bundle struct{ *storetest.Bundle }

func setup(t *testing.T) *bundle {
	t.Helper()
	return &bundle{storetest.Setup(t)}
}

// owner adds an owner with a password, like the command.
func (b *bundle) owner(name string) uuid.UUID {
	b.Helper()
	return storetest.Value[uuid.UUID](b, `
		INSERT INTO users (tenant_id, email, password_hash, role) VALUES ($1, $2, 'hash', 'owner') RETURNING id`,
		b.Tenant, name+"@example.com")
}

// owners returns the number of owners who can log in.
func (b *bundle) owners() int {
	b.Helper()
	return storetest.Value[int](b, `
		SELECT count(*) FROM users WHERE role = 'owner' AND disabled_at IS NULL AND password_hash <> ''`)
}

func isLastOwner(err error) bool {
	return storetest.IsConflict(err, &user.LastOwner)
}

// TestTwoOwnersDisableEachOther checks repeatedly that of two owners who disable each other at once, one stays.
func TestTwoOwnersDisableEachOther(t *testing.T) {
	b := setup(t)
	ids := []uuid.UUID{b.owner("ada"), b.owner("grace")}
	for round := range 20 {
		errs := storetest.Together(len(ids), func(i int) (err error) {
			if round%2 == 0 {
				_, err = user.Disable.Do(context.Background(), b.Store, b.Of(fmt.Sprint("round ", round, i), ids[i], 0), struct{}{})
			} else { // without an operation
				_, err = b.DB.Pool.Exec(context.Background(), `UPDATE users SET role = 'member' WHERE id = $1`, ids[i])
			}
			return err
		})
		must.Thatf(t, (errs[0] == nil) != (errs[1] == nil) && b.owners() == 1,
			"round %d: %v and %v, %d owners are left", round, errs[0], errs[1], b.owners())
		failed := errors.Join(errs...)
		must.Thatf(t, round%2 != 0 || isLastOwner(errs[0]) || isLastOwner(errs[1]), "round %d: %v", round, failed)
		b.Exec(`UPDATE users SET disabled_at = NULL, role = 'owner'`)
	}
}

// TestLastOwnerStays checks each way to lose the last owner. An owner without a password doesn't count.
func TestLastOwnerStays(t *testing.T) {
	b := setup(t)
	ada := b.owner("ada")
	draft := user.Draft{Email: "grace@example.com", Role: string(account.Owner)}
	b.OK(user.Create.Do(t.Context(), b.Store, b.Intent("grace"), draft))
	if _, err := user.Disable.Do(t.Context(), b.Store, b.Of("disable", ada, 1), struct{}{}); !isLastOwner(err) {
		t.Errorf("disabled: %v", err)
	}
	member := user.Draft{Email: "ada@example.com", Role: string(account.Member)}
	if _, err := user.Edit.Do(t.Context(), b.Store, b.Of("edit", ada, 1), member); !isLastOwner(err) {
		t.Errorf("made a member: %v", err)
	}
	if _, err := b.DB.Pool.Exec(t.Context(), `UPDATE users SET password_hash = ''`); err == nil {
		t.Error("nobody has a password any more")
	}
	b.Exec(`UPDATE users SET password_hash = 'hash' WHERE email = 'grace@example.com'`)
	if _, err := user.Disable.Do(t.Context(), b.Store, b.Of("disable", ada, 1), struct{}{}); err != nil {
		t.Errorf("with another owner: %v", err)
	}
}

// TestFirstIsOwner checks that of concurrent first users one becomes the owner, and the others become members.
func TestFirstIsOwner(t *testing.T) {
	b := setup(t)
	errs := storetest.Together(8, func(i int) error {
		_, err := b.DB.Pool.Exec(context.Background(), `INSERT INTO users (tenant_id, email, password_hash) VALUES ($1, $2, 'hash')`,
			b.Tenant, fmt.Sprint(i, "@example.com"))
		return err
	})
	must.OK(t, errors.Join(errs...))
	assert.Equal(t, b.owners(), 1, "owners of 8 users")
}

// TestEmailElsewhere checks that the refusal of an email that a different tenant's user has does not disclose more.
func TestEmailElsewhere(t *testing.T) {
	b := setup(t)
	b.owner("ada")
	other := uuid.New()
	b.Exec(`INSERT INTO tenants (id, name) VALUES ($1, 'Globex')`, other)
	b.Exec(`INSERT INTO users (tenant_id, email, name, password_hash) VALUES ($1, 'grace@example.com', 'Grace Hopper', 'hash')`, other)
	for address, kind := range map[string]*conflict.Kind{"Grace@example.com": &user.EmailUnusable, "ADA@example.com": &user.Exists} {
		draft := user.Draft{Email: email.Address(address), Role: string(account.Member)}
		_, err := user.Create.Do(t.Context(), b.Store, b.Intent(address), draft)
		c, ok := errors.AsType[*conflict.Error](err)
		if !ok || c.Kind != kind || (c.Existing == uuid.Nil) != (kind == &user.EmailUnusable) {
			t.Errorf("%s: %+v", address, err)
		} else if said := fmt.Sprintf("%+v", *c); strings.Contains(said, "Grace Hopper") || strings.Contains(said, "Globex") {
			t.Errorf("tells %s", said)
		}
	}
}

// TestEmailIsGivenUp checks that an email that becomes free between the refusal and its explanation can be used.
func TestEmailIsGivenUp(t *testing.T) {
	b := setup(t)
	b.owner("ada")
	config := b.DB.Pool.Config()
	config.MaxConns = 1 // the lookup needs the connection of the refused work
	config.AfterRelease = func(*pgx.Conn) bool {
		b.Exec(`UPDATE users SET email = 'lovelace@example.com' WHERE role = 'owner'`)
		return true
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	must.OK(t, err)
	defer pool.Close()
	store := &idempotency.Store{Pool: pool, Wait: 10 * time.Second, Timeout: 20 * time.Second}
	ada := user.Draft{Email: "ada@example.com", Role: string(account.Member)}
	done, err := user.Create.Do(t.Context(), store, b.Intent("k"), ada)
	assert.Thatf(t, err == nil && done.Outcome == idempotency.Created && done.Value.Email == "ada@example.com", "%+v, %v", done, err)
}

func TestDraft(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in    user.Input
		wrong string // the pointers of the errors, in order
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
		assert.Thatf(t, strings.Join(wrong, " ") == c.wrong, "%+v: wrong is %v, want %q", c.in, wrong, c.wrong)
	}
}
