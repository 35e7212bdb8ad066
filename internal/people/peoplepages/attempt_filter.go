package peoplepages

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/people/attempt"
	"onlyonce/internal/web"
	"onlyonce/templates"
)

// attemptFilter parses the filter of a request. It may return an [*invalid.Error].
func (s *pages) attemptFilter(query url.Values) (attempt.Filter, error) {
	f := attempt.Filter{
		Key: query.Get("key"), Outcome: idempotency.Outcome(query.Get("outcome")), Operation: query.Get("operation"),
	}
	var problems invalid.Error
	if f.Outcome != "" && !slices.Contains(attempt.Outcomes(), f.Outcome) {
		problems.Add("/outcome", "Choose one of the outcomes.")
	}
	if f.Operation != "" && !slices.ContainsFunc(s.Operations(), func(op web.Operation) bool { return op.Name == f.Operation }) {
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
		said = append(said, "“"+web.Beginning(s.OperationTitle(operation))+"”")
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

// outcomeOptions returns the options of the outcome filter.
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

// operationOptions returns the options of the operation filter.
func (s *pages) operationOptions() []templates.Option {
	var all []templates.Option
	for _, op := range s.Operations() {
		all = append(all, templates.Option{Value: op.Name, Text: s.OperationTitle(op.Name)})
	}
	slices.SortFunc(all, func(a, b templates.Option) int { return cmp.Compare(a.Text, b.Text) })
	return web.OrNone(all)
}
