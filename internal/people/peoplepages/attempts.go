package peoplepages

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/people/attempt"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/peopleviews"
)

// mountAttempts mounts the list of package attempt, for owners only: it shows the actions of each user, including failed ones.
func (s *pages) mountAttempts(owners *web.Site) {
	m := web.Resource[attempt.Attempt]{One: "attempt", Path: "/attempts"}.Mount(owners)
	web.List(m, web.Listing[attempt.Attempt]{
		Read: func(r *http.Request, page record.Page) (record.List[attempt.Attempt], error) {
			filter, err := s.attemptFilter(r.URL.Query())
			if err != nil {
				return record.List[attempt.Attempt]{}, err
			}
			return attempt.List(r.Context(), s.site.Pool, web.Principal(r).Tenant, filter, page)
		},
		Finder: s.attemptFinder,
		Page: func(r *http.Request, p templates.Page, rows []attempt.Attempt, finder templates.Finder) (templ.Component, error) {
			query := r.URL.Query()
			v := peopleviews.AttemptList{
				Finder: finder, Kept: retained(s.config.KeepAttempts), Key: query.Get("key"), Record: query.Get("record"),
				Outcome: query.Get("outcome"), Outcomes: outcomeOptions(),
				Operation: query.Get("operation"), Operations: s.operationOptions(),
			}
			for _, a := range rows {
				row := s.attemptRow(r, a)
				if a.Key != "" {
					row.KeyHref = web.ListURL("/attempts", url.Values{}, "key", a.Key)
				}
				v.Rows = append(v.Rows, row)
			}
			return peopleviews.AttemptsPage(p, v), nil
		},
	})
}

func (s *pages) attemptRow(r *http.Request, a attempt.Attempt) peopleviews.AttemptRow {
	row := peopleviews.AttemptRow{
		At:   a.At.In(date.Zone(web.Principal(r).Zone)).Format("2 Jan 2006, 15:04:05 MST"),
		What: s.site.OperationTitle(a.Operation), By: a.Actor, Key: a.Key,
		Took: tookText(time.Duration(a.Duration) * time.Microsecond), Replica: a.Replica,
	}
	words := wordsOf(a.Outcome)
	row.Outcome, row.Kind, row.Detail = words.text, words.kind, words.detail
	row.Detail = cmp.Or(s.site.ProblemTitle(a.Reason), row.Detail)
	if a.Record != uuid.Nil {
		row.Href = s.site.RecordURL(a.Operation, web.Principal(r).Tenant, a.Record)
	}
	return row
}

type outcomeWords struct {
	text   string // on the badge
	kind   string // "done", "idle", "refused" or "failed"
	detail string // the meaning, where there is no problem with a text
}

func wordsOf(outcome idempotency.Outcome) outcomeWords {
	switch outcome {
	case idempotency.Created:
		return outcomeWords{"Created", "done", ""}
	case idempotency.Changed:
		return outcomeWords{"Changed", "done", ""}
	case idempotency.Reused:
		return outcomeWords{"Reused", "idle", "It existed already"}
	case idempotency.Unchanged:
		return outcomeWords{"Unchanged", "idle", "There was nothing to change"}
	case idempotency.Replayed:
		return outcomeWords{"Ignored", "idle", "It was done before"}
	case idempotency.InProgress:
		return outcomeWords{"Not finished", "refused", "The first attempt was still running"}
	case idempotency.Conflict:
		return outcomeWords{"Refused", "refused", "It conflicts with an existing record"}
	case idempotency.Mismatch:
		return outcomeWords{"Refused", "refused", "The key was used for something else"}
	case idempotency.Rejected:
		return outcomeWords{"Refused", "refused", "Something was missing or wrong"}
	default:
		return outcomeWords{"Failed", "failed", ""}
	}
}

// tookText returns a duration for users.
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

// retained returns a time span for a phrase with "in the last", such as "7 days", "hour" or "90 minutes", or "".
func retained(d time.Duration) string {
	if d == 0 {
		return ""
	}
	for _, unit := range []struct {
		length time.Duration
		word   string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		switch {
		case d == unit.length:
			return unit.word
		case d%unit.length == 0:
			return fmt.Sprintf("%d %ss", d/unit.length, unit.word)
		}
	}
	return d.String()
}

// attemptFilter parses the filter of a request. It may return an [*invalid.Error].
func (s *pages) attemptFilter(query url.Values) (attempt.Filter, error) {
	f := attempt.Filter{
		Key: query.Get("key"), Outcome: idempotency.Outcome(query.Get("outcome")), Operation: query.Get("operation"),
	}
	var problems invalid.Error
	if f.Outcome != "" && !slices.Contains(attempt.Outcomes(), f.Outcome) {
		problems.Add("/outcome", "Choose one of the outcomes.")
	}
	if f.Operation != "" && !slices.ContainsFunc(s.site.Operations(), func(op web.Operation) bool { return op.Name == f.Operation }) {
		problems.Add("/operation", "Choose one of the operations.")
	}
	if _, err := idempotency.ParseKey(f.Key); f.Key != "" && err != nil {
		problems.Add("/key", "Enter a key of 1 to 255 printable ASCII characters.")
	}
	if id := query.Get("record"); id != "" {
		var err error
		if f.Record, err = uuid.Parse(id); err != nil {
			problems.Add("/record", "Enter the id of a record as it stands in its address, such as 01900000-0000-7000-8000-000000000000.")
		}
	}
	return f, problems.Err()
}

// attemptFinder returns the filter form of the list.
func (s *pages) attemptFinder(r *http.Request) (templates.Finder, error) {
	finder := templates.Finder{Many: "attempts"}
	query := r.URL.Query()
	var said []string
	if outcome := query.Get("outcome"); outcome != "" {
		said = append(said, strings.ToLower(wordsOf(idempotency.Outcome(outcome)).text))
	}
	if operation := query.Get("operation"); operation != "" {
		said = append(said, "“"+web.Beginning(s.site.OperationTitle(operation))+"”")
	}
	for _, name := range []string{"key", "record"} {
		if value := query.Get(name); value != "" {
			said = append(said, "with the "+name+" "+web.Beginning(value))
		}
	}
	if finder.Said = strings.Join(said, ", "); finder.Said != "" {
		finder.ClearHref = "/attempts"
	}
	return finder, nil
}

func outcomeOptions() []templates.Option {
	var all []templates.Option
	for _, outcome := range attempt.Outcomes() {
		words := wordsOf(outcome)
		text := words.text
		if words.detail != "" {
			text += ": " + strings.ToLower(words.detail[:1]) + words.detail[1:]
		}
		all = append(all, templates.Option{Value: string(outcome), Text: text})
	}
	return web.OrNone(all)
}

func (s *pages) operationOptions() []templates.Option {
	var all []templates.Option
	for _, op := range s.site.Operations() {
		all = append(all, templates.Option{Value: op.Name, Text: s.site.OperationTitle(op.Name)})
	}
	slices.SortFunc(all, func(a, b templates.Option) int { return cmp.Compare(a.Text, b.Text) })
	return web.OrNone(all)
}
