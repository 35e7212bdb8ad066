package web

import (
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/go-chi/httprate"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/semaphore"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/lab"
	"onlyonce/static"
	"onlyonce/templates"
)

// Config is what a server is made of.
type Config struct {
	Pool  *pgxpool.Pool
	Store *idempotency.Store
	Log   *slog.Logger
	// Secure says that browsers come by HTTPS: cookies are for HTTPS only, and browsers remember it.
	Secure bool
	// Origin is the outside address, such as "https://invoices.example.com". A proxy may put another name
	// into the Host header. Empty if there is none but that of the Host header.
	Origin string
	// TrustedProxies are the networks from which X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
	// RateLimit is how many requests a minute each tenant may make; 0 is no limit.
	RateLimit int
	// KeepAttempts is for how long attempts are kept, for pages to say; 0 if none are.
	KeepAttempts time.Duration
	// Demo lists the logins that the login page offers. Without any, the demo is off: passwords, tokens
	// and sessions of demo tenants are refused.
	Demo []templates.DemoLogin
	// begin lab

	// Lab is where visitors of the demo try to break the promise; nil if there is none.
	Lab *lab.Lab
	// end lab
}

// Server answers HTTP. Its Handler and Routes are ready after [New].
type Server struct {
	Handler http.Handler
	// Routes are all routes, with what a repeat of each does.
	Routes []Route
	// Mux is the router behind Handler, for walking.
	Mux chi.Routes

	pool      *pgxpool.Pool
	store     *idempotency.Store
	log       *slog.Logger
	sessions  *scs.SessionManager
	tokens    tokens
	assets    *static.Assets
	resources []*registration        // in the order of the navigation
	openAPI   func() ([]byte, error) // made once, see describe
	demo      []templates.DemoLogin
	// begin lab
	lab *lab.Lab // nil if there is none
	// end lab
	secure    bool
	kept      time.Duration         // for which attempts are; 0 if none are
	origin    string                // the outside address, or empty
	large     *semaphore.Weighted   // bodies that are handled now, see admitLarge
	passwords *semaphore.Weighted   // that are checked now, see withPassword
	probes    *httprate.RateLimiter // emails of other tenants that were met, see users
	// begin lab
	visits *visits // what visitors of the lab have asked for; nil without a lab
	// end lab
}

// New makes a server. The error is that of broken assets, or of an Origin that is none.
func New(c Config) (*Server, error) {
	assets, err := static.New()
	if err != nil {
		return nil, err
	}
	s := &Server{
		pool: c.Pool, store: c.Store, log: c.Log, secure: c.Secure, origin: c.Origin, demo: c.Demo, kept: c.KeepAttempts,
		tokens: newTokens(c.Pool), assets: assets,
		large: semaphore.NewWeighted(largeAtOnce), passwords: semaphore.NewWeighted(passwordsAtOnce),
		probes: httprate.NewRateLimiter(probesAnHour, time.Hour),
		// begin lab
		lab: c.Lab,
		// end lab
	}
	s.sessions = newSessions(c.Pool, c.Secure)
	// begin lab
	if c.Lab != nil {
		s.visits = newVisits()
	}
	// end lab
	mux := chi.NewRouter()
	mux.Use(clientAddress(c.TrustedProxies))
	sameOrigin, err := s.sameOrigin(c.Origin)
	if err != nil {
		return nil, err
	}
	s.mount(mux, c.RateLimit, sameOrigin)
	s.openAPI = sync.OnceValues(s.describe)
	s.Handler, s.Mux = mux, mux
	return s, nil
}

// mount lists every route of the program.
func (s *Server) mount(mux chi.Router, perMinute int, sameOrigin func(http.Handler) http.Handler) {
	mux.Use(newRequestID, s.recoverPanics, securityHeaders(s.secure), limitBody(maxBody), s.limitTarget, middleware.GetHead,
		limitTime(30*time.Second))

	mux.Method(http.MethodGet, "/static/*", s.assets.Handler())
	mux.Get("/healthz", alive)
	mux.Get("/readyz", s.ready)

	pages := router{fail: s.failHTML, routes: &s.Routes}
	api := router{fail: s.failJSON, routes: &s.Routes, prefix: apiPrefix}
	mux.Group(func(mux chi.Router) {
		mux.Use(gzipPages, sameOrigin, s.loadSession, s.identify)
		mux.NotFound(s.always(s.failHTML, errNotFound))
		mux.MethodNotAllowed(s.wrongMethod(s.failHTML))

		mux.Group(func(mux chi.Router) {
			mux.Use(limitBody(maxStranger))
			rt := router{mux: mux, fail: s.failHTML, public: true, routes: &s.Routes}
			rt.read("/", func(w http.ResponseWriter, r *http.Request) error { return seeOther(w, r, s.home()) })
			rt.read("/login", s.showLogin)
			rt.read("/logged-out.css", s.clearCaches)
			rt.read("/docs/api", s.showAPIDocs)
			rt.read("/openapi.json", s.showOpenAPI)
			rt.read("/problems", s.listProblems)
			rt.read("/problems/{slug}", s.showProblem)
			rt.natural("/logout", "being logged out is a state", s.logOut)

			rt.mux = mux.With(keepNothing, s.limitAddress())
			rt.read("/join", s.showJoin)
			rt.natural("/join", "having the password that was chosen is a state; a link is used once", s.join)

			rt.mux = mux.With(s.limitLogins())
			rt.natural("/login", "being logged in is a state; the old session is replaced", s.logIn)
		})
		mux.Group(func(mux chi.Router) {
			mux.Use(s.requireLogin, s.limitTenant(perMinute, s.failHTML))
			// begin lab
			mux.Use(s.disturb) // before anything is held that others wait for
			// end lab
			mux.Use(s.admitLarge)
			pages.mux = mux
		})
	})
	mux.Route(apiPrefix, func(mux chi.Router) {
		mux.NotFound(s.always(s.failJSON, errNotFound))
		mux.MethodNotAllowed(s.wrongMethod(s.failJSON))
		mux.Use(s.requireToken, s.limitTenant(perMinute, s.failJSON), s.admitLarge)
		api.mux = mux
	})

	// The resources, in the order of the navigation.
	// begin invoices
	documents := newDocuments()
	s.invoices(pages, api, documents)
	s.payments(pages, api)
	s.refunds(pages, api)
	s.creditNotes(pages, api, documents)
	// end invoices
	s.customers(pages, api)
	// A new resource stands above this line.
	// begin invoices
	s.mails(pages, api)
	// end invoices
	s.settings(pages, api)
	owners := pages
	owners.mux = pages.mux.With(s.requireOwner)
	s.users(owners)
	s.apiTokens(owners)
	s.attempts(owners)
	s.account(pages)
	// begin lab
	s.labPages(pages)
	s.labYourself(pages)
	s.labTour(pages)
	// end lab
}

// home is where people begin: the list of the first resource.
func (s *Server) home() string { return "/" + s.resources[0].many }

// Operations lists what the routes carry out.
func (s *Server) Operations() (all []Operation) {
	for _, reg := range s.resources {
		all = append(all, reg.operations...)
	}
	return all
}

// Rules lists the uniqueness rules of all resources.
func (s *Server) Rules() (all []conflict.Rule) {
	for _, reg := range s.resources {
		all = append(all, reg.rules...)
	}
	return all
}

const apiPrefix = "/api/v1"
