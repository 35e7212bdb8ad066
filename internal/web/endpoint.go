package web

import (
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
)

// endpoint is a route of the API as its documentation describes it. It is made where the route is registered.
type endpoint struct {
	method, path string // with apiPrefix
	name         string // "invoice.create", "invoices.list"
	summary      string
	repeats      string // what a repeat does
	change       *change
	query        []Parameter  // of a list, besides limit and cursor
	rows         string       // the member that has the rows of a list; "" if it is none
	gives        reflect.Type // the JSON of the answer, or of a row; nil for a file
	schema       string       // what that is called
	file         string       // the content type of a file
	conflicts    []*conflict.Kind
}

// change is what an endpoint has that carries out an operation.
type change struct {
	kind   idempotency.Kind
	retain time.Duration
	takes  reflect.Type // the JSON of the body; nil for none
	// example is a body that is accepted; nil for none.
	example any
}

// Parameter is one of the address of a list.
type Parameter struct {
	Name, Meaning string
	Format        string   // of what stands in it, see formats; "" for text
	Values        []string // that it may have; nil for any
}

// document adds an endpoint to the documentation of the API, if the resource is in it.
func (m *Mounted[R]) document(e endpoint) {
	e.path = apiPrefix + e.path
	if m.api.mux != nil {
		m.reg.endpoints = append(m.reg.endpoints, e)
	}
	for _, kind := range e.conflicts {
		if !slices.Contains(m.reg.conflicts, kind) {
			m.reg.conflicts = append(m.reg.conflicts, kind)
		}
	}
}

// documentChange adds an endpoint that carries out an operation. others are its conflicts besides those of the rules.
func documentChange[C any, R Entity](
	m *Mounted[R], op idempotency.Operation[C, R], c Command[C], e endpoint, others []*conflict.Kind,
) {
	e.name, e.gives, e.schema = op.Name(), m.reg.shows, schemaName(m.One)
	e.change = &change{kind: op.Kind(), retain: op.Retention(), takes: c.Input}
	if m.form.Example != nil && reflect.TypeOf(m.form.Example) == c.Input {
		e.change.example = m.form.Example
	}
	for _, rule := range m.Rules {
		if rule.Conflict != nil && slices.Contains(op.Explained(), rule.Constraint) && op.Kind() != idempotency.Upsert {
			e.conflicts = append(e.conflicts, rule.Conflict)
		}
	}
	e.conflicts = append(e.conflicts, others...)
	m.document(e)
}

// problems are those that the endpoint may answer with, in the order of their status.
func (e endpoint) problems() []problem {
	all := []problem{unauthorized, longTarget, tooMany, internal, unavailable}
	if strings.Contains(e.path, "{id}") || e.change != nil { // a replay looks for the record
		all = append(all, notFound)
	}
	if e.rows != "" {
		all = append(all, invalidCommand)
	}
	if e.file != "" {
		all = append(all, busy)
	}
	if e.change != nil {
		all = append(all, e.change.problems()...)
	}
	for _, kind := range e.conflicts {
		all = append(all, conflictProblem(kind))
	}
	slices.SortStableFunc(all, func(a, b problem) int { return a.status - b.status })
	return all
}

func (c *change) problems() []problem {
	all := []problem{keyMalformed, malformed, inProgress, tooLarge, wrongType, keyReused, busy, unconfirmed}
	switch c.kind {
	case idempotency.Change:
		all = append(all, versionMissing, changedMeanwhile)
	case idempotency.Transition:
		all = append(all, changedMeanwhile)
	default:
		all = append(all, keyMissing)
	}
	if c.takes != nil {
		all = append(all, invalidCommand)
	}
	return all
}

// statuses are those of the endpoint's successes.
func (e endpoint) statuses() []int {
	switch {
	case e.change == nil || e.change.kind.Changes():
		return []int{http.StatusOK}
	default: // 200 for a late retry, and for what was there already
		return []int{http.StatusOK, http.StatusCreated}
	}
}
