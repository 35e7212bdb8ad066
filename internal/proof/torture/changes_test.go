package torture

import (
	"testing"
)

// changed returns an attempt of intent 0, an edit of customer a from version 1.
func changed(from, to int, o outcome) attempt {
	a := ended(from, to, o, "")
	a.Kind, a.Record, a.Seen = edit, "a", 1
	switch o {
	case done, repeated:
		a.ID, a.Digest, a.Shown = "a", "body", moment(2, content(0, 0))
	case mismatch:
		a.ID = "a"
	case stale:
		a.Shown.Version = 2
	default:
	}
	return a
}

func withoutKey(a attempt) attempt {
	a.Key = ""
	return a
}

// archives returns an attempt to archive customer a, without a key.
func archives(from, to int, o outcome) attempt {
	a := withoutKey(changed(from, to, o))
	a.Kind = archive
	if a.Outcome == done {
		a.Shown = archived(2, "a")
	}
	return a
}

func TestJudgeChanges(t *testing.T) {
	t.Parallel()
	kept := stored{origin{0, "customer.edit", "key"}, "a", true, content(0, 0)}
	unasked, unkeyed, another, elsewhere := kept, kept, kept, kept
	unasked.key, unkeyed.key = "nobody's", "made by the server"
	another.name, elsewhere.record = content(0, 1), "b"
	archival := stored{origin{0, "customer.archive", "made by the server"}, "a", true, ""}
	unmade, madeLate := archival, archival
	unmade.key, unmade.changed, madeLate.key = "key", false, "key"
	tried := func(from, to int, o outcome) attempt {
		a := changed(from, to, o)
		a.Kind = archive
		return a
	}
	before, after := moment(1, "a"), moment(2, content(0, 0))
	found, later := unkeyed, changed(3, 4, done)
	found.changed, found.name, later.Shown.Version = false, "", 3
	late, differs, again := changed(5, 6, repeated), changed(5, 6, repeated), changed(5, 6, done)
	behind, wide := changed(1, 2, stale), changed(1, 2, done)
	late.Done += retain
	late.Shown, late.Digest, differs.Digest = moment(3, "c"), "later body", "other bytes"
	behind.Shown.Version, wide.Shown.Version = 1, 3
	const (
		once   = "an acknowledged change is stored exactly once"
		linear = "the answers to a key are linearizable"
		model  = "the changes of a record are linearizable"
	)
	for _, c := range []struct {
		name     string
		kind     kind
		attempts []attempt
		stored   []stored
		now      profile
		want     []string
	}{
		{"done and repeated", edit, []attempt{changed(1, 2, done), changed(3, 4, repeated)}, []stored{kept}, after, nil},
		{"lost, then repeated", edit, []attempt{changed(1, 2, lost), changed(3, 4, repeated)}, []stored{kept}, after, nil},
		{"in progress, then repeated", edit, []attempt{changed(1, 2, inProgress), changed(3, 4, repeated)}, []stored{kept}, after, nil},
		{"lost and done", edit, []attempt{changed(1, 2, lost)}, []stored{kept}, after, nil},
		{"lost and not done", edit, []attempt{changed(1, 2, lost)}, nil, before, nil},
		{"stale", edit, []attempt{changed(1, 2, stale)}, nil, moment(2, "b"), []string{model}}, // no attempt made version 2
		{"another command", edit, []attempt{changed(1, 2, done), other(changed(3, 4, mismatch))}, []stored{kept}, after, nil},
		{"without a key, lost and then stale", edit,
			[]attempt{withoutKey(changed(1, 2, lost)), withoutKey(changed(3, 4, stale))}, []stored{unkeyed}, after, nil},
		{"without a key, lost and then found done", edit,
			[]attempt{withoutKey(changed(1, 2, lost)), withoutKey(changed(3, 4, done))}, []stored{unkeyed, found}, after, nil},
		{"without a key, found done, and archived in between", edit,
			[]attempt{withoutKey(changed(1, 2, lost)), withoutKey(later)}, []stored{unkeyed, found}, later.Shown, []string{model}},
		{"without a key, stale and stored", edit, []attempt{withoutKey(changed(3, 4, stale))}, []stored{unkeyed}, after,
			[]string{"a refused change is not stored", "every change was asked for", model}},
		{"archived without a key", archive, []attempt{archives(1, 2, done)}, []stored{archival}, archived(2, "a"), nil},
		{"archived without a key, lost and done", archive, []attempt{archives(1, 2, lost)}, []stored{archival}, archived(2, "a"), nil},
		{"archived without a key, twice", archive, []attempt{archives(1, 2, done)}, []stored{archival, archival}, archived(2, "a"),
			[]string{"every change was asked for"}},
		{"archived without a key, and not stored", archive, []attempt{archives(1, 2, done)}, nil, archived(2, "a"), []string{once}},
		{"done and not stored", edit, []attempt{changed(1, 2, done)}, nil, after, []string{once}},
		{"done and gone", edit, []attempt{changed(1, 2, done)}, []stored{kept}, before, []string{model}},
		{"done twice", edit, []attempt{changed(1, 2, done), again}, []stored{kept, kept}, after,
			[]string{"one attempt carries an intent out", once, linear}},
		{"stored twice, unknown", edit, []attempt{changed(1, 2, lost)}, []stored{kept, kept}, after,
			[]string{"an unknown change is stored at most once"}},
		{"a key told stale, and stored", edit, []attempt{changed(1, 2, lost), changed(3, 4, stale)}, []stored{kept}, after,
			[]string{"a refused change is not stored"}},
		{"a key told stale, and stored when others had archived it", archive, []attempt{tried(1, 2, lost), tried(3, 4, stale)},
			[]stored{unmade}, archived(2, "a"), []string{model}}, // the history has none of the other attempts
		{"a key told stale, and archived", archive, []attempt{tried(1, 2, lost), tried(3, 4, stale)},
			[]stored{madeLate}, archived(2, "a"), []string{"a refused change is not stored", model}},
		{"stale after it was done", edit, []attempt{changed(1, 2, done), changed(3, 4, stale)}, []stored{kept}, after, []string{linear}},
		{"stale, of the version that is there", edit, []attempt{behind}, nil, before, []string{"what is stale has a newer version", model}},
		{"from another version", edit, []attempt{wide}, []stored{kept}, moment(3, content(0, 0)),
			[]string{"a change is made from the version that was seen", model}},
		{"repeated otherwise", edit, []attempt{changed(1, 2, done), differs}, []stored{kept}, after,
			[]string{"a replay is identical to the byte"}},
		{"repeated late, of a state that never was", edit, []attempt{changed(1, 2, done), late}, []stored{kept}, after, []string{model}},
		{"another content", edit, []attempt{changed(1, 2, done)}, []stored{another}, after,
			[]string{"the change is what was asked for", "what was answered is what is stored", model}},
		{"another customer", edit, []attempt{changed(1, 2, lost)}, []stored{elsewhere}, before,
			[]string{"the change is what was asked for"}},
		{"nobody asked", edit, nil, []stored{unasked}, before, []string{"every change was asked for"}},
		{"internal error", edit, []attempt{changed(1, 2, unexpected)}, nil, before,
			[]string{"every answer is one that the contract knows"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in := intent{kind: c.kind, key: "key", change: change{otherwise: true}}
			if len(c.attempts) > 0 {
				in.key = c.attempts[0].Key
			}
			e := &evidence{
				intents: []intent{in}, attempts: [][]attempt{c.attempts},
				rows: rows{changes: c.stored, now: map[string]profile{"a": c.now}},
			}
			e.finds(t, c.want)
		})
	}
}
