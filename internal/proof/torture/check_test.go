package torture

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// ended returns an attempt of intent 0, from one moment to another.
func ended(from, to int, o outcome, id string) attempt {
	a := attempt{Called: time.Duration(from), Done: time.Duration(to), Outcome: o, ID: id, Key: "key"}
	switch o {
	case created, replayed:
		a.Number, a.Total, a.Digest = "2026-0001", 100, "body of "+id
	case current:
		a.Number, a.Total = "2026-0001", 100
	default:
	}
	return a
}

// other returns the attempt with the second command of the intent.
func other(a attempt) attempt {
	a.Command = 1
	return a
}

func made(id string) row {
	return row{
		origin: origin{0, "invoice.create", "key"}, id: id, number: "2026-0001", total: 100,
		notes: content(0, 0), email: "a@example.com",
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	stranger, altered := made("b"), made("a")
	stranger.key, altered.total = "nobody's", 200
	replay := ended(5, 6, replayed, "a")
	replay.Digest = "other bytes"
	for _, c := range []struct {
		name     string
		attempts []attempt
		rows     []row
		want     []string
	}{
		{"created and replayed", []attempt{ended(1, 2, created, "a"), ended(3, 4, replayed, "a")}, []row{made("a")}, nil},
		{"lost answer, then replayed", []attempt{ended(1, 2, lost, ""), ended(3, 4, replayed, "a")}, []row{made("a")}, nil},
		{"expired", []attempt{ended(1, 2, created, "a"), ended(3, 4, current, "a")}, []row{made("a")}, nil},
		{"other command", []attempt{ended(1, 2, created, "a"), other(ended(3, 4, mismatch, "a"))}, []row{made("a")}, nil},
		{"number taken", []attempt{ended(1, 2, conflict, "x")}, nil, nil},
		{"given up, made", []attempt{ended(1, 2, lost, "")}, []row{made("a")}, nil},
		{"given up, not made", []attempt{ended(1, 2, lost, "")}, nil, nil},
		{"acknowledged and lost", []attempt{ended(1, 2, created, "a")}, nil,
			[]string{"an acknowledged intent has exactly one record"}},
		{"made twice", []attempt{ended(1, 2, created, "a"), ended(3, 4, replayed, "a")}, []row{made("a"), made("b")},
			[]string{"an acknowledged intent has exactly one record"}},
		{"made twice, unknown", []attempt{ended(1, 2, lost, "")}, []row{made("a"), made("b")},
			[]string{"an unknown intent has at most one record"}},
		{"two told that they made it", []attempt{ended(1, 4, created, "a"), ended(2, 3, created, "a")}, []row{made("a")},
			[]string{"one attempt carries an intent out", "the answers to a key are linearizable"}},
		{"answers differ", []attempt{ended(1, 2, created, "a"), ended(3, 4, current, "b")}, []row{made("a")},
			[]string{"all answers to a key are equal", "what was answered is what is stored", "the answers to a key are linearizable"}},
		{"replay differs", []attempt{ended(1, 2, created, "a"), replay}, []row{made("a")},
			[]string{"a replay is identical to the byte"}},
		{"refused and made", []attempt{ended(1, 2, conflict, "x")}, []row{made("a")},
			[]string{"a refused intent has no record"}},
		{"stored otherwise", []attempt{ended(1, 2, created, "a")}, []row{altered},
			[]string{"what was answered is what is stored"}},
		{"nobody asked", nil, []row{stranger}, []string{"every record has an intent"}},
		{"internal error", []attempt{ended(1, 2, unexpected, "")}, nil,
			[]string{"every answer is one that the contract knows"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := &evidence{
				intents:  []intent{{key: "key", number: "2026-0001", kind: typed, email: "a@example.com"}},
				attempts: [][]attempt{c.attempts},
				rows:     rows{all: c.rows},
			}
			e.finds(t, c.want)
		})
	}
}

// finds judges the evidence, and compares the broken rules with want.
func (e *evidence) finds(t *testing.T, want []string) {
	t.Helper()
	e.rows.byOrigin = map[origin][]row{}
	for _, r := range e.rows.all {
		e.rows.byOrigin[r.origin] = append(e.rows.byOrigin[r.origin], r)
	}
	e.judge()
	var got []string
	for _, v := range e.found {
		got = append(got, v.Rule)
	}
	assert.Thatf(t, slices.Equal(got, want), "got %q, want %q", got, want)
}

func TestLinearizable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		attempts []attempt
		want     bool
	}{
		{"nothing", nil, true},
		{"a replay overlaps the creation", []attempt{ended(1, 9, created, "a"), ended(2, 3, replayed, "a")}, true},
		{"a replay ends before the creation begins", []attempt{ended(1, 2, replayed, "a"), ended(3, 4, created, "a")}, false},
		{"a replay of nothing", []attempt{ended(1, 2, replayed, "a")}, false},
		{"a lost request creates later", []attempt{ended(1, 2, lost, ""), ended(3, 4, refused, ""), ended(5, 6, replayed, "a")}, true},
		{"two creations", []attempt{ended(1, 2, created, "a"), ended(3, 4, created, "b")}, false},
		{"two names", []attempt{ended(1, 2, lost, ""), ended(3, 4, replayed, "a"), ended(5, 6, current, "b")}, false},
		{"refused, then created", []attempt{ended(1, 2, conflict, "x"), ended(3, 4, created, "a")}, false},
		{"created, then refused", []attempt{ended(1, 2, created, "a"), ended(3, 4, conflict, "x")}, false},
		{"the other command replays", []attempt{ended(1, 2, created, "a"), other(ended(3, 4, replayed, "a"))}, false},
		{"mismatch with itself", []attempt{ended(1, 2, created, "a"), ended(3, 4, mismatch, "a")}, false},
		{"mismatch with a lost one", []attempt{ended(1, 2, lost, ""), other(ended(3, 4, mismatch, "a"))}, true},
		{"a lost request creates before it is sent", []attempt{ended(1, 2, replayed, "a"), ended(3, 4, lost, "")}, false},
		{"an outage", slices.Concat(slices.Repeat([]attempt{ended(1, 2, lost, "")}, 60), []attempt{ended(3, 4, conflict, "x")}), true},
		{"a customer found again", []attempt{ended(1, 2, created, "a"), ended(3, 4, current, "a")}, true},
		{"a customer found by a key that created it", []attempt{ended(1, 2, created, "a"), ended(3, 4, existing, "a")}, false},
		{"a change, repeated", []attempt{ended(1, 2, done, "a"), ended(3, 4, repeated, "a")}, true},
		{"a change, done twice", []attempt{ended(1, 2, done, "a"), ended(3, 4, done, "a")}, false},
		{"a change, stale and then done from another version", []attempt{ended(1, 2, stale, ""), ended(3, 4, done, "a")}, true},
		{"a change, done and then stale", []attempt{ended(1, 2, done, "a"), ended(3, 4, stale, "")}, false},
		{"a change, repeated by another command", []attempt{ended(1, 2, done, "a"), other(ended(3, 4, repeated, "a"))}, false},
		{"a change, repeated after no more than progress", []attempt{ended(1, 2, inProgress, ""), ended(3, 4, repeated, "a")}, true},
		{"another command, late", []attempt{ended(1, 2, created, "a"), other(ended(3, 4, current, "a"))}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := linearizable(c.attempts, false) == porcupine.Ok
			assert.Thatf(t, got == c.want, "got %t", got)
		})
	}
}

// TestUndecided checks that an undecided search is reported, but not as a violation.
func TestUndecided(t *testing.T) {
	t.Parallel()
	var e evidence
	for _, result := range []porcupine.CheckResult{porcupine.Ok, porcupine.Illegal, porcupine.Unknown} {
		e.searched(result, -1, "an order", string(result))
	}
	var r Report
	r.add(e.found)
	assert.Thatf(t, len(r.Violations) == 1 && r.Violations[0].Detail == string(porcupine.Illegal), "violations: %v", r.Violations)
	assert.Thatf(t, len(r.Undecided) == 1 && r.Undecided[0].Detail == string(porcupine.Unknown), "undecided: %v", r.Undecided)
	var out strings.Builder
	err := r.Print(&out)
	must.OK(t, err)
	assert.Thatf(t, strings.Contains(out.String(), "undecided: an order: Unknown"), "%v", out.String())
}

// TestGivenUp checks that only a freed number allows an intent to succeed after its refusal.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	attempts := []attempt{ended(1, 2, conflict, "x"), ended(3, 4, created, "a")}
	for free, want := range map[bool]porcupine.CheckResult{true: porcupine.Ok, false: porcupine.Illegal} {
		got := linearizable(attempts, free)
		assert.Thatf(t, got == want, "given up %t: %s", free, got)
	}
}
