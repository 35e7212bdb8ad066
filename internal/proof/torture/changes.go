package torture

import (
	"slices"
	"time"
)

// keptUntil is how long the result of a key is there for certain, since the run began. Later, a repeat may be
// answered with the record as it is.
func keptUntil(attempts []attempt) time.Duration { return firstCall(attempts) + retain }

// firstCall is when the first attempt began.
func firstCall(attempts []attempt) time.Duration {
	first := attempts[0].Called
	for _, a := range attempts {
		first = min(first, a.Called)
	}
	return first
}

// changes holds the answers to one intent about a record that was there against the database.
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
		e.told(in, a, found)
	}
}

// mayBeStored returns a condition for attempts whose outcome nobody knows. With a key, it is known where the version turned out to be
// stale, or the state not to allow it: it was not carried out before, or that would have been the answer, and neither a
// version nor a draft or an invoice without credit notes comes back. But what is stale may arrive once more when others have made the
// state that it asks for: then it is stored, and has changed nothing.
func mayBeStored(in intent, attempts []attempt, found []stored) func(attempt) bool {
	changed := in.kind.edits() || slices.ContainsFunc(found, func(s stored) bool { return s.changed })
	return func(a attempt) bool {
		return a.Outcome.unknown() && (in.key == "" || !slices.ContainsFunc(attempts, func(b attempt) bool {
			late := b.Outcome == stale && 0 < a.Seen && a.Seen <= b.Seen
			return a.Record == b.Record && (b.Outcome == barred && !b.mayPass() || late && changed)
		}))
	}
}

// askedBy returns a condition for attempts that asked for what is stored.
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

// told holds one answer against what is stored.
func (e *evidence) told(in intent, a attempt, found []stored) {
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
