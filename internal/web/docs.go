package web

import (
	"fmt"
	"net/http"
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
			"Send Authorization: Bearer with an API token. Bodies are application/json, at most 1 MiB. " +
				"Members have exactly the documented names, and come once.",
			"Every POST carries an Idempotency-Key: 1 to 255 printable ASCII characters, such as a UUID, " +
				"one for each thing that you want created. Send the same key with every retry. " +
				"A repeat gets the first answer, byte for byte, with Idempotent-Replayed: true. " +
				"After the retention below, a repeat still creates nothing: it gets the current state with 200.",
			"Amounts, quantities and rates are decimal strings, dates are year-month-day, currencies are ISO 4217 codes.",
		},
		Endpoints: endpoints(),
		Retention: []templates.Retention{
			{Operation: invoice.Create.Name(), Period: hours(invoice.Create.Retention())},
			{Operation: customer.Upsert.Name(), Period: hours(customer.Upsert.Retention())},
		},
		Problems: documentedProblems(),
		Example: `curl http://127.0.0.1:8080/api/v1/invoices \
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

func hours(d time.Duration) string { return fmt.Sprintf("%d hours", int(d.Hours())) }

func endpoints() []templates.Endpoint {
	const replays, reads = "replays the first answer", "reads"
	var list []templates.Endpoint
	for _, e := range [][4]string{
		{"POST", "/api/v1/invoices", "Create an invoice. Leave number out for the next of the series.", replays},
		{"GET", "/api/v1/invoices?limit=&cursor=", "Invoices, newest first. limit is 1 to 100; next_cursor leads on.", reads},
		{"GET", "/api/v1/invoices/{id}", "One invoice.", reads},
		{"POST", "/api/v1/customers", "Create a customer, or get the one with this email (200).", replays},
		{"GET", "/api/v1/customers/{id}", "One customer.", reads},
	} {
		list = append(list, templates.Endpoint{Method: e[0], Path: e[1], Summary: e[2], Repeats: e[3]})
	}
	return list
}
