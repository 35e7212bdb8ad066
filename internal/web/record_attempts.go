package web

import (
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"onlyonce/internal/attempt"
	"onlyonce/internal/idempotency"
	"onlyonce/templates"
)

// recordAttempts says on the page of a record how often it was tried to make and change it. Everybody who sees the record sees
// that, as they see its history: it holds who and when, and no more of what was typed than the record.
func (s *Server) recordAttempts(r *http.Request, id uuid.UUID) (v templates.Attempts, err error) {
	if s.kept == 0 {
		return v, nil
	}
	about, err := attempt.OfRecord(r.Context(), s.pool, principal(r).Tenant, id)
	if err != nil || len(about) == 0 {
		return v, err
	}
	v.Summary = s.summary(about)
	for _, a := range about {
		v.Rows = append(v.Rows, s.attemptRow(principal(r).Tenant, a.Attempt))
	}
	if principal(r).Owner {
		v.AllHref = "/attempts?record=" + id.String()
	}
	return v, nil
}

// summary says how often a record was made, which is once, and how often that was tried. There may have been more attempts than
// were kept.
func (s *Server) summary(about []attempt.Of) string {
	making, ignored, refused := 0, 0, 0
	for _, a := range about {
		if !a.Making {
			continue
		}
		making++
		switch {
		case a.Outcome == idempotency.Replayed:
			ignored++
		case wordsOf(a.Outcome).kind == "refused":
			refused++
		}
	}
	if making == 0 {
		return fmt.Sprintf("At least %s in the last %s.", attemptCount(len(about)), retained(s.kept))
	}
	text := "Created once. At least " + attemptCount(making)
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
