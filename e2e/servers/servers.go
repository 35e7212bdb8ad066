// Package servers has small apps to try incidents on: one form, one list, in memory. Each is protected against
// creating twice in another of the usual ways, and none of them well.
package servers

import (
	"crypto/rand"
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"sync"
)

// Protection is what keeps a server from creating the same thing twice.
type Protection int

// The usual ways.
const (
	None   Protection = iota // nothing, and the answer to the form is a page instead of a redirect
	Button                   // a script disables the button that was clicked
	Token                    // a key in the form, good for one request: the second is refused
	Key                      // a key in the form, remembered in memory: the second shows what the first has made
)

// All lists them, the weakest first.
func All() []Protection { return []Protection{None, Button, Token, Key} }

func (p Protection) String() string {
	return [...]string{"nothing", "disabled button", "one-time token", "key in memory"}[p]
}

// Server keeps expenses. It may be used by many requests at once.
type Server struct {
	http.ServeMux

	protection Protection
	mu         sync.Mutex
	titles     []string
	made       map[string]int // key → the number of its expense
}

// New makes a server without expenses.
func New(p Protection) *Server {
	s := &Server{protection: p, made: map[string]int{}}
	s.HandleFunc("GET /expenses/new", s.form)
	s.HandleFunc("GET /expenses/{number}", s.show)
	s.HandleFunc("GET /expenses", s.list)
	s.HandleFunc("POST /expenses", s.create)
	return s
}

// Restart forgets the keys, as a new process does. Expenses are kept, as in a database.
func (s *Server) Restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.made)
}

//go:embed pages.html
var text string

var pages = template.Must(template.New("").Parse(text))

func (s *Server) form(w http.ResponseWriter, _ *http.Request) {
	render(w, "form", struct {
		Key     string
		Disable bool
	}{rand.Text(), s.protection == Button})
}

func (s *Server) create(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
	number, repeated := s.keep(r.PostFormValue("key"), r.PostFormValue("title"))
	switch {
	case repeated && s.protection == Token:
		http.Error(w, "Error: this form was sent already.", http.StatusConflict)
	case s.protection == None:
		render(w, "expense", r.PostFormValue("title"))
	default:
		http.Redirect(w, r, fmt.Sprint("/expenses/", number), http.StatusSeeOther)
	}
}

// keep adds an expense and gives its number, or that of the one which the key stands for.
func (s *Server) keep(key, title string) (number int, repeated bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if number, repeated = s.made[key]; repeated && s.protection >= Token {
		return number, true
	}
	s.titles = append(s.titles, title)
	s.made[key] = len(s.titles)
	return len(s.titles), false
}

func (s *Server) show(w http.ResponseWriter, r *http.Request) {
	number, err := strconv.Atoi(r.PathValue("number"))
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil || number < 1 || number > len(s.titles) {
		http.NotFound(w, r)
		return
	}
	render(w, "expense", s.titles[number-1])
}

func (s *Server) list(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	render(w, "list", s.titles)
}

// render writes a page. Whoever has gone away misses nothing.
func render(w http.ResponseWriter, name string, data any) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = pages.ExecuteTemplate(w, name, data)
}
