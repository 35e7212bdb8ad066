package torture

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
