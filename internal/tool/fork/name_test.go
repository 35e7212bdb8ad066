package fork_test

import (
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/tool/fork"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func TestNames(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ module, product, slug, wantSlug, wantToken string }{
		"one word":          {"example.com/acme/ledger", "Ledger", "", "ledger", "le_"},
		"two words":         {"example.com/ledger", "Acme Ledger", "", "acmeledger", "al_"},
		"hyphen and digits": {"github.com/Acme/x/v2", "Ledger-24", "", "ledger24", "l2_"},
		"chosen slug":       {"example.com/x", "Order", "orders", "orders", "or_"},
		"not in ASCII":      {"example.com/x", "Büro Österreich", "buero", "buero", "bu_"},
	} {
		got, err := fork.NewNames(c.module, c.product, c.slug)
		want := fork.Names{Module: c.module, Product: c.product, Slug: c.wantSlug, Token: c.wantToken}
		assert.Thatf(t, err == nil && got == want, "%s: %+v, %v", name, got, err)
	}
}

func TestNamesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ module, product, slug, want string }{
		"no module":            {"", "Ledger", "", "such as example.com/acme/ledger"},
		"module without a dot": {"ledger", "Ledger", "", "missing dot"},
		"module with a blank":  {"example.com/acme ledger", "Ledger", "", "invalid char"},
		"module of a URL":      {"https://example.com/ledger", "Ledger", "", "double slash"},
		"no name":              {"example.com/x", "", "", "begin with a letter"},
		"digit first":          {"example.com/x", "24 Ledgers", "", "begin with a letter"},
		"markup":               {"example.com/x", "<b>", "", "letters and digits"},
		"quote":                {"example.com/x", `Acme"`, "", "letters and digits"},
		"two blanks":           {"example.com/x", "Acme  Ledger", "", "one blank"},
		"41 letters":           {"example.com/x", strings.Repeat("a", 41), "", "at most 40"},
		"long slug":            {"example.com/x", "Accounts of the Whole Company", "", "3 to 20 letters"},
		"short slug":           {"example.com/x", "Ab", "", "3 to 20 letters"},
		"slug with a hyphen":   {"example.com/x", "Ledger", "acme-ledger", "3 to 20 letters"},
		"not in ASCII":         {"example.com/x", "Büro", "", "give them as slug="},
		"word of SQL":          {"example.com/x", "Order", "", "has a meaning"},
		"role of PostgreSQL":   {"example.com/x", "Postgres", "", "has a meaning"},
		"prefix of PostgreSQL": {"example.com/x", "PG Books", "", "not with pg"},
	} {
		got, err := fork.NewNames(c.module, c.product, c.slug)
		assert.Thatf(t, err != nil && strings.Contains(err.Error(), c.want), "%s: %+v, %v", name, got, err)
	}
}

// TestReservedWordsAreThoseOfPostgreSQL asks PostgreSQL which words can't name a role.
func TestReservedWordsAreThoseOfPostgreSQL(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	rows, err := db.Pool.Query(t.Context(), `
		SELECT word FROM pg_get_keywords() WHERE catcode IN ('R', 'T') AND word ~ '^[a-z0-9]{3,20}$'`)
	must.OK(t, err)
	defer rows.Close()
	words := 0
	for rows.Next() {
		var word string
		must.OK(t, rows.Scan(&word))
		_, err := fork.NewNames("example.com/x", "Ledger", word)
		assert.Thatf(t, err != nil, "%q can be chosen", word)
		words++
	}
	if err := rows.Err(); err != nil || words < 50 {
		t.Errorf("%d words: %v", words, err)
	}
}
