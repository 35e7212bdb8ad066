package peoplepages

import (
	"fmt"
	"net/http"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/people/attempt"
	"onlyonce/internal/web"
	"onlyonce/templates/peopleviews"
)

// recordAttempts returns the attempts to create and change a record, for its page. All users of the tenant see them, as they see its
// history: they have names and times, and no input beyond the record.
func (s *pages) recordAttempts(r *http.Request, id uuid.UUID) (templ.Component, error) {
	if s.config.KeepAttempts == 0 {
		return templ.NopComponent, nil
	}
	about, err := attempt.OfRecord(r.Context(), s.site.Pool, web.Principal(r).Tenant, id)
	if err != nil || len(about) == 0 {
		return templ.NopComponent, err
	}
	v := peopleviews.Attempts{Summary: s.summary(about)}
	for _, a := range about {
		v.Rows = append(v.Rows, s.attemptRow(r, a.Attempt))
	}
	if web.Principal(r).Role.May(web.Owner) {
		v.AllHref = "/attempts?record=" + id.String()
	}
	return peopleviews.AttemptsSection(v), nil
}

// summary returns that a record was created once, in the words of its operation, and how often that was attempted. There may have been
// more attempts than were kept.
func (s *pages) summary(about []attempt.Of) string {
	making, ignored, refused, operation := 0, 0, 0, ""
	for _, a := range about {
		if !a.Making {
			continue
		}
		making++
		operation = a.Operation // the same for all that are making
		switch {
		case a.Outcome == idempotency.Replayed:
			ignored++
		case wordsOf(a.Outcome).kind == "refused":
			refused++
		}
	}
	if making == 0 {
		return fmt.Sprintf("At least %s in the last %s.", attemptCount(len(about)), retained(s.config.KeepAttempts))
	}
	text := s.site.Once(operation) + ". At least " + attemptCount(making)
	if ignored > 0 {
		text += fmt.Sprintf(", %d ignored", ignored)
	}
	if refused > 0 {
		text += fmt.Sprintf(", %d refused", refused)
	}
	return text + "."
}

func attemptCount(n int) string {
	if n == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", n)
}
