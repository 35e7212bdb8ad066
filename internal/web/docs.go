package web

import (
	"fmt"
	"net/http"
	"regexp"
	"time"

	"github.com/go-chi/chi/v5"

	"onlyonce/internal/customer"
	"onlyonce/internal/invoice"
	"onlyonce/templates"
)

func (s *Server) listProblems(w http.ResponseWriter, r *http.Request) error {
	return s.render(w, r, http.StatusOK, templates.ProblemIndexPage(s.page(w, r), documentedProblems()))
}

func (s *Server) showProblem(w http.ResponseWriter, r *http.Request) error {
	for _, p := range problems() {
		if p.slug == chi.URLParam(r, "slug") {
			return s.render(w, r, http.StatusOK, templates.ProblemPage(s.page(w, r), p.documented()))
		}
	}
	return errNotFound
}

func (p problem) documented() templates.Problem {
	return templates.Problem{Href: "/problems/" + p.slug, Title: p.title, Status: p.status, Meaning: p.meaning, ToDo: p.todo}
}

func documentedProblems() []templates.Problem {
	var list []templates.Problem
	for _, p := range problems() {
		list = append(list, p.documented())
	}
	return list
}

func (s *Server) showAPIDocs(w http.ResponseWriter, r *http.Request) error {
	docs := templates.APIDocs{
		Intro: []string{
			"Send an API token in the header Authorization: Bearer. Bodies are application/json, at most 1 MiB. " +
				"Members have exactly the documented names, and come once.",
			"Every POST carries an Idempotency-Key: 1 to 255 printable ASCII characters, such as a UUID, " +
				"one for each thing you want to create. Send the same key with every retry. " +
				"A repeat gets the first answer, byte for byte, with Idempotent-Replayed: true. " +
				"After the retention period below, a repeat still creates nothing: it gets the current state with 200.",
			"Amounts, quantities and rates are decimal strings, dates are YYYY-MM-DD, currencies are ISO 4217 codes.",
		},
		Endpoints: endpoints(),
		Retention: []templates.Retention{
			{Operation: invoice.Create.Name(), Period: hours(invoice.Create.Retention())},
			{Operation: customer.Upsert.Name(), Period: hours(customer.Upsert.Retention())},
		},
		Problems: documentedProblems(),
		Example: `curl '` + s.address(r) + `/api/v1/invoices' \
  -H 'Authorization: Bearer oo_demo_acme' -H 'Content-Type: application/json' \
  -H 'Idempotency-Key: 6f1c2f5e-6c0e-4b7e-9d39-0a0d6f9f7c11' \
  -d '{"customer": {"email": "ada@example.com", "name": "Ada Lovelace"},
       "issue_date": "2026-11-21", "due_date": "2026-12-21", "currency": "EUR",
       "lines": [{"description": "Design", "quantity": "2", "unit_price": "50.00", "tax_rate": "23"}]}'`,
	}
	for _, rule := range append(invoice.Rules(), customer.Rules()...) {
		docs.Rules = append(docs.Rules, templates.Rule{Sentence: rule.Sentence, Answer: rule.Answer})
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

func endpoints() []templates.Endpoint {
	const replays, reads = "replays the first answer", "reads"
	var list []templates.Endpoint
	for _, e := range [][4]string{
		{"POST", "/api/v1/invoices", "Create an invoice. Leave number out to get the next one in the series.", replays},
		{"GET", "/api/v1/invoices?limit=&cursor=", "Invoices, newest first. limit is 1 to 100; next_cursor leads to the next page.", reads},
		{"GET", "/api/v1/invoices/{id}", "One invoice.", reads},
		{"POST", "/api/v1/customers", "Create a customer, or get the existing one with this email (200).", replays},
		{"GET", "/api/v1/customers/{id}", "One customer.", reads},
	} {
		list = append(list, templates.Endpoint{Method: e[0], Path: e[1], Summary: e[2], Repeats: e[3]})
	}
	return list
}
