// Package importingtest has helpers for tests of kinds of imports.
package importingtest

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/riverqueue/river"

	"onlyonce/internal/file"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/importing"
	"onlyonce/internal/must"
	"onlyonce/internal/record"
)

// Bundle is a separate database with one tenant, which has a token, and helpers to import a kind of records.
type Bundle struct {
	*storetest.Bundle

	Kind *importing.Kind
}

// Actor is the name of the token.
const Actor = "token sync"

// Setup returns a bundle for a parallel test.
func Setup(t *testing.T, kind *importing.Kind) *Bundle {
	t.Helper()
	b := &Bundle{storetest.Setup(t), kind}
	b.Exec(`INSERT INTO api_tokens (tenant_id, token_hash, name) VALUES ($1, sha256('valid'), 'sync')`, b.Tenant)
	return b
}

// Command returns the command that uploads a file.
func (b *Bundle) Command(content string) importing.Draft {
	b.Helper()
	d, err := b.Kind.Draft(importing.Input{File: file.Input{Name: "records.csv", Content: []byte(content)}})
	must.OK(b, err)
	return d
}

// Uploaded uploads a file.
func (b *Bundle) Uploaded(key, content string) importing.Import {
	b.Helper()
	done, err := b.Kind.Upload.Do(b.Context(), b.Store, b.Intent(key), b.Command(content))
	must.OK(b, err)
	return done.Value
}

// Confirm confirms an import with its settings.
func (b *Bundle) Confirm(store *idempotency.Store, key string, i importing.Import) (idempotency.Done[importing.Import], error) {
	intent := b.Intent(key)
	intent.Record, intent.Actor = i.ID, Actor
	return b.Kind.Confirm.Do(context.Background(), store, intent, i.Settings)
}

// Confirmed uploads and confirms a file.
func (b *Bundle) Confirmed(key, content string) importing.Import {
	b.Helper()
	done, err := b.Confirm(b.Store, key, b.Uploaded(key, content))
	must.OK(b, err)
	return done.Value
}

// Work runs the job of an import.
func (b *Bundle) Work(ctx context.Context, store *idempotency.Store, i importing.Import) error {
	w := importing.Worker{Store: store, Log: slog.New(slog.DiscardHandler), Kinds: []*importing.Kind{b.Kind}}
	return w.Work(ctx, &river.Job[importing.Job]{Args: importing.Job{Tenant: b.Tenant, Import: i.ID}})
}

// Outcome returns the progress of an import, and the number of records: "2 created, 0 known, 1 left out, 2 customers".
func (b *Bundle) Outcome(i importing.Import) string {
	b.Helper()
	found, err := record.Find(b.Context(), b.Store.Pool, b.Kind.Table, b.Tenant, i.ID)
	must.OK(b, err)
	return fmt.Sprintf("%d created, %d known, %d left out, %d %s", found.Created, found.Known, found.LeftOut, b.Records(), b.Kind.Many)
}

// Records returns the number of records.
func (b *Bundle) Records() int { return storetest.Value[int](b, `SELECT count(*) FROM `+b.Kind.Many) }

// Imported imports a file, and returns the outcome.
func (b *Bundle) Imported(key, content string) string {
	b.Helper()
	i := b.Confirmed(key, content)
	must.OK(b, b.Work(b.Context(), b.Store, i))
	return b.Outcome(i)
}

// Problems returns the problems of an import as "line: problem".
func (b *Bundle) Problems(i importing.Import) []string {
	b.Helper()
	return storetest.Value[[]string](b, `
		SELECT COALESCE(array_agg(line || ': ' || problem ORDER BY line), '{}') FROM import_problems WHERE import_id = $1`, i.ID)
}

// Preview returns the verdicts on the entries of an import as "line verdict problem".
func (b *Bundle) Preview(i importing.Import) (all []string) {
	b.Helper()
	must.OK(b, b.Kind.Preview(b.Context(), b.Store.Pool, b.Tenant, i, func(e *importing.Entry) error {
		all = append(all, strings.TrimSpace(fmt.Sprint(e.Line(), " ", e.Verdict, " ", e.Problem)))
		return nil
	}))
	return all
}
