package customer_test

import (
	"context"
	"fmt"
	"reflect"
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
	if _, err := b.db.Pool.Exec(t.Context(), `INSERT INTO tenants (id, name) VALUES ($1, 'Test')`, b.tenant); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bundle) upsert(k, address, name string) (idempotency.Done[customer.Customer], error) {
	key, err := idempotency.ParseKey(k)
	if err != nil {
		return idempotency.Done[customer.Customer]{}, err
	}
	return customer.Upsert.Do(context.Background(), b.store,
		idempotency.Intent{Tenant: b.tenant, Key: key, Actor: "test"}, customer.Draft{Email: email.Address(address), Name: name})
}

func (b *bundle) count() (n int) {
	b.Helper()
	if err := b.db.Admin().QueryRow(b.Context(), `SELECT count(*) FROM customers`).Scan(&n); err != nil {
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
			done[i], errs[i] = b.upsert(fmt.Sprint("key-", i), email, fmt.Sprint("Ada ", i))
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
		if done[i].Value.ID != done[0].Value.ID || done[i].Value.Version != done[0].Value.Version {
			t.Errorf("%+v and %+v", done[0].Value, done[i].Value)
		}
	}
	if created != 1 || b.count() != 1 {
		t.Errorf("%d created, %d rows", created, b.count())
	}
}

func TestFindAndList(t *testing.T) {
	b := setup(t)
	var ids []uuid.UUID
	for i := range 5 {
		done, err := b.upsert(fmt.Sprint(i), fmt.Sprintf("c%d@example.com", i), fmt.Sprint("C", i))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, done.Value.ID)
		found, err := customer.Table.Find(t.Context(), b.db.Pool, b.tenant, done.Value.ID)
		if err != nil || !reflect.DeepEqual(found, done.Value) {
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
