package idempotency

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/record"
)

type benchLine struct {
	Description string
	Quantity    string
	Price       int64
}

type benchCommand struct {
	Number string
	Lines  []benchLine
}

func newBenchCommand() benchCommand {
	return benchCommand{"2026-0042", []benchLine{{"Design", "2", 5000}, {"Build", "1.5", 8000}, {"Support", "3", 2000}}}
}

func BenchmarkFingerprint(b *testing.B) {
	b.ReportAllocs()
	command := newBenchCommand()
	for b.Loop() {
		if _, err := FingerprintOf(command); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseHeaderKey(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseHeaderKey(`"8e03978e-40d5-43e8-bc93-6894a57f9324"`); err != nil {
			b.Fatal(err)
		}
	}
}

var benchTable = record.Table[struct{}]{Name: "invoices"}

// BenchmarkBind is what an attempt does between the domain and the wire: the transaction is collected and
// turned into statements with their values in place.
func BenchmarkBind(b *testing.B) {
	b.ReportAllocs()
	command := newBenchCommand()
	fingerprint, err := FingerprintOf(command)
	if err != nil {
		b.Fatal(err)
	}
	operation := Define(Spec[benchCommand, struct{}]{Name: "bench", Table: benchTable, Statements: func(tx *Tx, c benchCommand) Result {
		tx.Exec(`INSERT INTO invoices (tenant_id, id, number) VALUES (@tenant_id, @record_id, @number)`, pgx.NamedArgs{"number": c.Number})
		return tx.Return(`SELECT to_json(i) FROM invoices i WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
	}})
	store := &Store{Wait: time.Second}
	intent := Intent{Tenant: uuid.New(), Key: NewKey(), Actor: "bench"}
	for b.Loop() {
		intent.Record = uuid.New()
		args := operation.arguments(store, intent, fingerprint)
		if _, err := operation.transaction(b.Context(), store, intent, command, args); err != nil {
			b.Fatal(err)
		}
	}
}
