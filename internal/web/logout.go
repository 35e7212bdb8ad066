package web

import (
	"fmt"
	"net/http"
	"time"
)

func (s *Server) logOut(w http.ResponseWriter, r *http.Request) error {
	if err := s.sessions.Destroy(r.Context()); err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	s.sessions.WriteSessionCookie(r.Context(), w, "", time.Time{})
	// What kept-forms.js keeps, of everybody: the next person at this browser could look at it.
	w.Header().Set("Clear-Site-Data", `"storage"`)
	return SeeOther(w, r, "/login?logged-out")
}

// clearCaches is a stylesheet without rules, which makes the browser drop every page of this site that it
// keeps: else its Back button would show them to the next person.
//
// The page that follows a logout asks for it. Sent with the answer to the logout itself, the header would
// come too early: a browser keeps the page that it leaves only once it has the next one. And a stylesheet
// holds up the page, so that whoever sees that they are logged out can rely on it. No script is needed.
func (s *Server) clearCaches(w http.ResponseWriter, r *http.Request) error {
	// Pages of other sites may ask for it too, and would take away what somebody typed.
	if site := r.Header.Get("Sec-Fetch-Site"); site == "" || site == "same-origin" {
		w.Header().Set("Clear-Site-Data", `"cache"`)
	}
	w.Header().Set("Content-Type", "text/css")
	w.Header().Set("Cache-Control", "no-store")
	return nil
}
