package web

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"onlyonce/internal/idempotency"
)

// Handler answers a request or returns an error, which its router turns into an answer.
type Handler func(http.ResponseWriter, *http.Request) error

// Repeat says what a repeated request does.
type Repeat string

// The ways a route may treat a repeat.
const (
	Read    Repeat = "read"    // no effect
	Once    Repeat = "once"    // the effect of one operation, once for each key
	Natural Repeat = "natural" // the effect is the same state again
)

// Route is a registered route.
type Route struct {
	Method, Path string
	Repeat       Repeat
	// Why names the operation that is carried out once, or the reason why a repeat is natural.
	Why string
	// Public routes need no login.
	Public bool
}

// router is a chi router without the methods that would take any handler: a state-changing route
// that says nothing about repeats does not compile. Without a mux it registers nothing: there is no such part of the
// program.
type router struct {
	s      *Server
	mux    chi.Router
	fail   func(http.ResponseWriter, *http.Request, error)
	prefix string // of all paths, in the list of routes
	public bool
	reg    *registration // that the routes belong to; nil for none
}

func (rt router) read(path string, h Handler) { rt.add(http.MethodGet, path, Read, "", h) }

// natural registers a POST whose repeat changes nothing more; why says for what reason.
func (rt router) natural(path, why string, h Handler) {
	rt.add(http.MethodPost, path, Natural, why, h)
}

// operation registers a route that carries out an operation, and nothing else.
func operation[C, R any](rt router, method, path string, s *Server, op idempotency.Operation[C, R], f format[C, R]) {
	rt.add(method, path, Once, op.Name(), operate(s, op, f))
}

func (rt router) add(method, path string, repeat Repeat, why string, h Handler) {
	if rt.mux == nil {
		return
	}
	rt.s.Routes = append(rt.s.Routes, Route{method, rt.prefix + path, repeat, why, rt.public})
	rt.s.byPattern[rt.prefix+path] = rt.reg
	rt.mux.Method(method, path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			rt.fail(w, r, err)
		}
	}))
}
