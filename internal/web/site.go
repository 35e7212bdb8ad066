package web

import (
	"net/http"
	"slices"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
	"onlyonce/templates"
)

// Site mounts pages on a server.
type Site struct {
	*Server

	pages, public, api, hooks router
	section                   string // see [Site.Within]
	owners                    bool   // see [Site.Owners]
	admins                    bool   // see [Site.Admins]
	strangers                 bool   // see [Site.Strangers]
	secret                    bool   // see [Site.Owners]
}

// With is the site for pages before which middleware runs. Programs do not get there.
func (s *Site) With(middleware ...func(http.Handler) http.Handler) *Site {
	inner := *s
	inner.pages.mux = s.pages.mux.With(middleware...)
	inner.api = router{}
	return &inner
}

// Public returns a site for pages without a login. Their bodies are small.
func (s *Site) Public() *Site {
	inner := s.With()
	inner.pages = s.public
	return inner
}

// Strangers returns a site for resources that people without a login create, such as sign-ups. Their operations are like all others, and
// belong to the tenant [Logins.Strangers], whose records no user sees. So a page shows a record only to those who know its random id, or a
// secret that was mailed. An address sends at most 30 forms a minute, which what names in the counters. There is no API, and the browser
// keeps neither input nor pages.
func (s *Site) Strangers(what string) *Site {
	limit := s.LimitAddress(what)
	inner := s.Public().With(s.asStranger, func(next http.Handler) http.Handler {
		limited := limit(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", NoStore)
			if r.Method == http.MethodPost {
				limited.ServeHTTP(w, r)
			} else {
				next.ServeHTTP(w, r)
			}
		})
	})
	inner.strangers = true
	return inner
}

// Owners is the site for what only the owners of a tenant may see, in the place that another resource has in the navigation.
// Pages there may show secrets, so no cache keeps them.
func (s *Site) Owners(section string) *Site {
	inner := s.With().Within(section)
	inner.pages.needs, inner.owners, inner.secret = Owner, true, true
	return inner
}

// OwnersAndPrograms is the site of [Site.Owners] with an API, for tokens whose scope names its part, which only owners create. Its records
// have no events.
func (s *Site) OwnersAndPrograms(section string) *Site {
	inner := s.Owners(section)
	inner.api = s.api
	inner.api.named = true
	return inner
}

// Admins returns a site for pages that only admins of the installation see, with any role in a tenant. No cache keeps them.
func (s *Site) Admins() *Site {
	inner := s.With(s.requireAdmin).Everybody()
	inner.admins = true
	return inner
}

// Everybody returns a site whose forms read-only users may send too: they change nothing that belongs to the tenant.
func (s *Site) Everybody() *Site {
	inner := *s
	inner.pages.needs = ReadOnly
	return &inner
}

// Within returns a site for resources in a tab of another one's place in the navigation.
func (s *Site) Within(section string) *Site {
	inner := *s
	inner.section = section
	return &inner
}

// Read registers a page that belongs to no resource.
func (s *Site) Read(path string, h Handler) { s.pages.read(path, h) }

// Home registers the page with which people begin, first in the navigation. Without one they begin with the first resource.
func (s *Site) Home(path, title string, h Handler) {
	s.start = templates.NavItem{Text: title, Href: path}
	s.Read(path, h)
}

// Natural registers a POST outside of resources whose repeats change nothing more, with the reason.
func (s *Site) Natural(path, why string, h Handler) { s.pages.natural(path, why, h) }

// Around adds middleware around every page with a login. It runs before a request takes anything that others wait for.
func (s *Site) Around(middleware func(http.Handler) http.Handler) {
	s.around = append(s.around, middleware)
}

// Decorate adds a function that completes the parts that all pages share.
func (s *Site) Decorate(decorate func(*http.Request, *templates.Page)) {
	s.decorate = append(s.decorate, decorate)
}

// ShowAttempts shows on the page of every record what of returns: the attempts to make or change it.
func (s *Site) ShowAttempts(of func(*http.Request, uuid.UUID) (templ.Component, error)) {
	s.attempts = of
}

// DocsWithin puts the links to the rules and to the documentation of the API into the section of a resource, for users with a login.
// Without it they are in the main navigation.
func (s *Site) DocsWithin(section string) { s.docsWithin = section }

// ShowPrograms shows programs that use the API in its documentation.
func (s *Site) ShowPrograms(programs templates.Programs) { s.programs = programs }

// AddColumns adds columns of this room to the plain list of another room's resource. cells returns a text for each column, by the ids of
// the records that have any.
func (s *Site) AddColumns(
	many string, columns []templates.Column, cells func(*http.Request, []uuid.UUID) (map[uuid.UUID][]string, error),
) {
	s.columns[many] = addedColumns{columns, cells}
}

// AddHint adds a sentence about this room to the hints of another room's resource: "Invoices show this.", for many "settings".
func (s *Site) AddHint(many, sentence string) { s.hints[many] = sentence }

// Hint returns the sentence that another room has added for a resource, "" if none has.
func (s *Server) Hint(many string) string { return s.hints[many] }

// surround runs the middleware of [Site.Around], including middleware that is added after the routes were registered.
func (s *Server) surround(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler := next
		for _, middleware := range s.around {
			handler = middleware(handler)
		}
		handler.ServeHTTP(w, r)
	})
}

// Creates reports whether a form that is posted to path creates something.
func (s *Server) Creates(path string) bool {
	pattern := s.Mux.Find(chi.NewRouteContext(), http.MethodPost, path)
	route := slices.IndexFunc(s.Routes, func(route Route) bool {
		return route.Method == http.MethodPost && route.Path == pattern && route.Repeat == Once
	})
	return route >= 0 && slices.ContainsFunc(s.Operations(), func(op Operation) bool {
		return op.Name == s.Routes[route].Why && (op.Kind == idempotency.Create || op.Kind == idempotency.Upsert)
	})
}
