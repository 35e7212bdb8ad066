package web

import (
	"fmt"
	"net/http"
	"regexp"
	"time"

	"github.com/go-chi/chi/v5"

	"onlyonce/templates"
)

func (s *Server) listProblems(w http.ResponseWriter, r *http.Request) error {
	return s.render(w, r, http.StatusOK, templates.ProblemIndexPage(s.page(w, r), s.documentedProblems()))
}

func (s *Server) showProblem(w http.ResponseWriter, r *http.Request) error {
	for _, p := range s.problems() {
		if p.slug == chi.URLParam(r, "slug") {
			return s.render(w, r, http.StatusOK, templates.ProblemPage(s.page(w, r), p.documented()))
		}
	}
	return errNotFound
}

func (p problem) documented() templates.Problem {
	return templates.Problem{Href: "/problems/" + p.slug, Title: p.title, Status: p.status, Meaning: p.meaning, ToDo: p.todo}
}

func (s *Server) documentedProblems() []templates.Problem {
	var list []templates.Problem
	for _, p := range s.problems() {
		list = append(list, p.documented())
	}
	return list
}

func (s *Server) showAPIDocs(w http.ResponseWriter, r *http.Request) error {
	docs := templates.APIDocs{
		Intro: []string{
			"Send an API token in the header Authorization: Bearer. Bodies are application/json, at most 1 MiB. " +
				"Members have exactly the documented names, and come once.",
			"Whatever creates something carries an Idempotency-Key: 1 to 255 printable ASCII characters, such as a UUID, " +
				"one for each thing you want to create. Send the same key with every retry. " +
				"A repeat gets the first answer, byte for byte, with Idempotent-Replayed: true. " +
				"After the retention period below, a repeat still creates nothing: it gets the current state with 200.",
			"Whatever changes a record carries If-Match with the ETag that you have read. If somebody else has changed it since, " +
				"nothing is changed, and you get 412 with the current ETag. Bringing a record into a state, such as archived, " +
				"needs neither. A key is optional for both: with one, a repeat gets the first answer.",
			"Amounts, quantities and rates are decimal strings, dates are YYYY-MM-DD, currencies are ISO 4217 codes.",
		},
		Problems: s.documentedProblems(),
	}
	for _, reg := range s.resources {
		docs.Endpoints = append(docs.Endpoints, reg.endpoints...)
		for _, op := range reg.operations {
			docs.Retention = append(docs.Retention, op.retention)
		}
		for _, rule := range reg.rules {
			docs.Rules = append(docs.Rules, templates.Rule{Sentence: rule.Sentence, Answer: rule.Answer})
		}
		if docs.Example == "" && reg.example != nil {
			docs.Example = reg.example(s.address(r))
		}
	}
	return s.render(w, r, http.StatusOK, templates.APIDocsPage(s.page(w, r), docs))
}

// address is the one that the visitor uses, for examples to copy into a shell: the outside address, or else
// that of the request. A Host header that is no host is not repeated.
func (s *Server) address(r *http.Request) string {
	if s.origin != "" {
		return s.origin
	}
	scheme := "http"
	if s.secure || r.TLS != nil {
		scheme = "https"
	}
	if !hostname.MatchString(r.Host) {
		return scheme + "://localhost"
	}
	return scheme + "://" + r.Host
}

// hostname is a name, an IPv4 or a bracketed IPv6 address, with a port or without.
var hostname = regexp.MustCompile(`^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]+)?$`)

func hours(d time.Duration) string { return fmt.Sprintf("%d hours", int(d.Hours())) }
