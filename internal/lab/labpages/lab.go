// Package labpages shows the lab to visitors of the demo, and can slow or break their own requests.
package labpages

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
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/lab"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/labviews"
)

// requireDemo admits only people of demo tenants, so that the lab is never beside real work.
func (s *pages) requireDemo(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !web.Principal(r).Demo {
			s.site.FailHTML(w, r, web.ErrNotFound)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// visitor identifies the session, because all visitors of the demo share a few logins.
func (s *pages) visitor(r *http.Request) string {
	sum := sha256.Sum256([]byte("lab\x00" + string(web.Principal(r).Secret)))
	return hex.EncodeToString(sum[:16])
}

// featured is the first experiment in the list.
const featured = "five-clicks"

func (s *pages) listExperiments(w http.ResponseWriter, r *http.Request) error {
	all := lab.Experiments()
	slices.SortStableFunc(all, func(a, b lab.Experiment) int { // the featured one, then those with the most duplicates
		if a.Slug == featured {
			return -1
		}
		if b.Slug == featured {
			return 1
		}
		return cmp.Compare(slices.Max(b.Guesses), slices.Max(a.Guesses))
	})
	v := labviews.Lab{Links: []templates.Link{
		{Text: "Take the one-minute tour", Href: "/lab/tour/1"}, {Text: "Do it yourself", Href: "/lab/yourself"},
	}}
	for _, e := range all {
		v.Experiments = append(v.Experiments, labviews.Card{
			Title: e.Title, Href: "/lab/" + e.Slug, Story: e.Story, Layers: namesOf(e.Layers), Featured: e.Slug == featured,
		})
	}
	return s.site.Render(w, r, http.StatusOK, labviews.LabPage(s.site.Page(w, r), v))
}

func experiment(r *http.Request) (lab.Experiment, error) {
	for _, e := range lab.Experiments() {
		if e.Slug == chi.URLParam(r, "experiment") {
			return e, nil
		}
	}
	return lab.Experiment{}, web.ErrNotFound
}

func (s *pages) showExperiment(w http.ResponseWriter, r *http.Request) error {
	e, err := experiment(r)
	if err != nil {
		return err
	}
	query := r.URL.Query()
	v := labviews.Experiment{
		Title: e.Title, Story: e.Story, Question: e.Question, Guess: query.Get(labviews.GuessField), Action: "/lab/" + e.Slug,
		Run: uuid.NewString(), FormLock: hasFormLock(e), Takeaway: takeaway(e),
	}
	for _, n := range e.Guesses {
		v.Guesses = append(v.Guesses, strconv.Itoa(n))
	}
	for _, l := range e.Layers {
		away := slices.Contains(query[labviews.WithoutField], l.Slug)
		v.Layers = append(v.Layers, labviews.Layer{Slug: l.Slug, Name: web.Capital(l.Name), Removed: l.Removed, Away: away})
	}
	return s.site.Render(w, r, http.StatusOK, labviews.ExperimentPage(s.site.Page(w, r), v))
}

// startRun begins the run that the form names, unless it has begun already, and redirects to it.
func (s *pages) startRun(w http.ResponseWriter, r *http.Request) error {
	e, err := experiment(r)
	if err != nil {
		return err
	}
	if err := web.ParseForm(r); err != nil {
		return err
	}
	form, err := uuid.Parse(r.PostForm.Get(labviews.RunField))
	if err != nil {
		return web.ErrMalformed
	}
	sent, err := strconv.Atoi(r.PostForm.Get(labviews.SentField))
	if err != nil || sent < 0 {
		sent = 0 // not measured
	}
	var without []string
	for _, l := range e.Layers {
		if slices.Contains(r.PostForm[labviews.WithoutField], l.Slug) {
			without = append(without, l.Slug)
		}
	}
	visitor := s.visitor(r)
	order := lab.Order{ID: runID(form, e.Slug, without), Visitor: visitor, Experiment: e.Slug, Without: without, Sent: sent}
	if err := s.lab.Start(r.Context(), order); err != nil {
		return s.refuseRun(w, r, err, address(e, without))
	}
	s.visits.update(visitor, func(asked *visit) {
		if asked.step == 2 {
			asked.run = order.ID
		}
	})
	to := "/lab/runs/" + order.ID.String()
	if guess, err := strconv.Atoi(r.PostForm.Get(labviews.GuessField)); err == nil {
		to += "?" + labviews.GuessField + "=" + strconv.Itoa(guess)
	}
	return s.site.SeeOther(w, r, to)
}

// runID derives the ID of a run from its form and the removed layers. The same form with other layers starts another run, for
// visitors who go back and change their choice.
func runID(form uuid.UUID, slug string, without []string) uuid.UUID {
	return uuid.NewSHA1(form, []byte(slug+" "+strings.Join(without, " ")))
}

// address returns the URL for repeating an experiment.
func address(e lab.Experiment, without []string) string {
	at := "/lab/" + e.Slug
	if len(without) > 0 {
		at += "?" + url.Values{labviews.WithoutField: without}.Encode()
	}
	return at
}

// refuseRun explains why a run cannot begin, with links to go on.
func (s *pages) refuseRun(w http.ResponseWriter, r *http.Request, err error, again string) error {
	failure := templates.Failure{
		Status: http.StatusServiceUnavailable, Title: "The lab cannot run this now", Message: err.Error(),
		Links: []templates.Link{{Text: "Back to the experiment", Href: again}, {Text: "Other experiments", Href: "/lab"}},
	}
	_, tooMany := errors.AsType[*lab.TooManyError](err)
	_, full := errors.AsType[*lab.FullError](err)
	_, unavailable := errors.AsType[*lab.UnavailableError](err)
	switch {
	case errors.Is(err, lab.ErrUnknown):
		return web.ErrNotFound
	case tooMany:
		failure.Status, failure.Title = http.StatusTooManyRequests, "Please wait a moment"
	case full, unavailable, errors.Is(err, lab.ErrClosed):
	default:
		return err
	}
	return s.site.Render(w, r, failure.Status, templates.FailurePage(s.site.Page(w, r), failure))
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

func takeaway(e lab.Experiment) labviews.Takeaway {
	v := labviews.Takeaway{Curl: e.Takeaway.Curl, SQL: e.Takeaway.SQL, Scenario: excerpt(e.Takeaway.Scenario)}
	for _, code := range e.Takeaway.Code {
		v.Code = append(v.Code, excerpt(code))
	}
	return v
}

func excerpt(code lab.Code) labviews.Code {
	place := code.File
	if code.Func != "" {
		place = code.Func + " in " + code.File
	}
	return labviews.Code{Place: place, Lines: cmp.Or(code.Lines, code.Func)}
}

// pages holds the dependencies of the lab's pages.
type pages struct {
	site   *web.Site
	lab    *lab.Lab
	visits *visits
	store  *idempotency.Store // for voiding a visitor's drafts at the end of a tour
}

// Mount mounts the pages of the lab.
func Mount(s *web.Site, l *lab.Lab) {
	p := &pages{
		site: s, lab: l, visits: newVisits(),
		store: &idempotency.Store{Pool: s.Pool, Wait: time.Second, Timeout: 5 * time.Second}, //nolint:mnd // seconds
	}
	s.Decorate(p.decorate)
	s.Around(disturber{p.visits, p.visitor, s.Creates}.disturb)
	demo := s.With(p.requireDemo).Everybody()
	demo.Read("/lab", p.listExperiments)
	demo.Read("/lab/{experiment}", p.showExperiment)
	demo.Natural("/lab/{experiment}", "the form names its run, and each run is made once; it is in no table of this database", p.startRun)
	demo.Read("/lab/runs/{id}", p.showRun)
	demo.Read("/lab/runs/{id}/events", p.followRun)
	demo.Read("/lab/runs/{id}/picture.svg", p.drawRun)
	demo.Read(yourselfPath, p.showYourself)
	demo.Natural(yourselfPath, "a switch that is on or off is a state", p.setSwitch)
	demo.Read(tourPath+"/{step}", p.showTour)
	demo.Natural(tourPath+"/{step}", "being at a step of the tour, or at none, is a state; a draft is voided once", p.takeTour)
}

// decorate adds the lab's notes to a page, and its entry to the navigation.
func (s *pages) decorate(r *http.Request, p *templates.Page) {
	if around := s.aroundLab(r); around != nil {
		around.Script = p.Asset("lab-tour.js")
		labviews.Fill(&p.Slots, around)
	}
	if web.Principal(r).Demo {
		here := r.URL.Path == labPath || strings.HasPrefix(r.URL.Path, labPath+"/")
		p.Nav = slices.Insert(p.Nav, 0, templates.NavItem{Text: "Try to break it", Href: labPath, Current: here})
	}
}
