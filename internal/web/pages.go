package web

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/conflict"
	"onlyonce/internal/invalid"
	"onlyonce/templates"
)

// Page fills in what all pages share. It takes the flash message, so it is called once per answer.
func (s *Server) Page(w http.ResponseWriter, r *http.Request) templates.Page {
	who := Principal(r)
	flash, done := s.takeFlash(w, r)
	p := templates.Page{
		User: who.Name, Tenant: who.TenantName, LoginUnknown: s.loginUnknown(r), Asset: s.assets.Path, Flash: flash, Done: done,
		Nav: s.nav(r), Tabs: s.tabs(r),
	}
	for _, decorate := range s.decorate {
		decorate(r, &p)
	}
	return p
}

// tabs are the parts of the section of the navigation that a page is in, if it has any that the person may see.
func (s *Server) tabs(r *http.Request) (items []templates.NavItem) {
	here := s.resourceOf(r)
	section := s.above(here)
	if s.docsWithin != "" && Principal(r).Name != "" && isDocs(r) {
		section = s.resourceNamed(s.docsWithin)
	}
	if section == nil || !section.visible(r) {
		return nil
	}
	for _, reg := range s.resources {
		if reg.section == section.many && reg.visible(r) {
			items = append(items, templates.NavItem{Text: reg.tab, Href: "/" + reg.many, Current: reg == here})
		}
	}
	if section.many == s.docsWithin {
		items = append(items, docsItems(r)...)
	}
	if len(items) > 0 {
		items = append([]templates.NavItem{{Text: section.tab, Href: "/" + section.many, Current: here == section}}, items...)
	}
	return items
}

// nav returns the main navigation: public pages, and with a login the resources.
func (s *Server) nav(r *http.Request) []templates.NavItem {
	var items []templates.NavItem
	if Principal(r).Name != "" || s.loginUnknown(r) {
		here := s.above(s.resourceOf(r))
		if isDocs(r) && s.docsWithin != "" {
			here = s.resourceNamed(s.docsWithin)
		}
		if start := s.start; start.Href != "" {
			start.Current = r.URL.Path == start.Href
			items = append(items, start)
		}
		for _, reg := range s.resources {
			if reg.under+reg.section != "" || !reg.visible(r) {
				continue
			}
			items = append(items, templates.NavItem{Text: Capital(reg.plural()), Href: "/" + reg.many, Current: reg == here})
		}
	}
	if s.docsWithin == "" || Principal(r).Name == "" {
		items = append(items, docsItems(r)...)
	}
	return items
}

// docsItems returns the links to the documentation.
func docsItems(r *http.Request) []templates.NavItem {
	rules := r.URL.Path == rulesPath
	return []templates.NavItem{
		{Text: "Rules", Href: rulesPath, Current: rules}, {Text: "API", Href: docsPath, Current: isDocs(r) && !rules},
	}
}

const docsPath = "/docs/api"

// isDocs reports whether a page documents the rules or the API.
func isDocs(r *http.Request) bool {
	return r.URL.Path == rulesPath || strings.HasPrefix(r.URL.Path, "/docs/") || strings.HasPrefix(r.URL.Path, "/problems")
}

// loginUnknown reports whether a request has a session that was not read, for example because the database is down.
func (s *Server) loginUnknown(r *http.Request) bool {
	_, err := r.Cookie(s.logins.Cookie)
	return err == nil && !identified(r)
}

// NoStore is the Cache-Control of pages that may show a secret.
const NoStore = "private, no-store"

// Render writes a page. Pages are private, and kept by the browser for Back and Forward only, unless their Cache-Control is set. It returns
// an error if nothing was written. A page that fails later is cut off, so that it doesn't look complete.
func (s *Server) Render(w http.ResponseWriter, r *http.Request, status int, page templ.Component) error {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if w.Header().Get("Cache-Control") == "" {
		w.Header().Set("Cache-Control", "private, no-cache")
	}
	html := &pageWriter{response: w, status: status}
	err := s.renderAtPath(context.WithoutCancel(r.Context()), html, page) // an error page is rendered after the deadline too
	switch {
	case err != nil && html.started:
		panic(http.ErrAbortHandler) // or the client is gone
	case err != nil:
		return fmt.Errorf("render page: %w", err)
	default:
		_ = html.start() // the client may be gone
		return nil
	}
}

// pageBuffer is the part of a page that is buffered before it is sent, in bytes. Nearly all pages are shorter. The rest isn't buffered,
// because a page can be many times as large as its form.
const pageBuffer = 64 << 10

// pageWriter holds an answer back until it is known that there will be one.
type pageWriter struct {
	response http.ResponseWriter
	status   int
	held     bytes.Buffer
	started  bool
}

func (w *pageWriter) Write(html []byte) (int, error) {
	if !w.started && w.held.Len()+len(html) <= pageBuffer {
		return w.held.Write(html) //nolint:wrapcheck // it returns none
	}
	if err := w.start(); err != nil {
		return 0, err
	}
	return w.response.Write(html) //nolint:wrapcheck // Render wraps it
}

// start writes the buffer.
func (w *pageWriter) start() error {
	if w.started {
		return nil
	}
	w.started = true
	w.response.WriteHeader(w.status)
	_, err := w.response.Write(w.held.Bytes())
	return err //nolint:wrapcheck // Render wraps it
}

// CookieName returns the name of a cookie with the port, if it isn't the usual one: browsers send a cookie to all ports of a host.
func (s *Server) CookieName(name string) string {
	if s.Port == "" {
		return name
	}
	return name + "_" + s.Port
}

// flashCookie holds the name of the message for the page after a redirect, see flash, and the key of the form that was sent.
func (s *Server) flashCookie() string { return s.CookieName("onlyonce_flash") }

// SetFlash leaves a message for the page at path, and the key of the form that is done, if it was one.
func (s *Server) SetFlash(w http.ResponseWriter, path, message, done string) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure is off on loopback only
		Name: s.flashCookie(), Value: message + "?" + url.QueryEscape(done), Path: s.Path + path, MaxAge: 60,
		HttpOnly: true, Secure: s.Secure, SameSite: http.SameSiteLaxMode,
	})
}

// takeFlash returns the message that was left for this page, and the key of the form that is done, once.
func (s *Server) takeFlash(w http.ResponseWriter, r *http.Request) (message, done string) {
	cookie, err := r.Cookie(s.flashCookie())
	if err != nil {
		return "", ""
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // it only deletes
		Name: s.flashCookie(), Path: s.Path + r.URL.Path, MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
	message, done, _ = strings.Cut(cookie.Value, "?")
	done, _ = url.QueryUnescape(done) // "" for a malformed cookie
	return message, done
}

// SeeOther leads to a path of this site, which is shown with GET. It returns nil.
func (s *Server) SeeOther(w http.ResponseWriter, r *http.Request, path string) error {
	http.Redirect(w, r, s.Path+path, http.StatusSeeOther) //nolint:gosec // the callers name paths of this site
	return nil
}

// FailHTML answers an error with a page that leads on and loses nothing that was typed.
func (s *Server) FailHTML(w http.ResponseWriter, r *http.Request, err error) {
	kind := s.classify(r, err)
	retryAfter(w, kind)
	f := failed{kind: kind, err: err, posted: r.Method == http.MethodPost, stranger: kind.Status == http.StatusUnauthorized}
	if f.stranger && !f.posted {
		_ = s.SeeOther(w, r, loginPath(r))
		return
	}
	f.typed = f.posted && ParseForm(r) == nil
	finish(r)
	if f.mayComeAgain() && (f.typed || !f.posted) {
		_ = s.Render(w, r, kind.Status, templates.TryAgainPage(s.Page(w, r), s.tryAgain(r, f)))
	} else {
		_ = s.Render(w, r, kind.Status, templates.FailurePage(s.Page(w, r), s.failure(r, f)))
	}
}

// failed is a request that failed, for the page about it.
type failed struct {
	kind     problem
	err      error
	posted   bool
	typed    bool // the posted form could be read
	stranger bool // without a login
}

// otherTenant reports whether the form belongs to another tenant than the one logged in.
func (f failed) otherTenant() bool { return errors.Is(f.err, errOtherTenant) }

// mayComeAgain reports whether the same request may succeed later.
func (f failed) mayComeAgain() bool {
	return f.kind.Retry > 0 || f.stranger || f.otherTenant() || f.posted && f.kind.Status >= http.StatusInternalServerError
}

// tryAgain returns the page that can send the form again.
func (s *Server) tryAgain(r *http.Request, f failed) templates.TryAgain {
	again := templates.TryAgain{Title: f.kind.Title, Message: f.kind.Meaning, Status: f.kind.Status}
	if !f.typed {
		again.Href = r.URL.RequestURI()
		return again
	}
	again.Action, again.Fields, again.Facts = r.URL.Path, fields(r.PostForm), s.facts(r)
	again.Files = s.fileFields(r)
	kept := ""
	if len(again.Facts) > 0 {
		kept = " What you typed is kept."
	}
	switch {
	case f.stranger:
		again.Title = "You are no longer logged in"
		again.Message = "Log in again in a new tab, then come back here and try again." + kept
		again.Links, again.LoggedOut = []templates.Link{{Text: "Log in", Href: "/login", NewTab: true}}, true
	case f.otherTenant():
		notice := templates.OtherTenant(formOwner(r), Tenant(r), false)
		again.Title, again.Message, again.Links = notice.Title, notice.Text, notice.Links
	case again.AsksPassword():
		again.Message += " Enter your password again. Nothing else you typed is lost."
	default:
		again.Message += kept + " Trying again is safe."
		again.WhenReady = (f.kind == unavailable || f.kind == unconfirmed) && len(again.Files) == 0
	}
	if slices.ContainsFunc(again.Files, func(f templates.Field) bool { return r.PostForm.Get(f.Name) != "" }) {
		again.Message += " Choose the file again."
	}
	return again
}

// fileFields returns the fields with a file of a posted form, with their labels. A form that was read up to its first file may have others.
func (s *Server) fileFields(r *http.Request) (fields []templates.Field) {
	reg := s.resourceOf(r)
	if reg == nil {
		return nil
	}
	posted := false
	for _, f := range reg.form.Fields {
		if _, takesFile := reg.form.Files[f.Name]; takesFile {
			fields, posted = append(fields, f), posted || r.PostForm.Has(f.Name)
		}
	}
	if !posted {
		return nil
	}
	return fields
}

// failure explains what sending it again cannot help.
func (s *Server) failure(r *http.Request, f failed) templates.Failure {
	failure := templates.Failure{
		Status: f.kind.Status, Title: f.kind.Title, Message: f.kind.Meaning, RequestID: requestID(r),
		Links: []templates.Link{{Text: "Go to the start page", Href: "/"}},
	}
	if c, ok := errors.AsType[*conflict.Error](f.err); ok {
		failure.Title, failure.Message = c.Title, c.Text
		existing, reg := s.below(r.URL.Path), s.resourceOf(r)
		if reg != nil && c.Existing != uuid.Nil {
			existing = templates.Record{Name: c.Name, Href: "/" + cmp.Or(c.Many, reg.many) + "/" + c.Existing.String()}
		}
		failure.Links = []templates.Link{{Text: "Open " + existing.Name, Href: existing.Href}}
		if reg != nil {
			failure.Links = append(failure.Links, reg.linksToOthers(c)...)
		}
		if isStranger(r) {
			failure.Links = []templates.Link{{Text: "Log in", Href: "/login"}}
			if reg != nil {
				failure.Links = append(failure.Links, templates.Link{Text: "Begin again", Href: "/" + reg.many + "/new"})
			}
		}
	}
	if wrong, ok := errors.AsType[*invalid.Error](f.err); ok && !f.posted {
		failure.Title, failure.Message = "Check the address", ""
		for _, field := range wrong.Fields {
			failure.Message += field.Message + " "
		}
		failure.Links = []templates.Link{{Text: "Show everything here", Href: r.URL.Path}}
	}
	if f.kind == forbidden && r.Header.Get("Sec-Fetch-Site") == "" {
		failure.Message = s.fromElsewhere(r)
	}
	if errors.Is(f.err, errReadOnly) {
		failure.Message = "You can see everything here and change nothing. Nothing was saved. " + s.logins.Promotion
	}
	switch {
	case f.typed || !f.posted:
	case f.stranger:
		failure.Title = "You are no longer logged in"
		failure.Message = "Nothing was saved, and what you sent is too large to keep on this page. Log in again in a new tab. " +
			"Then come back here, go back with your browser's Back button, which still has what you typed, and send it again."
		failure.Links = []templates.Link{{Text: "Log in", Href: "/login", NewTab: true}}
	default:
		failure.Message += " What you typed is not on this page. Your browser still has it: use its Back button."
	}
	return failure
}

// loginPath leads back to the address of the request after a login, if it is not too long to be repeated.
func loginPath(r *http.Request) string {
	if next := url.QueryEscape(r.URL.RequestURI()); len(next) <= maxTarget/2 {
		return "/login?" + templates.NextField + "=" + next
	}
	return "/login"
}

// facts returns the labels and values of a posted form.
func (s *Server) facts(r *http.Request) []templates.Fact {
	facts := func(typed url.Values) []templates.Fact { // of the login
		return []templates.Fact{{Label: "Email", Value: typed.Get(templates.EmailField)}}
	}
	if reg := s.resourceOf(r); reg != nil {
		facts = reg.facts
	}
	var typed []templates.Fact
	for _, fact := range facts(r.PostForm) {
		if fact.Value != "" {
			typed = append(typed, templates.Fact{Label: fact.Label, Value: Beginning(fact.Value)})
		}
	}
	return typed
}

// Beginning is enough of a text to know it again; the whole is in the form.
func Beginning(text string) string {
	const enough = 2000 // bytes
	if len(text) <= enough {
		return text
	}
	return strings.ToValidUTF8(text[:enough], "") + "…"
}

// fields returns the fields of a posted form, with the values of each name in their order.
func fields(form url.Values) []templates.Field {
	var list []templates.Field
	for _, name := range sortedNames(form) {
		for _, value := range form[name] {
			list = append(list, templates.Field{Name: name, Value: value})
		}
	}
	return list
}
