// Package labpages shows the lab to visitors of the demo, and can slow or break their own requests.
package labpages

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/lab"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/labviews"
)

// pages holds the dependencies of the lab's pages.
type pages struct {
	*web.Site

	lab    *lab.Lab
	visits *visits
	store  *idempotency.Store // for voiding a visitor's drafts at the end of a tour
}

// Mount mounts the pages of the lab.
func Mount(s *web.Site, l *lab.Lab) {
	p := &pages{
		Site: s, lab: l, visits: newVisits(),
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
