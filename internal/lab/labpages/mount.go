// Package labpages shows the lab to visitors of the demo, and lets them make their own network bad.
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

// pages has what the pages of the lab share.
type pages struct {
	*web.Site

	lab    *lab.Lab
	visits *visits
	store  *idempotency.Store // for what the end of a tour takes back, which is no attempt of a person
}

// Mount mounts the lab, which is nil if there is none.
func Mount(s *web.Site, l *lab.Lab) {
	if l == nil {
		return
	}
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

// decorate adds what a page says of the lab, and the lab's entry in the navigation.
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
