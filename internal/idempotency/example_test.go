package idempotency_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
)

// A note has a title, which is unique in its tenant, and a body.
type note struct {
	ID      uuid.UUID `json:"id"`
	Version int       `json:"version"`
	Title   string    `json:"title"`
	Body    string    `json:"body"`
	Done    bool      `json:"done"`
}

type command struct {
	Title string `json:"title"`
	Body  string `json:"body"`
}

var notes = record.Table[note]{Name: "notes", Fields: `'title', r.title, 'body', r.body, 'done', r.done`}

const notesTable = `
	CREATE TABLE notes (
		tenant_id uuid, id uuid, title text NOT NULL, body text NOT NULL, done boolean NOT NULL DEFAULT false,
		version record_version NOT NULL DEFAULT 1, created_at timestamptz NOT NULL DEFAULT now(),
		PRIMARY KEY (tenant_id, id), CONSTRAINT notes_title_once UNIQUE (tenant_id, title));
	CREATE TRIGGER next_version BEFORE UPDATE ON notes FOR EACH ROW EXECUTE FUNCTION next_version()`

var createNote = idempotency.Define(idempotency.Spec[command, note]{
	Kind: idempotency.Create, Name: "note.create", Table: notes,
	Statements: func(tx *idempotency.Tx, c command) idempotency.Result {
		tx.Exec(`INSERT INTO notes (tenant_id, id, title, body) VALUES (@tenant_id, @record_id, @title, @body)`,
			pgx.NamedArgs{"title": c.Title, "body": c.Body})
		return tx.Record()
	},
})

// A create in the style of statements: claim, work, result and COMMIT take one round trip.
func ExampleDefine_create() {
	withNotes(func(ctx context.Context, store *idempotency.Store, tenant uuid.UUID) {
		intent := idempotency.Intent{Tenant: tenant, Key: idempotency.NewKey(), Actor: "ada@example.com"}
		call := command{"Call Ada", "About the invoice"}
		show(createNote.Do(ctx, store, intent, call))
		show(createNote.Do(ctx, store, intent, call))
		show(createNote.Do(ctx, store, intent, command{"Call Bob", ""}))
	})
	// Output:
	// created: "Call Ada", version 1, replayed: false
	// created: "Call Ada", version 1, replayed: true
	// mismatch
	// 1 note
}

// A create in the style of ordinary code on a pgx.Tx: it may read and then decide.
func ExampleDefine_run() {
	create := idempotency.Define(idempotency.Spec[command, note]{
		Kind: idempotency.Create, Name: "note.create", Table: notes,
		Run: func(ctx context.Context, tx pgx.Tx, intent idempotency.Intent, c command) (note, error) {
			n := note{ID: intent.Record, Version: 1, Title: c.Title, Body: c.Body}
			_, err := tx.Exec(ctx, `INSERT INTO notes (tenant_id, id, title, body) VALUES ($1, $2, $3, $4)`,
				intent.Tenant, n.ID, n.Title, n.Body)
			return n, err
		},
	})
	withNotes(func(ctx context.Context, store *idempotency.Store, tenant uuid.UUID) {
		intent := idempotency.Intent{Tenant: tenant, Key: idempotency.NewKey(), Actor: "ada@example.com"}
		show(create.Do(ctx, store, intent, command{"Call Ada", "About the invoice"}))
		show(create.Do(ctx, store, intent, command{"Call Ada", "About the invoice"}))
	})
	// Output:
	// created: "Call Ada", version 1, replayed: false
	// created: "Call Ada", version 1, replayed: true
	// 1 note
}

// An upsert finds the record with the same natural key, here the title. Its work continues with the existing id.
func ExampleDefine_upsert() {
	upsert := idempotency.Define(idempotency.Spec[command, note]{
		Kind: idempotency.Upsert, Name: "note.upsert", Table: notes,
		Statements: func(tx *idempotency.Tx, c command) idempotency.Result {
			args := pgx.NamedArgs{"title": c.Title, "body": c.Body}
			tx.Exec(`
				INSERT INTO notes (tenant_id, id, title, body) VALUES (@tenant_id, @record_id, @title, @body)
				ON CONFLICT ON CONSTRAINT notes_title_once DO NOTHING`, args)
			return tx.Return(`SELECT `+notes.JSON()+` FROM notes r WHERE r.tenant_id = @tenant_id AND r.title = @title`, args)
		},
	})
	withNotes(func(ctx context.Context, store *idempotency.Store, tenant uuid.UUID) {
		for _, body := range []string{"About the invoice", "About the holidays"} {
			intent := idempotency.Intent{Tenant: tenant, Key: idempotency.NewKey(), Actor: "ada@example.com"}
			show(upsert.Do(ctx, store, intent, command{"Call Ada", body}))
		}
	})
	// Output:
	// created: "Call Ada", version 1, replayed: false
	// reused: "Call Ada", version 1, replayed: false
	// 1 note
}

// A change is made from the version that was seen. A second change from the same version is refused.
func ExampleDefine_change() {
	edit := idempotency.Define(idempotency.Spec[command, note]{
		Kind: idempotency.Change, Name: "note.edit", Table: notes,
		Statements: func(tx *idempotency.Tx, c command) idempotency.Result {
			tx.Exec(`UPDATE notes SET title = @title, body = @body WHERE tenant_id = @tenant_id AND id = @record_id`,
				pgx.NamedArgs{"title": c.Title, "body": c.Body})
			return tx.Record()
		},
	})
	withNotes(func(ctx context.Context, store *idempotency.Store, tenant uuid.UUID) {
		intent := idempotency.Intent{Tenant: tenant, Key: idempotency.NewKey(), Actor: "ada@example.com"}
		made, _ := createNote.Do(ctx, store, intent, command{"Call Ada", ""})
		intent.Record, intent.Seen = made.Value.ID, made.Value.Version
		for range 2 { // with the same key
			show(edit.Do(ctx, store, intent, command{"Call Bob", ""}))
		}
		intent.Key = idempotency.NewKey()
		show(edit.Do(ctx, store, intent, command{"Call Eve", ""}))
	})
	// Output:
	// changed: "Call Bob", version 2, replayed: false
	// changed: "Call Bob", version 2, replayed: true
	// stale
	// 1 note
}

// A transition reaches a state. If the record is in that state already, the transition succeeds without running the work.
func ExampleDefine_transition() {
	finish := idempotency.Define(idempotency.Spec[struct{}, note]{
		Kind: idempotency.Transition, Name: "note.finish", Table: notes, Made: `r.done`,
		Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
			tx.Exec(`UPDATE notes SET done = true WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
			return tx.Record()
		},
	})
	withNotes(func(ctx context.Context, store *idempotency.Store, tenant uuid.UUID) {
		intent := idempotency.Intent{Tenant: tenant, Key: idempotency.NewKey(), Actor: "ada@example.com"}
		made, _ := createNote.Do(ctx, store, intent, command{"Call Ada", ""})
		for range 2 { // two users, each with another key
			intent.Key, intent.Record = idempotency.NewKey(), made.Value.ID
			show(finish.Do(ctx, store, intent, struct{}{}))
		}
	})
	// Output:
	// changed: "Call Ada", version 2, replayed: false
	// unchanged: "Call Ada", version 2, replayed: false
	// 1 note
}

// show prints the result of an attempt.
func show(done idempotency.Done[note], err error) {
	var mismatch *idempotency.MismatchError
	var stale *idempotency.StaleError
	switch {
	case errors.As(err, &mismatch):
		fmt.Fprintln(os.Stdout, "mismatch")
	case errors.As(err, &stale):
		fmt.Fprintln(os.Stdout, "stale")
	case err != nil:
		fmt.Fprintln(os.Stdout, err)
	default:
		fmt.Fprintf(os.Stdout, "%s: %q, version %d, replayed: %v\n", done.Outcome, done.Value.Title, done.Value.Version, done.Replayed)
	}
}

// withNotes runs work on a database with a table of notes, and prints their number.
func withNotes(work func(ctx context.Context, store *idempotency.Store, tenant uuid.UUID)) {
	ctx := context.Background()
	err := pgtest.Run(ctx, func(db *pgtest.Database) error {
		if _, err := db.Pool.Exec(ctx, notesTable); err != nil {
			return err
		}
		work(ctx, &idempotency.Store{Pool: db.Pool, Wait: 5 * time.Second, Timeout: 10 * time.Second}, uuid.New())
		var notes int
		err := db.Pool.QueryRow(ctx, `SELECT count(*) FROM notes`).Scan(&notes)
		fmt.Fprintln(os.Stdout, notes, "note")
		return err
	})
	if err != nil {
		fmt.Fprintln(os.Stdout, err)
	}
}
