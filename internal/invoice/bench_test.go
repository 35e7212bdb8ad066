package invoice_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
)

// The database of these benchmarks does not wait for a disk: they show what the code costs, in this
// process and in PostgreSQL, and not what a create takes in real life.

func benchInput(number string) invoice.Input {
	in := input(number)
	in.Lines = []invoice.LineInput{
		{Description: "Design " + number, Quantity: "2", UnitPrice: "50.00", TaxRate: "23"},
		{Description: "Build", Quantity: "1.5", UnitPrice: "80.00", TaxRate: "23"},
		{Description: "Support", Quantity: "3", UnitPrice: "20.00", TaxRate: "8"},
	}
	return in
}

func benchStore(b *testing.B) (*idempotency.Store, uuid.UUID) {
	b.Helper()
	db, tenant := pgtest.New(b), uuid.New()
	if _, err := db.Pool.Exec(b.Context(), `INSERT INTO tenants (id, name) VALUES ($1, 'Bench')`, tenant); err != nil {
		b.Fatal(err)
	}
	return &idempotency.Store{Pool: db.Pool, Wait: 5 * time.Second, Timeout: 20 * time.Second}, tenant
}

func benchCreate(b *testing.B, store *idempotency.Store, tenant uuid.UUID, key, number string) {
	b.Helper()
	k, err := idempotency.ParseKey(key)
	if err != nil {
		b.Fatal(err)
	}
	intent := idempotency.Intent{Tenant: tenant, Key: k, Actor: "bench"}
	if _, err := invoice.Create.Do(b.Context(), store, intent, draft(b, benchInput(number))); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkDraft(b *testing.B) {
	b.ReportAllocs()
	in := benchInput("2026-0042")
	for b.Loop() {
		if _, err := in.Draft(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFingerprintOfDraft(b *testing.B) {
	b.ReportAllocs()
	d := draft(b, benchInput("2026-0042"))
	for b.Loop() {
		if _, err := idempotency.FingerprintOf(d); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCreate(b *testing.B) {
	b.ReportAllocs()
	store, tenant := benchStore(b)
	n := 0
	for b.Loop() {
		n++
		benchCreate(b, store, tenant, idempotency.NewKey().String(), fmt.Sprintf("B-%d", n))
	}
}

func BenchmarkCreateAllocated(b *testing.B) {
	b.ReportAllocs()
	store, tenant := benchStore(b)
	for b.Loop() {
		benchCreate(b, store, tenant, idempotency.NewKey().String(), "")
	}
}

func BenchmarkReplay(b *testing.B) {
	b.ReportAllocs()
	store, tenant := benchStore(b)
	for b.Loop() {
		benchCreate(b, store, tenant, "the same", "B-1")
	}
}

func BenchmarkList(b *testing.B) {
	b.ReportAllocs()
	store, tenant := benchStore(b)
	for n := range 60 {
		benchCreate(b, store, tenant, idempotency.NewKey().String(), fmt.Sprintf("B-%d", n))
	}
	for b.Loop() {
		found, err := invoice.List(b.Context(), store.Pool, tenant, invoice.Filter{}, record.Page{Limit: 25})
		if err != nil || len(found.Rows) != 25 {
			b.Fatal(len(found.Rows), err)
		}
	}
}
