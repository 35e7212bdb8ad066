// Command alone is a small app around package idempotency: one form, one JSON route and one table, on net/http.
// docs/use-the-core.md explains it.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"html/template"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
	"onlyonce/migrations"
)

// note is the record, and command is the request to create one.
type note struct {
	record.Header
	Title string `json:"title"`
}

type command struct {
	Title string `json:"title"`
}

var notes = record.Table[note]{Name: "notes", Fields: `'title', r.title`}

var create = idempotency.Define(idempotency.Spec[command, note]{
	Name: "note.create", Table: notes,
	Statements: func(tx *idempotency.Tx, c command) idempotency.Result {
		tx.Exec(`INSERT INTO notes (tenant_id, id, title) VALUES (@tenant_id, @record_id, @title)`, pgx.NamedArgs{"title": c.Title})
		return tx.Record()
	},
})

// tenant is the only tenant of an app without tenants.
var tenant = uuid.MustParse("00000000-0000-4000-8000-000000000001")

const table = `CREATE TABLE notes (
	tenant_id uuid, id uuid, title text NOT NULL, version record_version DEFAULT 1, created_at timestamptz DEFAULT now(),
	PRIMARY KEY (tenant_id, id));`

// open connects, and creates the tables if they are missing. A real app creates them in its own migrations.
func open(ctx context.Context, url string) (*idempotency.Store, error) {
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return nil, err
	}
	tables, there := "", false
	for _, file := range []string{"00101_foundation.sql", "00102_intents.sql", "00132_likeness_of_kinds.sql"} {
		sql, err := migrations.FS.ReadFile(file)
		if err != nil {
			return nil, err
		}
		up, _, _ := strings.Cut(string(sql), "-- +goose Down")
		tables += up
	}
	err = pool.QueryRow(ctx, `SELECT to_regclass('intents') IS NOT NULL`).Scan(&there)
	if err == nil && !there {
		_, err = pool.Exec(ctx, tables+table)
	}
	return &idempotency.Store{Pool: pool, Wait: 5 * time.Second, Timeout: 15 * time.Second}, err
}

var errInput = errors.New("a title is needed")

// save carries out a command once. bad is the error of a malformed key.
func save(r *http.Request, s *idempotency.Store, c command, key idempotency.Key, bad error) (idempotency.Done[note], error) {
	switch {
	case bad != nil:
		return idempotency.Done[note]{}, bad
	case c.Title == "":
		return idempotency.Done[note]{}, errInput
	}
	done, err := create.Do(r.Context(), s, idempotency.Intent{Tenant: tenant, Key: key, Actor: r.RemoteAddr}, c)
	if late, ok := errors.AsType[*idempotency.AlreadyDoneError](err); ok { // the result has expired: return the note in its current state
		done.Replayed = true
		done.Value, err = record.Find(r.Context(), s.Pool, notes, tenant, late.Record)
	}
	return done, err
}

func status(err error) int {
	_, mismatch := errors.AsType[*idempotency.MismatchError](err)
	switch {
	case mismatch, errors.Is(err, errInput):
		return http.StatusUnprocessableEntity
	case errors.Is(err, idempotency.ErrNoKey), errors.Is(err, idempotency.ErrMalformedKey):
		return http.StatusBadRequest
	case errors.Is(err, idempotency.ErrInProgress):
		return http.StatusConflict
	default: // ErrBusy, ErrUnavailable, ErrUnconfirmed and unknown errors: a retry with the same key is safe
		return http.StatusServiceUnavailable
	}
}

var page = template.Must(template.New("").Parse(`<!doctype html><title>Note</title><p>{{.Err}}</p><form method="post" action="/">
<input type="hidden" name="key" value="{{.Key}}"><input name="title" value="{{.Title}}"><button>Save</button></form>`))

func routes(s *idempotency.Store) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		_ = page.Execute(w, map[string]any{"Key": idempotency.NewKey()})
	})
	mux.HandleFunc("POST /{$}", func(w http.ResponseWriter, r *http.Request) {
		c := command{r.PostFormValue("title")}
		key, err := idempotency.ParseKey(r.PostFormValue("key"))
		done, err := save(r, s, c, key, err)
		if err != nil { // the form with its input and its key
			w.WriteHeader(status(err))
			_ = page.Execute(w, map[string]any{"Key": cmp.Or(key, idempotency.NewKey()), "Title": c.Title, "Err": err})
			return
		}
		http.Redirect(w, r, "/?saved="+done.Value.ID.String(), http.StatusSeeOther)
	})
	mux.HandleFunc("POST /notes", func(w http.ResponseWriter, r *http.Request) {
		var c command
		_ = json.NewDecoder(r.Body).Decode(&c) // an empty title is refused
		key, err := idempotency.ParseHeaderKey(r.Header.Get("Idempotency-Key"))
		done, err := save(r, s, c, key, err)
		if err != nil {
			http.Error(w, err.Error(), status(err))
			return
		}
		w.Header().Set("Idempotent-Replayed", strconv.FormatBool(done.Replayed))
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(done.Value)
	})
	return http.MaxBytesHandler(http.NewCrossOriginProtection().Handler(mux), 64<<10)
}

func main() {
	store, err := open(context.Background(), os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Addr: "127.0.0.1:8081", Handler: routes(store), ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(server.ListenAndServe())
}
