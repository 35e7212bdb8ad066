package web

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/attempt"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
	"onlyonce/templates"
)

// attempts is the list of what was tried lately, of package attempt. Only owners come here: it says what each person did, also
// what came to nothing.
func (s *Server) attempts(pages router) {
	m := mount(s, pages, router{}, resource[attempt.Attempt]{one: "attempt", many: "attempts", section: "settings"})
	lists(m, listing[attempt.Attempt]{
		read: func(r *http.Request, page record.Page) (record.List[attempt.Attempt], error) {
			filter, err := s.attemptFilter(r.URL.Query())
			if err != nil {
				return record.List[attempt.Attempt]{}, err
			}
			return attempt.List(r.Context(), s.pool, principal(r).Tenant, filter, page)
		},
		finder: s.attemptFinder,
		page: func(r *http.Request, p templates.Page, rows []attempt.Attempt, finder templates.Finder) (templ.Component, error) {
			query := r.URL.Query()
			v := templates.AttemptList{
				Finder: finder, Kept: retained(s.kept), Key: query.Get("key"), Record: query.Get("record"),
				Outcome: query.Get("outcome"), Outcomes: outcomeOptions(),
				Operation: query.Get("operation"), Operations: s.operationOptions(),
			}
			for _, a := range rows {
				row := s.attemptRow(principal(r).Tenant, a)
				if a.Key != "" {
					row.KeyHref = listHref("/attempts", url.Values{}, "key", a.Key)
				}
				v.Rows = append(v.Rows, row)
			}
			return templates.AttemptsPage(p, v), nil
		},
	})
}

// attemptRow puts an attempt into words.
func (s *Server) attemptRow(tenant uuid.UUID, a attempt.Attempt) templates.AttemptRow {
	row := templates.AttemptRow{
		At: a.At.UTC().Format("2 Jan 2006, 15:04:05 UTC"), What: s.operationTitle(a.Operation), By: a.Actor, Key: a.Key,
		Took: tookText(time.Duration(a.Duration) * time.Microsecond), Replica: a.Replica,
	}
	words := wordsOf(a.Outcome)
	row.Outcome, row.Kind, row.Detail = words.said, words.kind, words.detail
	for _, p := range s.problems() {
		if p.slug == a.Reason {
			row.Detail = p.title
		}
	}
	if a.Record != uuid.Nil {
		row.Href = s.recordHref(a.Operation, tenant, a.Record)
	}
	return row
}

// recordHref is the page of a record that an operation was about, or "" if the program knows the operation no more. A record of
// which a tenant has exactly one has the tenant's id.
func (s *Server) recordHref(operation string, tenant, id uuid.UUID) string {
	for _, reg := range s.resources {
		if _, ok := reg.words[operation]; ok && id == tenant {
			return "/" + reg.many
		} else if ok {
			return "/" + reg.many + "/" + id.String()
		}
	}
	return ""
}

// operationTitle is what people call an operation, such as "New invoice".
func (s *Server) operationTitle(operation string) string {
	if _, words := s.wordingOf(operation); words.title != "" {
		return words.title
	}
	return operation
}

// outcomeWords is how an outcome is told.
type outcomeWords struct {
	said   string // on the badge
	kind   string // "done", "idle", "refused" or "failed"
	detail string // what it means, where no problem says it
}

func wordsOf(outcome idempotency.Outcome) outcomeWords {
	switch outcome {
	case idempotency.Created:
		return outcomeWords{"Created", "done", ""}
	case idempotency.Changed:
		return outcomeWords{"Changed", "done", ""}
	case idempotency.Reused:
		return outcomeWords{"Reused", "idle", "There was one already"}
	case idempotency.Unchanged:
		return outcomeWords{"Unchanged", "idle", "There was nothing to change"}
	case idempotency.Replayed:
		return outcomeWords{"Ignored", "idle", "It had been done before"}
	case idempotency.InProgress:
		return outcomeWords{"Not finished", "refused", "The first attempt was still running"}
	case idempotency.Conflict:
		return outcomeWords{"Refused", "refused", "Something was in its way"}
	case idempotency.Mismatch:
		return outcomeWords{"Refused", "refused", "The key was used for something else"}
	case idempotency.Rejected:
		return outcomeWords{"Refused", "refused", "It was not valid"}
	default:
		return outcomeWords{"Failed", "failed", ""}
	}
}

// tookText says how long something took.
func tookText(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "under 1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	default:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
}

// retained says for how long something is kept; "" for not at all.
func retained(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d == 0:
		return ""
	case d >= 2*day && d%day == 0:
		return fmt.Sprintf("%d days", d/day)
	case d >= 2*time.Hour && d%time.Hour == 0:
		return fmt.Sprintf("%d hours", d/time.Hour)
	default:
		return d.String()
	}
}
