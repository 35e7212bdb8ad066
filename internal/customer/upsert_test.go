package customer_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
	"onlyonce/internal/value/email"
)

type bundle struct {
	*testing.T

	db     *pgtest.Database
	store  *idempotency.Store
	tenant uuid.UUID
}

func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	b := &bundle{T: t, db: pgtest.New(t)}
	b.store = &idempotency.Store{Pool: b.db.Pool, Wait: 10 * time.Second, Timeout: 20 * time.Second}
	b.tenant = b.newTenant()
	return b
}

func (b *bundle) newTenant() uuid.UUID {
	b.Helper()
	id := uuid.New()
	if _, err := b.db.Pool.Exec(b.Context(), `INSERT INTO tenants (id, name) VALUES ($1::uuid, 'Test ' || $1::uuid)`, id); err != nil {
		b.Fatal(err)
	}
	return id
}

func key(t testing.TB, text string) idempotency.Key {
	t.Helper()
	k, err := idempotency.ParseKey(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func (b *bundle) upsert(tenant uuid.UUID, k, address, name string) (idempotency.Done[customer.Customer], error) {
	return customer.Upsert.Do(context.Background(), b.store,
		idempotency.Intent{Tenant: tenant, Key: key(b.T, k), Actor: "test"}, customer.Draft{Email: email.Address(address), Name: name})
}

func (b *bundle) count() (n int) {
	b.Helper()
	if err := b.db.Admin(b.T).QueryRow(b.Context(), `SELECT count(*) FROM customers`).Scan(&n); err != nil {
		b.Fatal(err)
	}
	return n
}

// TestOneEmailFromEverywhere: whatever the intents, the capitals and the order.
func TestOneEmailFromEverywhere(t *testing.T) {
	b := setup(t)
	const crowd = 60
	done, errs := make([]idempotency.Done[customer.Customer], crowd), make([]error, crowd)
	gate := make(chan struct{})
	var all sync.WaitGroup
	for i := range crowd {
		email := "ada@example.com"
		if i%2 == 0 {
			email = strings.ToUpper(email)
		}
		all.Go(func() {
			<-gate
			done[i], errs[i] = b.upsert(b.tenant, fmt.Sprint("key-", i), email, fmt.Sprint("Ada ", i))
		})
	}
	close(gate)
	all.Wait()
	created := 0
	for i := range crowd {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		if done[i].Outcome == idempotency.Created {
			created++
		}
		if done[i].Value != done[0].Value {
			t.Errorf("%+v and %+v", done[0].Value, done[i].Value)
		}
	}
	if created != 1 || b.count() != 1 {
		t.Errorf("%d created, %d rows", created, b.count())
	}
}

func TestTenantsShareNobody(t *testing.T) {
	b := setup(t)
	other := b.newTenant()
	one, err := b.upsert(b.tenant, "k", "ada@example.com", "Ada")
	if err != nil {
		t.Fatal(err)
	}
	two, err := b.upsert(other, "k", "ada@example.com", "Ada")
	if err != nil || one.Value.ID == two.Value.ID || two.Outcome != idempotency.Created || two.Replayed {
		t.Errorf("%+v, %+v, %v", one, two, err)
	}
	if _, err := customer.Table.Find(t.Context(), b.db.Pool, other, one.Value.ID); !errors.Is(err, record.ErrNotFound) {
		t.Errorf("found in another tenant: %v", err)
	}
}

func TestFindAndList(t *testing.T) {
	b := setup(t)
	var ids []uuid.UUID
	for i := range 5 {
		done, err := b.upsert(b.tenant, fmt.Sprint(i), fmt.Sprintf("c%d@example.com", i), "C")
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, done.Value.ID)
		found, err := customer.Table.Find(t.Context(), b.db.Pool, b.tenant, done.Value.ID)
		if err != nil || found != done.Value {
			t.Errorf("created %+v\nfound %+v, %v", done.Value, found, err)
		}
	}
	var listed []uuid.UUID
	var from record.Key
	for range 3 {
		page, err := customer.List(t.Context(), b.db.Pool, b.tenant, customer.Filter{}, record.Page{From: from, Limit: 2})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page.Rows {
			listed = append(listed, c.ID)
		}
		from = page.After
	}
	want := []uuid.UUID{ids[4], ids[3], ids[2], ids[1], ids[0]}
	if fmt.Sprint(listed) != fmt.Sprint(want) {
		t.Errorf("listed %v, want %v", listed, want)
	}
}

// TestHistory: who reused a customer is in the audit, beside who created it.
func TestHistory(t *testing.T) {
	b := setup(t)
	for _, k := range []string{"first", "second"} {
		if _, err := b.upsert(b.tenant, k, "ada@example.com", "Ada"); err != nil {
			t.Fatal(err)
		}
	}
	done, err := b.upsert(b.tenant, "second", "ada@example.com", "Ada")
	if err != nil {
		t.Fatal(err)
	}
	list, err := idempotency.History(t.Context(), b.db.Pool, b.tenant, done.Value.ID, record.Page{Limit: 10})
	history := list.Rows
	if err != nil || len(history) != 2 || history[0].Key != "second" || history[0].What != "reused" ||
		history[1].Key != "first" || history[1].What != "created" {
		t.Errorf("%+v, %v", history, err)
	}
}
