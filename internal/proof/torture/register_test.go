package torture

import (
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"onlyonce/internal/assert"
)

// moment returns an answer with a customer.
func moment(version int, name string) profile { return profile{ID: "a", Version: version, Name: name} }

func archived(version int, name string) profile {
	return profile{ID: "a", Version: version, Name: name, ArchivedAt: "2026-11-21T00:00:00Z"}
}

func TestRegister(t *testing.T) {
	t.Parallel()
	type during struct {
		from, to time.Duration
		event    event
	}
	edited := func(from, to time.Duration, seen int, name string) during {
		return during{from, to, event{kind: edit, seen: []int{seen}, name: name, outcome: itChanged, shown: moment(seen+1, name)}}
	}
	looked := func(from, to time.Duration, shown profile) during {
		return during{from, to, event{kind: look, shown: shown}}
	}
	for _, c := range []struct {
		name   string
		events []during
		want   bool
	}{
		{"two edits", []during{edited(1, 2, 1, "b"), edited(3, 4, 2, "c"), looked(5, 6, moment(3, "c"))}, true},
		{"an update is lost", []during{edited(1, 2, 1, "b"), edited(3, 4, 2, "c"), looked(5, 6, moment(3, "b"))}, false},
		{"two edits of one version", []during{edited(1, 4, 1, "b"), edited(2, 3, 1, "c")}, false},
		{"a look back", []during{edited(1, 2, 1, "b"), looked(3, 4, moment(1, "a"))}, false},
		{"a look meanwhile", []during{edited(1, 4, 1, "b"), looked(2, 3, moment(1, "a"))}, true},
		{"a look ahead", []during{looked(1, 2, moment(2, "b")), edited(3, 4, 1, "b")}, false},
		{"the first name changes by itself", []during{looked(1, 2, moment(1, "a")), looked(3, 4, moment(1, "b"))}, false},
		{"stale", []during{edited(1, 2, 1, "b"), {3, 4, event{kind: edit, seen: []int{1}, name: "c", outcome: itStale}}}, true},
		{"stale before anything has changed", []during{
			{1, 2, event{kind: edit, seen: []int{1}, name: "c", outcome: itStale}}, edited(3, 4, 1, "b"),
		}, false},
		{"an edit that changes nothing", []during{
			edited(1, 2, 1, "b"), {3, 4, event{kind: edit, seen: []int{2}, outcome: itUnchanged, shown: moment(2, "b")}},
		}, true},
		{"an edit that changes nothing makes a version", []during{
			edited(1, 2, 1, "b"), {3, 4, event{kind: edit, seen: []int{2}, outcome: itUnchanged, shown: moment(3, "b")}},
		}, false},
		{"archived twice", []during{
			{1, 2, event{kind: archive, outcome: itChanged, shown: archived(2, "a")}},
			{3, 4, event{kind: archive, outcome: itUnchanged, shown: archived(2, "a")}},
			{5, 6, event{kind: restore, outcome: itChanged, shown: moment(3, "a")}},
		}, true},
		{"archived twice, each time anew", []during{
			{1, 2, event{kind: archive, outcome: itChanged, shown: archived(2, "a")}},
			{3, 4, event{kind: archive, outcome: itChanged, shown: archived(3, "a")}},
		}, false},
		{"stored and not answered", []during{
			{1, atRest, event{kind: archive, outcome: itChanged}},
			{2, 3, event{kind: edit, seen: []int{2}, name: "b", outcome: itChanged, shown: archived(3, "b")}},
		}, true},
		{"stored and not done", []during{
			{1, atRest, event{kind: archive, outcome: itChanged}}, looked(lastLook, never, moment(1, "a")),
		}, false},
		{"without a key, done", []during{
			{1, never, event{kind: archive, seen: []int{1}, maybe: true}}, looked(lastLook, never, archived(2, "a")),
		}, true},
		{"without a key, not done", []during{
			{1, never, event{kind: archive, seen: []int{1}, maybe: true}}, looked(lastLook, never, moment(1, "a")),
		}, true},
		{"without a key, of another version", []during{
			{1, never, event{kind: archive, seen: []int{1}, maybe: true}}, edited(2, 3, 1, "b"), looked(lastLook, never, archived(3, "b")),
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var all timeline
			for _, d := range c.events {
				all.add(d.from, d.to, d.event)
			}
			got := all.linearizable(1) == porcupine.Ok
			assert.Thatf(t, got == c.want, "got %t", got)
		})
	}
}

// TestRegisterFromAVersion checks that an existing record begins with its version.
func TestRegisterFromAVersion(t *testing.T) {
	t.Parallel()
	var all timeline
	all.add(1, 2, event{kind: business, seen: []int{4}, name: "b", outcome: itChanged, shown: moment(5, "b")})
	for version, want := range map[int]porcupine.CheckResult{3: porcupine.Illegal, 4: porcupine.Ok, 5: porcupine.Illegal} {
		got := all.linearizable(version)
		assert.Thatf(t, got == want, "from version %d: %s", version, got)
	}
}

// TestManyTheSame checks that many equal answers at the same time keep the search short, and are still verified.
func TestManyTheSame(t *testing.T) {
	t.Parallel()
	for barred, want := range map[string]bool{itBarred: true, itExceeds: false} {
		var all timeline
		all.add(0, 10, event{kind: void, outcome: itChanged})
		for n := range time.Duration(40) {
			all.add(1, 100+n, event{kind: redraft, seen: []int{2}, outcome: barred})
			all.add(1, 200-n, event{kind: look, shown: profile{Version: 2}})
			all.add(1, 300, event{kind: pay, amount: 100, outcome: itBarred})
		}
		all.add(2, 9, event{kind: look, shown: profile{Version: 1}}) // before the invoice was voided
		got := all.linearizable(1)
		assert.Thatf(t, (got == porcupine.Ok) == want && got != porcupine.Unknown, "%s: %s", barred, got)
	}
}
