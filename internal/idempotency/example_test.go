package idempotency_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
)

type note struct {
	ID   uuid.UUID `json:"id"`
	Text string    `json:"text"`
}

var notes = record.Table[note]{Name: "notes", Fields: `'text', r.text`}

// Work as a list of statements: claim, work, result and COMMIT take one round trip.
func ExampleDefine_statements() {
	create := idempotency.Define(idempotency.Spec[note, note]{
		Name:  "note.create",
		Table: notes,
		Statements: func(tx *idempotency.Tx, n note) idempotency.Result {
			tx.Exec(`INSERT INTO notes (tenant_id, id, text) VALUES (@tenant_id, @record_id, @text)`, pgx.NamedArgs{"text": n.Text})
			return tx.Record()
		},
	})
	twice(create)
	// Output:
	// "Call Ada", replayed: false
	// "Call Ada", replayed: true
	// 1 note
}

// Work as ordinary code: it may read and then decide.
func ExampleDefine_run() {
	create := idempotency.Define(idempotency.Spec[note, note]{
		Name:  "note.create",
		Table: notes,
		Run: func(ctx context.Context, tx pgx.Tx, intent idempotency.Intent, n note) (note, error) {
			n.ID = intent.Record
			_, err := tx.Exec(ctx, `INSERT INTO notes (tenant_id, id, text) VALUES ($1, $2, $3)`, intent.Tenant, n.ID, n.Text)
			return n, err
		},
	})
	twice(create)
	// Output:
	// "Call Ada", replayed: false
	// "Call Ada", replayed: true
	// 1 note
}

// twice sends one command twice under one key.
func twice(create idempotency.Operation[note, note]) {
	ctx := context.Background()
	err := pgtest.Run(ctx, func(db *pgtest.Database) error {
		if _, err := db.Pool.Exec(ctx, `
			CREATE TABLE notes (
				tenant_id uuid, id uuid, text text, version integer DEFAULT 1, created_at timestamptz DEFAULT now(),
				PRIMARY KEY (tenant_id, id))`); err != nil {
			return err
		}
		store := &idempotency.Store{Pool: db.Pool, Wait: 5 * time.Second, Timeout: 10 * time.Second}
		intent := idempotency.Intent{Tenant: uuid.New(), Key: idempotency.NewKey(), Actor: "ada@example.com"}
		for range 2 {
			done, err := create.Do(ctx, store, intent, note{Text: "Call Ada"})
			if err != nil {
				return err
			}
			fmt.Fprintf(os.Stdout, "%q, replayed: %v\n", done.Value.Text, done.Replayed)
		}
		var notes int
		err := db.Pool.QueryRow(ctx, `SELECT count(*) FROM notes`).Scan(&notes)
		fmt.Fprintln(os.Stdout, notes, "note")
		return err
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
