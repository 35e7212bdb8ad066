package torture

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Layer is one layer of protection, and how to remove it. Without it, a run must find violations.
type Layer struct {
	Name    string
	Removed string // what exactly

	sql      []string // run in the database before the clients start
	mutation mutation // of the server
	fresh    bool     // clients make a new key for every attempt
}

// Layers lists those that the self-test removes, one at a time.
func Layers() []Layer {
	return []Layer{
		{
			Name:    "the idempotency record",
			Removed: "the primary key of idempotency_records, and the constraints *_one_per_intent below it",
			sql: []string{
				`ALTER TABLE idempotency_records DROP CONSTRAINT idempotency_records_pkey`,
				`ALTER TABLE invoices DROP CONSTRAINT invoices_one_per_intent`,
				`ALTER TABLE customers DROP CONSTRAINT customers_one_per_intent`,
			},
		},
		{
			Name:    "the key on the created row, for life",
			Removed: "the constraint invoices_one_per_intent; records are kept, and expire as always",
			sql:     []string{`ALTER TABLE invoices DROP CONSTRAINT invoices_one_per_intent`},
		},
		{
			Name:    "the unique number",
			Removed: "the constraint invoices_number_once_per_year",
			sql:     []string{`ALTER TABLE invoices DROP CONSTRAINT invoices_number_once_per_year`},
		},
		{
			Name:    "one intent, one key",
			Removed: "clients send a fresh key with every attempt",
			fresh:   true,
		},
		{
			Name:    "record and work in one transaction",
			Removed: "the server is built with one statement replaced: the claim commits before the work",
			mutation: mutation{
				pkg:  "onlyonce/internal/idempotency",
				file: "transaction.go",
				old:  `at, err = commit(ctx, conn.Conn(), t.all, &made.result, &made.id)`,
				new: `at, err = commit(ctx, conn.Conn(), append(t.all[:1:1], t.look[0]), new(string))
	if err == nil {
		at, err = commit(ctx, conn.Conn(), append(t.look[:1:1], t.all[1:]...), &made.result, &made.id)
	}`,
			},
		},
	}
}

// mutation is a change of one source file of the server, made for one build and never on disk where the
// sources are. The zero value changes nothing.
type mutation struct {
	pkg, file string
	old, new  string
}

// overlay writes the changed file into dir and gives the path of an overlay for the go command, or "".
// It fails if the source no longer has the place exactly once.
func (m mutation) overlay(ctx context.Context, dir string) (string, error) {
	if m.pkg == "" {
		return "", nil
	}
	where, err := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", m.pkg).Output()
	if err != nil {
		return "", fmt.Errorf("find the sources of %s: %w", m.pkg, err)
	}
	original := filepath.Join(strings.TrimSpace(string(where)), m.file)
	source, err := os.ReadFile(original)
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(source), m.old); n != 1 {
		return "", fmt.Errorf("the self-test no longer fits %s: %d times %q, want once", original, n, m.old)
	}
	changed := filepath.Join(dir, "mutated.go")
	mutated := strings.Replace(string(source), m.old, m.new, 1)
	if err := os.WriteFile(changed, []byte(mutated), 0o600); err != nil { //nolint:gosec // into the directory of this run
		return "", err
	}
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	if err != nil {
		return "", fmt.Errorf("encode the overlay: %w", err)
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, replace, 0o600)
}
