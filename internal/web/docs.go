package web

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"onlyonce/internal/web/apidoc"
	"onlyonce/templates"
)

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

// sectionTitle returns the title of a resource's list: "Credit notes".
func sectionTitle(many string) string { return Capital(strings.ReplaceAll(many, "-", " ")) }

// documented are the resources that programs can use.
func (s *Server) documented() (all []apidoc.Resource) {
	for _, reg := range s.resources {
		if len(reg.endpoints) > 0 {
			all = append(all, apidoc.Resource{
				One: reg.one, Many: reg.many, Title: sectionTitle(reg.many), Endpoints: reg.endpoints, Rules: reg.rules,
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
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-cache") // ask whether it is still the same
	w.Header().Set("ETag", strconv.Quote(fmt.Sprintf("%x", sha256.Sum256(text))))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
	return nil
}
