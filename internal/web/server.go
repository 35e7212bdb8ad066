package web

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a-h/templ"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/semaphore"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/postgres"
	"onlyonce/internal/value/date"
	"onlyonce/internal/web/apidoc"
	"onlyonce/static"
	"onlyonce/templates"
)

// Config configures a server.
type Config struct {
	Pool  *pgxpool.Pool
	Store *idempotency.Store
	Log   *slog.Logger // with the handler of [WithRequestID], lines have request IDs
	// Observe is called after each request; nil for none.
	Observe func(context.Context, Answered)
	// Secure is set where browsers come by HTTPS: cookies are for HTTPS only, and browsers remember it.
	Secure bool
	// Origin is the outside address, such as "https://app.example.com". A proxy may put another name
	// into the Host header. Empty if there is none but that of the Host header.
	Origin string
	// Path is where the app is at Origin, such as "/books"; "" for the root.
	Path string
	// Port keeps the logins of two apps on one host apart. Replicas that share their logins have the same; empty for none.
	Port string
	// TrustedProxies are the networks from which X-Forwarded-For and X-Request-Id are believed.
	TrustedProxies []netip.Prefix
	// RequestTime bounds each request; 0 is 30 seconds. An operation that was sent to the database is awaited within the bounds of the
	// Store.
	RequestTime time.Duration
	// Ending is done when the program abandons requests in progress before it exits; nil for never.
	Ending context.Context //nolint:containedctx // the life of the program
	// RateLimit is the maximum number of requests of a tenant in a minute; 0 is no limit.
	RateLimit int
	// Allow counts one more of a name for all replicas together, and reports whether it is within so many a minute. It reports true if the
	// count is unknown. With nil, each process counts alone.
	Allow func(ctx context.Context, name string, aMinute int) bool
	// Day returns the current day in a time zone, for [Server.Today]; nil for [date.TodayIn].
	Day func(*time.Location) date.Date
	// Mount mounts the resources, in the order of the navigation.
	Mount func(*Site)
}

// Server answers HTTP. Its Handler and Routes are ready after [New].
type Server struct {
	Handler http.Handler
	// Routes are all routes, with the effect of repeats.
	Routes []Route
	// Mux is the router behind Handler, for walking.
	Mux chi.Routes

	Config // as given to New, with defaults

	logins    Logins // see [Site.Authenticate]
	inFlight  atomic.Int64
	assets    *static.Assets
	resources []*resource            // in the order of the navigation
	byPattern map[string]*resource   // by the patterns of their routes
	openAPI   func() ([]byte, error) // made once, see New
	requests  *semaphore.Weighted    // that are handled now, see admit
	strangers *semaphore.Weighted    // whose bodies are read now, see toStrangers
	large     *semaphore.Weighted    // bodies that are handled now, see admitLarge
	uploads   *semaphore.Weighted    // bodies with files that are handled now, see admitLarge
	// findClient is in front of what asks for the client's address.
	findClient func(http.Handler) http.Handler
	// limitSenders bounds the deliveries for each tenant, see [Receive].
	limitSenders func(http.Handler) http.Handler

	// What resources add to pages that are not theirs, see [Site].
	around   []func(http.Handler) http.Handler
	decorate []func(*http.Request, *templates.Page)
	attempts func(*http.Request, uuid.UUID) (templ.Component, error)
	programs templates.Programs
	hints    map[string]string
	receives bool // whether a path takes deliveries
	// explained has the texts of problems that rooms know more about, by slug.
	explained map[string]Explanation
	columns   map[string]addedColumns
	sections  map[string][]section
	// docsWithin is the section with the rules and the documentation of the API, see [Site.DocsWithin]; "" for the main navigation.
	docsWithin string
	start      templates.NavItem // the page with which people begin, see [Site.Home]; zero if there is none
}

// New returns a server, or an error for broken assets or an invalid Origin.
func New(c Config) (*Server, error) {
	assets, err := static.New()
	if err != nil {
		return nil, err
	}
	c.RequestTime, c.Ending = cmp.Or(c.RequestTime, 30*time.Second), cmp.Or(c.Ending, context.Background())
	if c.Day == nil {
		c.Day = date.TodayIn
	}
	s := &Server{
		Config: c, assets: assets, findClient: clientAddress(c.TrustedProxies),
		requests: semaphore.NewWeighted(requestsAtOnce), strangers: semaphore.NewWeighted(strangersAtOnce),
		large: semaphore.NewWeighted(largeAtOnce), uploads: semaphore.NewWeighted(uploadsAtOnce),
		byPattern: map[string]*resource{}, hints: map[string]string{},
		columns: map[string]addedColumns{}, sections: map[string][]section{}, explained: map[string]Explanation{},
	}
	mux := chi.NewRouter()
	sameOrigin, err := s.sameOrigin()
	if err != nil {
		return nil, err
	}
	s.mount(mux, sameOrigin)
	s.openAPI = sync.OnceValues(func() ([]byte, error) {
		return apidoc.OpenAPI(s.documented(), reflect.TypeFor[problemJSON](), s.Path, s.logins.TokensFrom)
	})
	s.Handler, s.Mux = mux, mux
	return s, nil
}

// mount registers every route of the program.
func (s *Server) mount(mux chi.Router, sameOrigin func(http.Handler) http.Handler) {
	mux.Use(s.tell, s.securityHeaders, s.stripPath, s.arrive, s.recoverPanics, s.boundBody, s.limitTarget, middleware.GetHead)

	plain := router{s: s, mux: mux, fail: s.FailHTML, public: true}
	plain.read("/static/*", infallible(s.assets.Handler()))
	plain.read("/healthz", infallible(http.HandlerFunc(alive)))
	plain.read("/readyz", infallible(http.HandlerFunc(s.ready)))

	pages := router{s: s, fail: s.FailHTML}
	public := router{s: s, fail: s.FailHTML, public: true}
	api := router{s: s, fail: s.failJSON, prefix: apiPrefix}
	hooks := router{s: s, fail: s.failJSON, public: true}
	s.limitSenders = s.limitTenant("deliveries", s.RateLimit, s.failJSON)
	mux.Group(func(mux chi.Router) {
		mux.Use(gzipPages, s.admit(s.FailHTML), sameOrigin, s.identify)
		mux.NotFound(s.always(s.FailHTML, ErrNotFound))
		mux.MethodNotAllowed(s.wrongMethod(s.FailHTML))

		mux.Group(func(mux chi.Router) {
			mux.Use(limitBody(maxStranger))
			public.mux = mux
			public.read("/", func(w http.ResponseWriter, r *http.Request) error { return s.SeeOther(w, r, s.home()) })
			public.read(docsPath, s.showAPIDocs)
			public.read(consolePath, s.showConsole)
			public.read(consolePath+"/{file}", sendConsoleFile)
			public.read(rulesPath, s.showRules)
			public.read("/openapi.json", s.showOpenAPI)
			public.read("/problems", s.listProblems)
			public.read("/problems/{slug}", s.showProblem)
		})
		mux.Group(func(mux chi.Router) {
			mux.Use(s.requireLogin, s.limitTenant("pages", s.RateLimit, s.FailHTML))
			mux.Use(s.surround) // before anything is held that others wait for
			mux.Use(s.allowUpload, s.admitLarge(s.large))
			pages.mux = mux
		})
	})
	mux.Route(apiPrefix, func(mux chi.Router) {
		mux.NotFound(s.always(s.failJSON, ErrNotFound))
		mux.MethodNotAllowed(s.wrongMethod(s.failJSON))
		mux.Use(s.admit(s.failJSON), s.requireToken, s.limitTenant("api", s.RateLimit, s.failJSON), s.allowUpload, s.admitLarge(s.large))
		api.mux = mux
	})
	mux.Group(func(mux chi.Router) {
		mux.Use(s.admit(s.failJSON), limitBody(maxDelivery), s.admitLarge(semaphore.NewWeighted(largeAtOnce)))
		hooks.mux = mux
	})

	s.Mount(&Site{Server: s, pages: pages, public: public, api: api, hooks: hooks})
}

// Today returns the current day of the caller's tenant, with which forms begin, and with which they compare dates that may be mistyped.
func (s *Server) Today(r *http.Request) date.Date { return s.Day(date.Zone(Principal(r).Zone)) }

// home returns the start page: that of [Site.Home], or the list of the first resource.
func (s *Server) home() string { return cmp.Or(s.start.Href, "/"+s.resources[0].many) }

// Operations lists the operations of all routes.
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

// alive answers as long as the process runs.
func alive(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") }

// ready reports whether requests can be served: the database answers and has the schema of this program, or a newer one. No
// program starts on a newer one. So a newer version was started beside this one, and this one goes on until it is
// stopped: docs/upgrade.md.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	err := postgres.SchemaCurrent(ctx, s.Pool)
	if other, ok := errors.AsType[*postgres.SchemaError](err); ok && other.Database > other.Program {
		err = nil
	}
	if err != nil {
		s.Log.WarnContext(ctx, "not ready", "error", err)
		http.Error(w, "not ready", http.StatusServiceUnavailable)
		return
	}
	_, _ = io.WriteString(w, "ready\n")
}

// isDatabaseDown reports whether the database could not be reached; an error that it answered with is none.
func isDatabaseDown(err error) bool {
	if answered, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch answered.Code[:2] {
		case "08", "53", "57": // connection, resources, shutdown
			return true
		}
		return answered.Code == "25006" // it accepts no writes: a standby
	}
	return errors.As(err, new(net.Error)) || errors.As(err, new(*pgconn.ConnectError)) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, pgconn.ErrConnClosed)
}
