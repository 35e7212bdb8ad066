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
	return s.Render(w, r, http.StatusOK, templates.ProblemIndexPage(s.Page(w, r), s.documentedProblems()))
}

func (s *Server) showProblem(w http.ResponseWriter, r *http.Request) error {
	for _, p := range s.problems() {
		if p.slug == chi.URLParam(r, "slug") {
			return s.Render(w, r, http.StatusOK, templates.ProblemPage(s.Page(w, r), p.documented()))
		}
	}
	return ErrNotFound
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

// Address is the one that the visitor uses, for examples to copy into a shell: the outside address, or else
// that of the request. A Host header that is no host is not repeated.
func (s *Server) Address(r *http.Request) string {
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
