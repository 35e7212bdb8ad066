package web

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/web/apidoc"
	"onlyonce/templates"
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
	all := []problem{unauthorized, outOfScope, longTarget, tooMany, internal, unavailable}
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

func (s *Server) listProblems(w http.ResponseWriter, r *http.Request) error {
	return s.Render(w, r, http.StatusOK, templates.ProblemIndexPage(s.Page(w, r), s.documentedProblems()))
}

func (s *Server) showProblem(w http.ResponseWriter, r *http.Request) error {
	for _, p := range s.problems() {
		if p.Slug == chi.URLParam(r, "slug") {
			shown := apidoc.Problem(p).Shown()
			return s.Render(w, r, http.StatusOK, templates.ProblemPage(s.Page(w, r), shown, s.Path+shown.Href))
		}
	}
	return ErrNotFound
}

func (s *Server) documentedProblems() []templates.Problem {
	var list []templates.Problem
	for _, p := range s.problems() {
		list = append(list, apidoc.Problem(p).Shown())
	}
	return list
}

// Address is the one that the visitor uses, for examples to copy into a shell: the outside address, or else
// that of the request. A Host header that is no host is not repeated.
func (s *Server) Address(r *http.Request) string {
	if s.Origin != "" {
		return s.Origin + s.Path
	}
	scheme := "http"
	if s.Secure || r.TLS != nil {
		scheme = "https"
	}
	if !hostname.MatchString(r.Host) {
		return scheme + "://localhost"
	}
	return scheme + "://" + r.Host
}

// hostname is a name, an IPv4 or a bracketed IPv6 address, with a port or without.
var hostname = regexp.MustCompile(`^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]+)?$`)

// plural returns the word for several records: "credit notes" or "write-offs".
func (m *resource) plural() string {
	if strings.HasPrefix(m.many, m.one) {
		return m.many
	}
	return strings.ReplaceAll(m.many, "-", " ")
}

// documented are the resources that programs can use.
func (s *Server) documented() (all []apidoc.Resource) {
	for _, reg := range s.resources {
		if len(reg.endpoints) > 0 {
			all = append(all, apidoc.Resource{
				One: reg.one, Many: reg.many, Title: Capital(reg.plural()), Endpoints: reg.endpoints, Rules: reg.rules,
			})
		}
	}
	return all
}

func (s *Server) showAPIDocs(w http.ResponseWriter, r *http.Request) error {
	page, err := apidoc.Page(s.documented(), s.Address(r), s.logins.TokensFrom)
	if err != nil {
		return err
	}
	page.Problems, page.Programs = s.documentedProblems(), s.programs
	return s.Render(w, r, http.StatusOK, templates.APIDocsPage(s.Page(w, r), page))
}

func (s *Server) showOpenAPI(w http.ResponseWriter, r *http.Request) error {
	text, err := s.openAPI()
	if err != nil {
		return err
	}
	sendCached(w, r, "application/json", text)
	return nil
}

// sendCached sends a text that changes with the program only. Caches ask whether it is still the same.
func sendCached(w http.ResponseWriter, r *http.Request, contentType string, text []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", strconv.Quote(fmt.Sprintf("%x", sha256.Sum256(text))))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
}

// rulesPath is the address of the page with the rules of all resources, each below its own anchor.
const rulesPath = "/rules"

// showRules shows the registered rules.
func (s *Server) showRules(w http.ResponseWriter, r *http.Request) error {
	var sections []templates.RuleSection
	for _, reg := range s.resources {
		section := templates.RuleSection{Title: Capital(reg.plural()), Anchor: reg.many}
		for _, op := range reg.operations {
			section.Operations = append(section.Operations, templates.OperationRule{
				Title: reg.words[op.Name].Title, Promise: promise(op.Kind), Kept: apidoc.Hours(op.Retain),
			})
			if op.Alike != "" {
				section.Rules = append(section.Rules, templates.Rule{
					Sentence: op.Alike, Answer: "People are asked, and one click creates it anyway. " +
						"The API creates it and returns the ID of the record it looks like.",
				})
			}
		}
		section.Rules = append(apidoc.Rules(reg.rules), section.Rules...)
		if len(section.Operations)+len(section.Rules) > 0 {
			sections = append(sections, section)
		}
	}
	return s.Render(w, r, http.StatusOK, templates.RulesPage(s.Page(w, r), sections))
}

// promise returns the guarantee of a kind of operation.
func promise(kind idempotency.Kind) string {
	switch kind {
	case idempotency.Upsert:
		return "Creates one, or returns the existing one unchanged. A repeat gets the same one."
	case idempotency.Change:
		return "Changes the version you saw. A repeat changes nothing more. If somebody else has changed it since, both versions " +
			"are shown, and nothing is overwritten."
	case idempotency.Transition:
		return "Changes the status once, with everything that follows from it. If it already has that status, nothing more happens."
	default:
		return "Creates one. A repeat creates nothing and gets the first one."
	}
}
