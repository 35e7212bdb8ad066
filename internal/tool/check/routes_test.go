package check

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"onlyonce/internal/assert"
)

// TestNoHandlerIsPastTheRouter: only the router registers handlers with the mux, since it declares the treatment of repeats.
// The walk over all routes finds other handlers too, except one that replaces a listed route, or wraps all routes.
func TestNoHandlerIsPastTheRouter(t *testing.T) {
	t.Parallel()
	s := load(t, "./cmd/...", "./internal/app", "./internal/web", "./static", "./templates")
	routers := 0
	for _, p := range s.packages {
		for _, broken := range s.pastRouter(p) {
			t.Error(broken)
		}
		for _, file := range p.Syntax {
			for _, declared := range file.Decls {
				if f, ok := declared.(*ast.FuncDecl); ok && isRouter(p.TypesInfo, f) {
					routers++
				}
			}
		}
	}
	assert.Thatf(t, routers != 0, "no type has a field `mux chi.Router`: say in isRouter what the router is")
}

// plain are the routes that need no router, because they only read: files, and monitoring.
var plain = []string{
	"GET /static/*", "GET /healthz", "GET /readyz", "GET /metrics", "GET /debug/pprof/", "GET /debug/pprof/profile",
}

// pastRouter returns a sentence for each handler of a package that isn't registered by the router.
func (s *source) pastRouter(p *packages.Package) (found []string) {
	for _, file := range p.Syntax {
		for _, declared := range file.Decls {
			f, isFunc := declared.(*ast.FuncDecl)
			if isFunc && isRouter(p.TypesInfo, f) {
				continue
			}
			ast.Inspect(declared, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && s.registers(call) && !slices.Contains(plain, pattern(call)) {
					found = append(found, s.position(n)+": this handler does not say what a repeat of its request does: "+
						"register it with a method of the router in internal/web")
				}
				if isFunc && mayHandle(p.PkgPath, f.Name.Name) {
					return true
				}
				if isHandler(p.TypesInfo, n) {
					found = append(found, s.position(n)+": a handler outside of internal/web stands past the router and its checks: "+
						"make it a route, or middleware, of internal/web")
				}
				return true
			})
		}
	}
	return found
}

// registers reports whether a call registers a handler with a mux of chi or net/http. Handlers for unknown routes are covered
// by TestAddressesWithoutARouteDoNothing.
func (s *source) registers(call *ast.CallExpr) bool {
	f := s.callee(call)
	if f == nil || f.Pkg() == nil {
		return false
	}
	switch f.Pkg().Path() {
	case "net/http":
		return f.Name() == "Handle" || f.Name() == "HandleFunc"
	case "github.com/go-chi/chi/v5":
		takes := func(v *types.Var) bool {
			of := types.TypeString(v.Type(), nil)
			return of == "net/http.Handler" || of == "net/http.HandlerFunc"
		}
		return f.Name() != "NotFound" && f.Name() != "MethodNotAllowed" &&
			slices.ContainsFunc(slices.Collect(f.Signature().Params().Variables()), takes)
	default:
		return false
	}
}

// pattern returns the literal method and path of a registration.
func pattern(call *ast.CallExpr) string {
	var words []string
	if name := identifier(call.Fun).Name; name == "Get" {
		words = append(words, "GET")
	}
	for _, argument := range call.Args[:len(call.Args)-1] {
		switch a := argument.(type) {
		case *ast.BasicLit:
			text, _ := strconv.Unquote(a.Value)
			words = append(words, text)
		case *ast.SelectorExpr:
			words = append(words, strings.ToUpper(strings.TrimPrefix(a.Sel.Name, "Method")))
		}
	}
	return strings.Join(words, " ")
}

// isRouter reports whether a function is a method of the type that has the mux.
func isRouter(info *types.Info, f *ast.FuncDecl) bool {
	method, _ := info.Defs[f.Name].(*types.Func)
	if method == nil || method.Signature().Recv() == nil {
		return false
	}
	of := method.Signature().Recv().Type()
	if pointer, ok := of.(*types.Pointer); ok {
		of = pointer.Elem()
	}
	fields, ok := of.Underlying().(*types.Struct)
	return ok && slices.ContainsFunc(slices.Collect(fields.Fields()), func(field *types.Var) bool {
		return field.Name() == "mux" && types.TypeString(field.Type(), nil) == "github.com/go-chi/chi/v5.Router"
	})
}

// isHandler reports whether n is a function that answers requests.
func isHandler(info *types.Info, n ast.Node) bool {
	var of types.Type
	switch n := n.(type) {
	case *ast.FuncLit:
		of = info.TypeOf(n)
	case *ast.FuncDecl:
		of = info.TypeOf(n.Name)
	}
	signature, ok := of.(*types.Signature)
	return ok && signature.Params().Len() == 2 && fmt.Sprint(signature.Params().At(0).Type(), signature.Params().At(1).Type()) ==
		"net/http.ResponseWriter *net/http.Request"
}

// mayHandle reports whether a function of a package may answer requests: those of internal/web, the file server, and
// refuseUnclear, which rejects requests that no router can read.
func mayHandle(path, function string) bool {
	return path == module+"/internal/web" || path == module+"/static" ||
		path == module+"/internal/app" && function == "refuseUnclear"
}

func TestHandlersPastTheRouterAreFound(t *testing.T) {
	t.Parallel()
	const router, outside = "method of the router", "outside of internal/web"
	cases := map[string]struct{ text, want string }{
		"the router":           {`func (rt router) add() { rt.mux.Method("POST", "/x", h) }`, ""},
		"pointer to it":        {`func (rt *router) add() { rt.mux.Post("/x", f) }`, ""},
		"grouping":             {`func x() { mux.Group(func(chi.Router) {}); mux.Route("/x", func(chi.Router) {}); mux.With().Use() }`, ""},
		"errors":               {`func x() { mux.NotFound(f); mux.MethodNotAllowed(f) }`, ""},
		"plain routes":         {`func x() { mux.Get("/healthz", f); mux.Method("GET", "/readyz", h) }`, ""},
		"files":                {`func x() { mux.Method(http.MethodGet, "/static/*", h) }`, ""},
		"post to a plain one":  {`func x() { mux.Post("/healthz", f) }`, router},
		"any to a plain one":   {`func x() { mux.Handle("/healthz", h) }`, router},
		"method of plain one":  {`func x() { mux.Method(http.MethodPost, "/healthz", h) }`, router},
		"get":                  {`func x() { mux.Get("/x", f) }`, router},
		"post":                 {`func x() { mux.Post("/x", f) }`, router},
		"put":                  {`func x() { mux.Put("/x", f) }`, router},
		"patch":                {`func x() { mux.Patch("/x", f) }`, router},
		"delete":               {`func x() { mux.Delete("/x", f) }`, router},
		"head":                 {`func x() { mux.Head("/x", f) }`, router},
		"options":              {`func x() { mux.Options("/x", f) }`, router},
		"connect":              {`func x() { mux.Connect("/x", f) }`, router},
		"trace":                {`func x() { mux.Trace("/x", f) }`, router},
		"method":               {`func x() { mux.Method("POST", "/x", h) }`, router},
		"method func":          {`func x() { mux.MethodFunc("POST", "/x", f) }`, router},
		"handle":               {`func x() { mux.Handle("/x", h) }`, router},
		"handle func":          {`func x() { mux.HandleFunc("/x", f) }`, router},
		"mount":                {`func x() { mux.Mount("/x", h) }`, router},
		"of the mux type":      {`func x() { chi.NewMux().Post("/x", f) }`, router},
		"in a group":           {`func x() { mux.Group(func(mux chi.Router) { mux.Post("/x", f) }) }`, router},
		"through the router":   {`func x(rt router) { rt.mux.Post("/x", f) }`, router},
		"in a variable":        {`var _ = func() { mux.Post("/x", f) }`, router},
		"net/http":             {`func x() { http.Handle("/x", h) }`, router},
		"mux of net/http":      {`func x() { http.NewServeMux().HandleFunc("POST /x", f) }`, router},
		"metrics":              {`func x() { http.NewServeMux().Handle("GET /metrics", h) }`, ""},
		"function":             {`func around(w http.ResponseWriter, r *http.Request) {}`, outside},
		"method of a type":     {`type around struct{}; func (around) ServeHTTP(w http.ResponseWriter, r *http.Request) {}`, outside},
		"middleware":           {`var around = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})`, outside},
		"returns an error too": {`func around(w http.ResponseWriter, r *http.Request) error { return nil }`, outside},
	}
	s := load(t, "github.com/go-chi/chi/v5", "net/http")
	for name, c := range cases {
		s.parse(t, name, `import ("net/http"; "github.com/go-chi/chi/v5")
			type router struct{ mux chi.Router }
			var (
				mux chi.Router
				h   http.Handler
				f   http.HandlerFunc
			)
			`+c.text)
		wantFound(t, name, s.pastRouter(s.packages[len(s.packages)-1]), c.want)
	}
}
