package torture

import (
	"slices"
	"time"
)

// keptUntil returns the time, since the start of the run, until which the result of a key is certainly stored. Later, the answer to
// a repeat may be the current record.
func keptUntil(attempts []attempt) time.Duration { return firstCall(attempts) + retain }

// firstCall returns the start of the first attempt.
func firstCall(attempts []attempt) time.Duration {
	first := attempts[0].Called
	for _, a := range attempts {
		first = min(first, a.Called)
	}
	return first
}

// changes compares the answers to one intent about an existing record with the database.
func (e *evidence) changes(n int) {
	in, attempts := e.intents[n], e.attempts[n]
	if in.key == "" && !in.kind.edits() {
		return // counted by strangeChanges
	}
	found := e.carriedOut(n)
	acknowledged := slices.ContainsFunc(attempts, func(a attempt) bool { return a.Outcome.acknowledges() })
	switch {
	case acknowledged && len(found) != 1:
		e.reportf(n, "an acknowledged change is stored exactly once", "intent %d is stored %d times: %+v", n, len(found), found)
	case !acknowledged && len(found) != 0 && !slices.ContainsFunc(attempts, mayBeStored(in, attempts, found)):
		e.reportf(n, "a refused change is not stored", "intent %d is stored: %+v", n, found)
	case len(found) > 1:
		e.reportf(n, "an unknown change is stored at most once", "intent %d is stored %d times: %+v", n, len(found), found)
	}
	for _, s := range found {
		if !slices.ContainsFunc(attempts, s.askedBy(in)) {
			e.reportf(n, "the change is what was asked for", "intent %d: %+v", n, s)
		}
	}
	for _, a := range attempts {
		e.compareChange(in, a, found)
	}
}

// mayBeStored returns a condition for attempts whose outcome is unknown. An attempt with a key was not carried out if another
// attempt with the key was stale or barred: otherwise that one would have been a replay, and neither a version nor a draft nor an
// invoice without credit notes comes back. However, a stale request may arrive again after others have made the state that it asks
// for. Then it is stored as unchanged.
func mayBeStored(in intent, attempts []attempt, found []stored) func(attempt) bool {
	changed := in.kind.edits() || slices.ContainsFunc(found, func(s stored) bool { return s.changed })
	return func(a attempt) bool {
		return a.Outcome.unknown() && (in.key == "" || !slices.ContainsFunc(attempts, func(b attempt) bool {
			late := b.Outcome == stale && 0 < a.Seen && a.Seen <= b.Seen
			return a.Record == b.Record && (b.Outcome == barred && !b.mayPass() || late && changed)
		}))
	}
}

// askedBy returns a condition for attempts that asked for the stored change.
func (s stored) askedBy(in intent) func(attempt) bool {
	return func(a attempt) bool {
		if a.Record != s.record {
			return false
		}
		if !in.kind.edits() {
			return s.name == ""
		}
		command := a.Command
		if !in.change.otherwise {
			command = 0
		}
		if in.change.same && command == 0 {
			return !s.changed
		}
		return s.changed && s.name == content(in.n, command)
	}
}

// compareChange compares one answer with the stored changes.
func (e *evidence) compareChange(in intent, a attempt, found []stored) {
	switch {
	case a.Outcome == stale && a.Shown.Version != 0 && a.Shown.Version <= a.Seen:
		e.reportf(in.n, "what is stale has a newer version",
			"intent %d was made from version %d, and there is %d", in.n, a.Seen, a.Shown.Version)
	case a.Outcome == done && a.ID != a.Record:
		e.reportf(in.n, "what was answered is what is stored", "intent %d was about %s and answered with %s", in.n, a.Record, a.ID)
	case !a.Outcome.acknowledges() || len(found) != 1:
	case a.ID != found[0].record:
		e.reportf(in.n, "what was answered is what is stored", "intent %d was answered with %s, stored is %+v", in.n, a.ID, found[0])
	case a.Outcome != done:
	case a.Seen != 0 && found[0].changed && (a.Shown.Version <= a.Seen || in.key != "" && a.Shown.Version != a.Seen+1):
		e.reportf(in.n, "a change is made from the version that was seen",
			"intent %d saw version %d and made %d", in.n, a.Seen, a.Shown.Version)
	case found[0].changed && found[0].name != "" && found[0].name != a.Shown.content():
		e.reportf(in.n, "what was answered is what is stored", "intent %d was told %q, stored is %+v", in.n, a.Shown.content(), found[0])
	}
}

// strangers reports records that no client asked for.
func (e *evidence) strangers() {
	asked := map[origin]bool{}
	for n, in := range e.intents {
		for _, a := range e.attempts[n] {
			asked[origin{in.tenant, in.kind.operation(), a.Key}] = true
		}
	}
	for _, r := range e.rows.all {
		if !asked[r.origin] {
			e.reportf(-1, "every record has an intent", "nobody asked for %+v", r)
		}
	}
	e.strangeChanges(asked)
}

// keyless counts requests without a key. A transition, or an edit that changed nothing, cannot be attributed to a client.
type keyless struct{ acknowledged, unknown, stored int }

// strangeChanges reports changes that no client asked for, and counts the changes without a key.
func (e *evidence) strangeChanges(asked map[origin]bool) {
	edits := map[string]string{} // records, by the requested name
	counts := map[[2]string]keyless{}
	for n, in := range e.intents {
		if in.key != "" || len(e.attempts[n]) == 0 {
			continue
		}
		record := e.attempts[n][0].Record
		if in.kind.edits() {
			edits[content(n, 0)] = record
		}
		of := [2]string{in.kind.operation(), record}
		count := counts[of]
		for _, a := range e.attempts[n] {
			if a.Outcome == done {
				count.acknowledged++
			} else if a.Outcome.unknown() {
				count.unknown++
			}
		}
		counts[of] = count
	}
	for _, s := range e.rows.changes {
		of := [2]string{s.operation, s.record}
		count, counted := counts[of]
		switch {
		case asked[s.origin]:
		case s.name == "" && counted, s.name != "" && edits[s.name] == s.record:
			count.stored++
			counts[of] = count
		default:
			e.reportf(-1, "every change was asked for", "nobody asked for %+v", s)
		}
	}
	for of, c := range counts {
		switch {
		case c.stored > c.acknowledged+c.unknown:
			e.reportf(-1, "every change was asked for", "%s without a key: %+v", of, c)
		case c.stored < c.acknowledged:
			e.reportf(-1, "an acknowledged change is stored exactly once", "%s without a key: %+v", of, c)
		}
	}
}
