package web

import (
	"reflect"
	"slices"
	"strings"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/web/apidoc"
)

// document adds an endpoint to the documentation of the API, if the resource is in it, with the conflicts that it may answer with.
func (m *resource) document(e apidoc.Endpoint, conflicts ...*conflict.Kind) {
	e.Path, e.Problems = apiPrefix+e.Path, problemsOf(e, conflicts)
	if m.api.mux != nil {
		m.endpoints = append(m.endpoints, e)
	}
	for _, kind := range conflicts {
		if !slices.Contains(m.conflicts, kind) {
			m.conflicts = append(m.conflicts, kind)
		}
	}
}

// documentChange adds an endpoint that carries out an operation. others are its conflicts besides those of the rules.
func (m *resource) documentChange(op operation, e apidoc.Endpoint, others []*conflict.Kind) {
	e.Name, e.Gives, e.Schema = op.Name(), m.shows, apidoc.SchemaName(m.one)
	e.Change = &apidoc.Change{Kind: op.Kind(), Retain: op.Retention(), Takes: op.command.Input}
	if m.form.Example != nil && reflect.TypeOf(m.form.Example) == op.command.Input {
		e.Change.Example = m.form.Example
	}
	if said := m.alikeSentence(op.Alike, func(name string) string { return name }); said != "" {
		if m.strangers && op.NamesRepeats() {
			panic("web: " + op.Name() + " would show strangers the records of others: leave out the name of Alike")
		}
		e.Summary += " " + said + " Its id is possible_duplicate_of."
		m.conflicts = append(m.conflicts, &idempotency.LooksLikeRepeat)
	}
	var conflicts []*conflict.Kind
	for _, rule := range m.rules {
		if rule.Conflict != nil && slices.Contains(op.Explained(), rule.Constraint) {
			conflicts = append(conflicts, rule.Conflict)
		}
	}
	m.document(e, append(conflicts, others...)...)
}

// problemsOf returns the problems that an endpoint may answer with, in the order of their status.
func problemsOf(e apidoc.Endpoint, conflicts []*conflict.Kind) []apidoc.Problem {
	all := []problem{unauthorized, longTarget, tooMany, internal, unavailable}
	if strings.Contains(e.Path, "{id}") || e.Change != nil { // a replay looks for the record
		all = append(all, notFound)
	}
	if e.Rows != "" || e.Query != nil {
		all = append(all, invalidCommand)
	}
	if e.Files != nil {
		all = append(all, busy)
	}
	if e.Change != nil {
		all = append(all, readOnly, keyMalformed, malformed, inProgress, tooLarge, wrongType, keyReused, busy, unconfirmed)
		switch e.Change.Kind {
		case idempotency.Change:
			all = append(all, versionMissing, changedMeanwhile)
		case idempotency.Transition:
			all = append(all, changedMeanwhile)
		default:
			all = append(all, keyMissing)
		}
		if e.Change.Takes != nil {
			all = append(all, invalidCommand)
		}
	}
	for _, kind := range conflicts {
		all = append(all, conflictProblem(kind))
	}
	slices.SortStableFunc(all, func(a, b problem) int { return a.Status - b.Status })
	described := make([]apidoc.Problem, len(all))
	for i, p := range all {
		described[i] = apidoc.Problem(p)
	}
	return described
}
