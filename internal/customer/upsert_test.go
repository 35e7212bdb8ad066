package customer_test

import (
	"context"
	"fmt"
	"testing"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/value/email"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// TestOneEmailFromEverywhere: whatever the intents, the capitals and the order.
func TestOneEmailFromEverywhere(t *testing.T) {
	b := storetest.Setup(t)
	const crowd = 60
	done := make([]idempotency.Done[customer.Customer], crowd)
	errs := storetest.Together(crowd, func(i int) (err error) {
		address := email.Address("ada@example.com")
		if i%2 == 0 {
			address = "ADA@EXAMPLE.COM"
		}
		done[i], err = customer.Upsert.Do(context.Background(), b.Store, b.Intent(fmt.Sprint("key-", i)),
			customer.Draft{Email: address, Name: fmt.Sprint("Ada ", i)})
		return err
	})
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
	if n := storetest.Value[int](b, `SELECT count(*) FROM customers`); created != 1 || n != 1 {
		t.Errorf("%d created, %d rows", created, n)
	}
}
