package web

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"onlyonce/templates"
)

// page fills in what all pages share. It takes the flash message, so it is called once per answer.
func (s *Server) page(w http.ResponseWriter, r *http.Request) templates.Page {
	who := principal(r)
	return templates.Page{
		User: who.Name, Tenant: who.TenantName, LoginUnknown: s.loginUnknown(r), Assets: s.assetURLs, Flash: takeFlash(w, r),
	}
}

// loginUnknown tells a request with a session that was not read, for example because the database cannot
// be reached, from one that is known to come from nobody.
func (s *Server) loginUnknown(r *http.Request) bool {
	_, err := r.Cookie(s.sessions.Cookie.Name)
	return err == nil && !identified(r)
}

// render writes a page, whole or not at all. Pages are private, and kept by the browser for Back and
// Forward only.
func (s *Server) render(w http.ResponseWriter, r *http.Request, status int, page templ.Component) error {
	var html bytes.Buffer
	if err := page.Render(r.Context(), &html); err != nil {
		return fmt.Errorf("render page: %w", err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "private, no-cache")
	w.WriteHeader(status)
	_, _ = w.Write(html.Bytes()) // the client may be gone
	return nil
}

// What a page may say once after a redirect. The cookie holds only the name of the message.
const (
	flashCreated  = "created"
	flashReplayed = "replayed"
	flashReused   = "reused"

	flashCookie = "onlyonce_flash"
)

// setFlash leaves a message for the page at path.
func (s *Server) setFlash(w http.ResponseWriter, path, message string) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure is off on loopback only
		Name: flashCookie, Value: message, Path: path, MaxAge: 60,
		HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode,
	})
}

// takeFlash gives the message that was left for this page, once.
func takeFlash(w http.ResponseWriter, r *http.Request) string {
	cookie, err := r.Cookie(flashCookie)
	if err != nil {
		return ""
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // it only deletes
		Name: flashCookie, Path: r.URL.Path, MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
	return cookie.Value
}

// parseForm reads a form body, within the limit that all bodies have.
func parseForm(r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return fmt.Errorf("%w: %w", errMalformed, err)
	}
	return nil
}

// failHTML answers an error with a page that leads on and loses nothing that was typed.
func (s *Server) failHTML(w http.ResponseWriter, r *http.Request, err error) {
	kind := s.classify(r, err)
	retryAfter(w, kind)
	posted := r.Method == http.MethodPost
	if kind.status == http.StatusUnauthorized && !posted {
		_ = seeOther(w, r, "/login?next="+url.QueryEscape(r.URL.RequestURI()))
		return
	}
	mayHelp := kind.retry > 0 || kind.status == http.StatusUnauthorized || posted && kind.status >= http.StatusInternalServerError
	if mayHelp {
		again := templates.TryAgain{Title: kind.title, Message: kind.meaning, Status: kind.status}
		if posted && parseForm(r) == nil {
			again.Action, again.Fields = r.URL.Path, fields(r.PostForm)
			again.Message += " Nothing you typed is lost. Trying again is safe."
		} else {
			again.Href = r.URL.RequestURI()
		}
		if kind.status == http.StatusUnauthorized {
			again.Title = "You are not logged in any more"
			again.Message = "Log in again in a new tab, then come back here and try again. Nothing you typed is lost."
			again.Links = []templates.Link{{Text: "Log in", Href: "/login", NewTab: true}}
		}
		_ = s.render(w, r, kind.status, templates.TryAgainPage(s.page(w, r), again))
		return
	}
	_ = s.render(w, r, kind.status, templates.FailurePage(s.page(w, r), templates.Failure{
		Status: kind.status, Title: kind.title, Message: kind.meaning, RequestID: requestID(r),
		Links: []templates.Link{{Text: "Go to the invoices", Href: "/invoices"}},
	}))
}

// fields lists what a form posted, each name's values in their order.
func fields(form url.Values) []templates.Field {
	var list []templates.Field
	for _, name := range sortedNames(form) {
		for _, value := range form[name] {
			list = append(list, templates.Field{Name: name, Value: value})
		}
	}
	return list
}

// day shows an ISO date to people.
func day(t time.Time) string { return t.Format("2 Jan 2006") }

// age says how long ago something was.
func age(since time.Duration) string {
	switch seconds := int(since.Seconds()); {
	case seconds < 2:
		return "a moment ago"
	case seconds < 120:
		return strconv.Itoa(seconds) + " seconds ago"
	default:
		return strconv.Itoa(seconds/60) + " minutes ago"
	}
}
