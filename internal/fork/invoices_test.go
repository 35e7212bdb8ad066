package fork_test

import (
	"strings"
	"testing"

	"onlyonce/internal/fork"
	"onlyonce/internal/postgres/pgtest"
)

// TestNoInvoiceIsLost: the migration that drops the tables of invoices refuses to while one of them has a row, though no
// tenant is entered and row-level security would hide it.
func TestNoInvoiceIsLost(t *testing.T) {
	t.Parallel()
	up, _, _ := strings.Cut(fork.WithoutInvoices(), "-- +goose Down")
	for used, want := range map[bool]string{true: "credit_note_series has rows", false: ""} {
		db := pgtest.New(t)
		if used {
			if _, err := db.Admin(t).Exec(t.Context(), `
				WITH acme AS (INSERT INTO tenants (id, name) VALUES (gen_random_uuid(), 'Acme') RETURNING id)
				INSERT INTO credit_note_series SELECT id, 2026, 1 FROM acme`); err != nil {
				t.Fatal(err)
			}
		}
		_, err := db.Pool.Exec(t.Context(), up)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("with rows %t: %v, want %q", used, err, want)
		}
	}
}
