package lab

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// expected holds the number of records without some layers. With all layers there is one.
var expected = map[string]map[string]int{
	"five-clicks":   {"form-lock": 1, "intent": 5, "form-lock intent": 5},
	"two-tabs":      {"intent": 2},
	"lost-answer":   {"one-key": 2, "intent": 2, "one-key intent": 2},
	"same-number":   {"unique-number": 2},
	"two-edits":     {"version": 2},
	"pay-twice":     {"intent": 1, "open-amount": 2, "intent open-amount": 3},
	"one-event":     {"unique-event": 1, "payment-reference": 1, "unique-event payment-reference": 3},
	"two-clocks":    {"intent": 1, "unique-period": 2, "intent unique-period": 3},
	"tomorrow":      {"key-for-life": 2},
	"fifty":         {"one-key": 50, "intent": 50, "one-key intent": 50},
	"sign-up":       {"intent": 1, "open-sign-up": 2, "intent open-sign-up": 3},
	"upload":        {"intent": 1, "file-digest": 2, "intent file-digest": 3},
	"kill":          {"intent": 2, "same-transaction": 2, "intent same-transaction": 2},
	"stop-postgres": {"one-key": 2, "intent": 2, "one-key intent": 2},
}

// TestExperiments runs each experiment with all layers, without each and without all, and compares the result with the database.
func TestExperiments(t *testing.T) {
	t.Parallel()
	for _, s := range scripts() {
		all := remain(s.Layers, nil)
		for _, layer := range all {
			t.Run(s.Slug+" without "+layer, func(t *testing.T) { check(t, s, layer) })
		}
		if len(all) > 1 {
			t.Run(s.Slug+" without all", func(t *testing.T) { check(t, s, all...) })
		}
	}
}

func check(t *testing.T, s script, without ...string) {
	t.Helper()
	t.Parallel()
	l := sharedLab(t)
	result := order(t, l, s.Slug, 0, without...)
	want, ok := expected[s.Slug][strings.Join(without, " ")]
	must.Thatf(t, ok, "nothing is expected")
	run, _ := l.find(result.ID, t.Name())
	for n, things := range []int{1, want} {
		side := result.Sides[n]
		assert.Thatf(t, side.Things == things && len(side.Rows) == things && side.Done,
			"side %d has %d things in %d rows, want %d: %+v", n, side.Things, len(side.Rows), things, side)
		assert.Thatf(t, s.amount <= 0 || side.Amount == s.amount*int64(things) && side.Meant == euros(s.amount),
			"side %d: %s for %s", n, side.Money, side.Meant)
		checkAttempts(t, side, remain(s.Layers, side.Without))
		if there := stored(t, run.kept[n], side.SQL); there != fmt.Sprint(side.Columns, side.Rows) {
			t.Errorf("side %d has %v %v, and the database %s", n, side.Columns, side.Rows, there)
		}
	}
}

// checkAttempts checks that one attempt made each record, and that no attempt met a removed layer.
func checkAttempts(t *testing.T, side Side, left []string) {
	t.Helper()
	made := map[int]int{}
	for _, a := range side.Attempts {
		assert.Thatf(t, a.Done && a.Says != "" && a.Outcome != "", "attempt %d is not complete: %+v", a.N, a)
		if a.Row > 0 {
			made[a.Row]++
		}
		for _, met := range a.Met {
			assert.Thatf(t, slices.Contains(left, met), "attempt %d met %s, which was taken away", a.N, met)
		}
		assert.Thatf(t, a.Outcome != Created || a.Row != 0, "attempt %d was created, and made nothing: %+v", a.N, a)
	}
	for row := range side.Rows {
		assert.Thatf(t, made[row+1] == 1, "row %d was made by %d attempts", row+1, made[row+1])
	}
}

// stored returns the result of a SELECT as text.
func stored(t *testing.T, url, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url+"&timezone=UTC")
	must.OK(t, err)
	defer conn.Close(t.Context())
	columns, rows, err := selected(t.Context(), conn, sql)
	must.OK(t, err)
	return fmt.Sprint(columns, rows)
}
