package web

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"onlyonce/internal/lab"
	"onlyonce/templates"
)

// labPages are where visitors of the demo run experiments. There are none if this server has no lab.
func (s *Server) labPages(pages router) {
	if s.lab == nil {
		return
	}
	pages.mux = pages.mux.With(s.requireDemo)
	pages.read("/lab", s.listExperiments)
	pages.read("/lab/{experiment}", s.showExperiment)
	pages.natural("/lab/{experiment}", "the form names its run, and each run is made once; it is in no table of this database", s.startRun)
	pages.read("/lab/runs/{id}", s.showRun)
	pages.read("/lab/runs/{id}/events", s.followRun)
	pages.read("/lab/runs/{id}/picture.svg", s.drawRun)
}

// requireDemo lets only people of demo tenants pass: the lab is never beside the work of others.
func (s *Server) requireDemo(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !principal(r).Demo {
			s.failHTML(w, r, errNotFound)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// labNav is the entry of the lab in the navigation, for those who may use it.
func (s *Server) labNav(r *http.Request) []templates.NavItem {
	if s.lab == nil || !principal(r).Demo {
		return nil
	}
	here := r.URL.Path == "/lab" || strings.HasPrefix(r.URL.Path, "/lab/")
	return []templates.NavItem{{Text: "Try to break it", Href: "/lab", Current: here}}
}

// visitor is whoever has this session: all visitors of the demo share a few logins.
func (s *Server) visitor(r *http.Request) string {
	sum := sha256.Sum256([]byte("lab\x00" + s.sessions.Token(r.Context())))
	return hex.EncodeToString(sum[:16])
}

func (s *Server) listExperiments(w http.ResponseWriter, r *http.Request) error {
	all := lab.Experiments()
	slices.SortStableFunc(all, func(a, b lab.Experiment) int { // those first that could make most
		return cmp.Compare(slices.Max(b.Guesses), slices.Max(a.Guesses))
	})
	v := templates.Lab{Links: []templates.Link{
		{Text: "Take the tour, one minute", Href: "/lab/tour/1"}, {Text: "Do it yourself", Href: "/lab/yourself"},
	}}
	for _, e := range all {
		v.Experiments = append(v.Experiments, templates.LabCard{
			Title: e.Title, Href: "/lab/" + e.Slug, Story: e.Story, Layers: namesOf(e.Layers),
		})
	}
	return s.render(w, r, http.StatusOK, templates.LabPage(s.page(w, r), v))
}

// experiment is the one that the path names.
func experiment(r *http.Request) (lab.Experiment, error) {
	for _, e := range lab.Experiments() {
		if e.Slug == chi.URLParam(r, "experiment") {
			return e, nil
		}
	}
	return lab.Experiment{}, errNotFound
}

func (s *Server) showExperiment(w http.ResponseWriter, r *http.Request) error {
	e, err := experiment(r)
	if err != nil {
		return err
	}
	query := r.URL.Query()
	v := templates.LabExperiment{
		Title: e.Title, Story: e.Story, Question: e.Question, Guess: query.Get("guess"), Action: "/lab/" + e.Slug,
		Run: uuid.NewString(), FormLock: hasFormLock(e), Takeaway: takeaway(e),
	}
	for _, n := range e.Guesses {
		v.Guesses = append(v.Guesses, strconv.Itoa(n))
	}
	for _, l := range e.Layers {
		away := slices.Contains(query["without"], l.Slug)
		v.Layers = append(v.Layers, templates.LabLayer{Slug: l.Slug, Name: capital(l.Name), Removed: l.Removed, Away: away})
	}
	return s.render(w, r, http.StatusOK, templates.LabExperimentPage(s.page(w, r), v))
}

// startRun begins the run that the form names, unless it has begun already, and leads to it.
func (s *Server) startRun(w http.ResponseWriter, r *http.Request) error {
	e, err := experiment(r)
	if err != nil {
		return err
	}
	if err := parseForm(r); err != nil {
		return err
	}
	form, err := uuid.Parse(r.PostForm.Get("run"))
	if err != nil {
		return errMalformed
	}
	sent, err := strconv.Atoi(r.PostForm.Get("sent"))
	if err != nil || sent < 0 {
		sent = 0 // not tried
	}
	var without []string
	for _, l := range e.Layers {
		if slices.Contains(r.PostForm["without"], l.Slug) {
			without = append(without, l.Slug)
		}
	}
	order := lab.Order{ID: runID(form, e.Slug, without), Visitor: s.visitor(r), Experiment: e.Slug, Without: without, Sent: sent}
	if err := s.lab.Start(r.Context(), order); err != nil {
		return s.refuseRun(w, r, err, address(e, without))
	}
	to := "/lab/runs/" + order.ID.String()
	if guess, err := strconv.Atoi(r.PostForm.Get("guess")); err == nil {
		to += "?guess=" + strconv.Itoa(guess)
	}
	return seeOther(w, r, to)
}

// runID is the run of a form with these layers taken away. The same form with others is another run: somebody went back and
// chose anew.
func runID(form uuid.UUID, slug string, without []string) uuid.UUID {
	return uuid.NewSHA1(form, []byte(slug+" "+strings.Join(without, " ")))
}

// address repeats an experiment.
func address(e lab.Experiment, without []string) string {
	at := "/lab/" + e.Slug
	if len(without) > 0 {
		at += "?" + url.Values{"without": without}.Encode()
	}
	return at
}

// refuseRun says why a run cannot begin, and leads on.
func (s *Server) refuseRun(w http.ResponseWriter, r *http.Request, err error, again string) error {
	failure := templates.Failure{
		Status: http.StatusServiceUnavailable, Title: "The lab cannot run this now", Message: err.Error(),
		Links: []templates.Link{{Text: "Back to the experiment", Href: again}, {Text: "Other experiments", Href: "/lab"}},
	}
	switch {
	case errors.Is(err, lab.ErrUnknown):
		return errNotFound
	case is[*lab.TooManyError](err):
		failure.Status, failure.Title = http.StatusTooManyRequests, "Please wait a moment"
	case is[*lab.FullError](err), is[*lab.UnavailableError](err), errors.Is(err, lab.ErrClosed):
	default:
		return err
	}
	return s.render(w, r, failure.Status, templates.FailurePage(s.page(w, r), failure))
}

func hasFormLock(e lab.Experiment) bool {
	return slices.ContainsFunc(e.Layers, func(l lab.Layer) bool { return l.Slug == "form-lock" })
}

// namesOf lists layers for people: "the form lock and the intent".
func namesOf(layers []lab.Layer) string {
	var names []string
	for _, l := range layers {
		names = append(names, l.Name)
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

func takeaway(e lab.Experiment) templates.LabTakeaway {
	v := templates.LabTakeaway{Curl: e.Takeaway.Curl, SQL: e.Takeaway.SQL, Scenario: excerpt(e.Takeaway.Scenario)}
	for _, code := range e.Takeaway.Code {
		v.Code = append(v.Code, excerpt(code))
	}
	return v
}

func excerpt(code lab.Code) templates.LabCode {
	place := code.File
	if code.Func != "" {
		place = code.Func + " in " + code.File
	}
	return templates.LabCode{Place: place, Lines: cmp.Or(code.Lines, code.Func)}
}
