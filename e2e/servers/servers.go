// Package servers has small apps to try incidents on: one form, one list, in memory. Each has another common protection against
// duplicates, and all are incomplete.
package servers

import (
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // for WebSockets
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Protection is a server's protection against duplicates.
type Protection int

// The common protections.
const (
	None   Protection = iota // nothing, and the answer to the form is a page instead of a redirect
	Button                   // a script disables the button that was clicked
	Token                    // a key in the form, valid for one request: the second is refused
	Key                      // a key in the form, remembered in memory: the second request shows the record of the first
)

// All returns all protections, the weakest first.
func All() []Protection { return []Protection{None, Button, Token, Key} }

func (p Protection) String() string {
	return [...]string{"nothing", "disabled button", "one-time token", "key in memory"}[p]
}

// Habit is a behaviour of apps that the incidents must be able to handle.
type Habit int

// Each has a separate server.
const (
	Usual      Habit = iota
	Slow             // a create takes two seconds after it has looked for the key
	Confirms         // a dialog asks before the form is sent
	Wizard           // the form has two pages
	Router           // a script shows all pages, and posts JSON
	Tokens           // each form has a token, and only the newest form's is valid
	Banner           // an overlay covers the pages until it is closed
	Warns            // a dialog asks before a page is left, even if the form was sent
	Elsewhere        // the answer leads to another host name
	OwnAddress       // the form is sent to its own address, so that the browser's error page replaces it
	Panel            // like Router, the form has no address, and a button before it comes and goes
	Listens          // like Router, and an event stream, a long poll and a WebSocket, without which nothing is shown, are always open
	Textarea         // Enter begins a new line
	Replaces         // like Router, a script replaces the form during input, at first by an empty one, and sends it only at a click
	Retries          // like Router, the script sends the form again after an answer of 500 or higher
	Stays            // a script sends the form by PUT and stays on its page, which also polls at the same path
	Silent           // the answer to the form is the empty form, and a script empties the form once it is sent
	Guarded          // behind a login in two steps; a selection brings the form anew, and it has a required file and no title
	Replays          // behind a login, after which it sends the form that came without one, and shows an empty one
	Queues           // like Router, and a service worker repeats failed requests when the browser is online
	Rebinds          // like Router, its script is bound once more at each visit to the form, which has a link to the first page
	Late             // like Router, its script disables the button when it has waited, and sends the form then
	Keys             // like Router, its script listens to the keys Enter and Space itself, and disables nothing
	Drafts           // like Router, a script saves a draft while people type, and its answer has the number to save under
	Framed           // the form is in a frame of its page
	Embedded         // like Framed, with the frame on another host
	Tardy            // the button is disabled 30 milliseconds after it was pressed
)

// Habits returns all habits.
func Habits() []Habit {
	return []Habit{Usual, Slow, Confirms, Wizard, Router, Tokens, Banner, Warns, Elsewhere, OwnAddress, Panel, Listens, Textarea, Replaces,
		Retries, Stays, Silent, Guarded, Replays, Queues, Rebinds, Late, Keys, Drafts, Framed, Embedded, Tardy}
}

func (h Habit) String() string {
	return [...]string{
		"usual", "slow", "confirms", "wizard", "router", "tokens", "banner", "warns", "elsewhere", "own address", "panel", "listens",
		"textarea", "replaces", "retries", "stays", "silent", "guarded", "replays", "queues", "rebinds", "late", "keys", "drafts",
		"framed", "embedded", "tardy",
	}[h]
}

// Server keeps expenses. It may be used concurrently.
type Server struct {
	http.ServeMux

	protection Protection
	habit      Habit
	broken     atomic.Bool
	mu         sync.Mutex
	token      string // of the newest form
	titles     []string
	made       map[string]int // key → the number of its expense
	early      url.Values     // the form that came without a login
}

// New returns a server without expenses.
func New(p Protection, h Habit) *Server {
	s := &Server{protection: p, habit: h, made: map[string]int{}}
	s.HandleFunc("GET /wizard", func(w http.ResponseWriter, _ *http.Request) { render(w, "wizard", nil) })
	s.HandleFunc("POST /wizard", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/expenses/new?title="+url.QueryEscape(r.PostFormValue("title")), http.StatusSeeOther)
	})
	s.HandleFunc("GET /app/", func(w http.ResponseWriter, _ *http.Request) {
		render(w, "app", map[string]bool{s.habit.String(): true})
	})
	s.HandleFunc("GET /app/worker.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		_ = pages.ExecuteTemplate(w, "worker", nil)
	})
	s.HandleFunc("GET /events", listen)
	s.HandleFunc("GET /late", func(http.ResponseWriter, *http.Request) { <-time.After(time.Second) })
	s.HandleFunc("POST /expenses/new", s.create)
	s.HandleFunc("GET /expenses/new", s.form)
	s.HandleFunc("GET /login", func(w http.ResponseWriter, _ *http.Request) { render(w, "login", nil) })
	s.HandleFunc("POST /login", s.logIn)
	s.HandleFunc("GET /expenses/{number}", s.show)
	s.HandleFunc("GET /expenses", s.list)
	s.HandleFunc("POST /expenses", s.create)
	s.HandleFunc("PUT /expenses", s.create)
	return s
}

// Restart forgets the keys, like a new process. Expenses are kept, as in a database.
func (s *Server) Restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.made)
}

// Break makes the server fail after it has created an expense, as without a mail server, until Mend.
func (s *Server) Break() { s.broken.Store(true) }

// Mend undoes Break.
func (s *Server) Mend() { s.broken.Store(false) }

// Count returns the number of expenses with a word in their title.
func (s *Server) Count(word string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, title := range s.titles {
		if strings.Contains(title, word) {
			n++
		}
	}
	return n
}

//go:embed pages.html
var text string

var pages = template.Must(template.New("").Parse(text))

// logIn asks for a name, then for a password and a one-time password, and then sets a cookie. Any password will do, and six digits.
func (s *Server) logIn(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
	switch name := r.PostFormValue("name"); {
	case r.PostFormValue("password") != "" && len(r.PostFormValue("code")) == 6:
		http.SetCookie(w, &http.Cookie{Name: "name", Value: name, Path: "/"}) //nolint:gosec // a little server has no TLS
		if s.early != nil {
			s.keep(s.early.Get("key"), s.early.Get("title"))
			s.early = nil
			http.Redirect(w, r, "/expenses/new", http.StatusSeeOther)
			return
		}
		http.Redirect(w, r, "/expenses", http.StatusSeeOther)
	default:
		render(w, "password", name)
	}
}

// refuse sends strangers to the login, and reports whether it has.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request) bool {
	if _, err := r.Cookie("name"); (s.habit == Guarded || s.habit == Replays) && err != nil && r.Header.Get("X-User") == "" {
		if s.habit == Replays && r.Method == http.MethodPost && r.ParseForm() == nil {
			s.early = r.PostForm
		}
		http.Redirect(w, r, "/login?back_url="+url.QueryEscape(r.URL.Path), http.StatusSeeOther)
		return true
	}
	return false
}

func (s *Server) form(w http.ResponseWriter, r *http.Request) {
	if s.refuse(w, r) {
		return
	}
	switch inFrame := r.URL.Query().Has("frame"); {
	case s.habit == Framed && !inFrame:
		render(w, "frame", "/expenses/new?frame")
		return
	case s.habit == Embedded && !inFrame:
		render(w, "frame", "http://"+elsewhere(r)+"/expenses/new?frame")
		return
	}
	token := rand.Text()
	s.mu.Lock()
	s.token = token
	s.mu.Unlock()
	render(w, "form", map[string]any{
		"Key": rand.Text(), "Token": token, "Title": r.FormValue("title"), "Kind": r.FormValue("kind"), "Disable": s.protection == Button,
		s.habit.String(): true,
		"Action":         map[bool]string{true: "/expenses/new", false: "/expenses"}[s.habit == OwnAddress],
	})
}

func (s *Server) create(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
	if s.refuse(w, r) {
		return
	}
	if s.habit == Tokens && !s.isNewest(r.PostFormValue("token")) {
		http.Error(w, "Error: this form is out of date.", http.StatusForbidden)
		return
	}
	key, title := r.PostFormValue("key"), r.PostFormValue("title")
	if s.habit == Guarded {
		_, file, err := r.FormFile("receipt")
		if err != nil || r.PostFormValue("amount") == "" {
			http.Error(w, "Error: the receipt or the amount is missing.", http.StatusBadRequest)
			return
		}
		title = r.PostFormValue("amount") + ", " + file.Filename
	}
	if s.postsJSON() {
		sent := map[string]string{}
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			http.Error(w, "Error: this is not JSON.", http.StatusBadRequest)
			return
		}
		key, title = sent["key"], sent["title"]
		if title == "" {
			return // it polls
		}
		if number, err := strconv.Atoi(sent["number"]); err == nil && s.rename(number, title) {
			fmt.Fprintf(w, `{"path": "/app/expenses/%d"}`, number)
			return
		}
	}
	number, repeated := s.keep(key, title)
	path := fmt.Sprint("/expenses/", number)
	switch {
	case repeated && s.protection == Token:
		http.Error(w, "Error: this form was sent already.", http.StatusConflict)
	case s.broken.Load():
		http.Error(w, "Error: no mail server.", http.StatusInternalServerError)
	case s.postsJSON():
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"path": "/app%s"}`, path)
	case s.protection == None:
		render(w, "expense", title)
	case s.habit == Silent:
		http.Redirect(w, r, "/expenses/new", http.StatusSeeOther)
	case s.habit == Elsewhere:
		http.Redirect(w, r, "http://"+elsewhere(r)+path, http.StatusSeeOther) //nolint:gosec // the open redirect is intended
	default:
		http.Redirect(w, r, path, http.StatusSeeOther)
	}
}

// elsewhere returns another host name of the server.
func elsewhere(r *http.Request) string { return strings.Replace(r.Host, "127.0.0.1", "localhost", 1) }

func (s *Server) postsJSON() bool {
	switch s.habit {
	case Router, Panel, Listens, Replaces, Retries, Stays, Queues, Rebinds, Late, Keys, Drafts:
		return true
	default:
		return false
	}
}

// listen opens a stream without events, or accepts a WebSocket.
func listen(w http.ResponseWriter, r *http.Request) {
	if key := r.Header.Get("Sec-WebSocket-Key"); key != "" {
		accepted := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) //nolint:gosec // required by RFC 6455
		w.Header().Set("Upgrade", "websocket")
		w.Header().Set("Connection", "Upgrade")
		w.Header().Set("Sec-WebSocket-Accept", base64.StdEncoding.EncodeToString(accepted[:]))
		w.WriteHeader(http.StatusSwitchingProtocols)
		if client, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_, _ = io.Copy(io.Discard, client)
			_ = client.Close()
		}
		return
	}
	if r.Header.Get("Accept") == "text/event-stream" {
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
	}
	<-r.Context().Done()
}

// isNewest reports whether a token is the newest form's, and then invalidates it.
func (s *Server) isNewest(token string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if token == "" || token != s.token {
		return false
	}
	s.token = ""
	return true
}

// keep adds an expense and returns its number, or returns the number of an earlier expense with the key.
func (s *Server) keep(key, title string) (number int, repeated bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if number, repeated = s.made[key]; repeated && s.protection >= Token {
		return number, true
	}
	if s.habit == Slow {
		s.mu.Unlock()
		<-time.After(2 * time.Second)
		s.mu.Lock()
	}
	s.titles = append(s.titles, title)
	s.made[key] = len(s.titles)
	return len(s.titles), false
}

// rename changes the title of an expense, and reports whether there is one.
func (s *Server) rename(number int, title string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if number < 1 || number > len(s.titles) {
		return false
	}
	s.titles[number-1] = title
	return true
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

func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	if s.refuse(w, r) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	render(w, "list", s.titles)
}

// render writes a page, ignoring errors of the connection.
func render(w http.ResponseWriter, name string, data any) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = pages.ExecuteTemplate(w, name, data)
}
