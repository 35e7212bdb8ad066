package web

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"onlyonce/templates"
)

const tourPath = labPath + "/tour"

// labTour leads through the lab in a minute.
func (s *Server) labTour(pages router) {
	if s.visits == nil {
		return
	}
	pages.mux = pages.mux.With(s.requireDemo)
	pages.read(tourPath+"/{step}", s.showTour)
	pages.natural(tourPath+"/{step}", "being at a step of the tour, or at none, is a state", s.takeTour)
}

func (s *Server) showTour(w http.ResponseWriter, r *http.Request) error {
	step, err := tourStep(r)
	if err != nil {
		return err
	}
	return s.render(w, r, http.StatusOK, templates.TourPage(s.page(w, r), step))
}

// takeTour leads to the pages of a step, which then say what there is to do. The last step, and "end", end the tour.
func (s *Server) takeTour(w http.ResponseWriter, r *http.Request) (err error) {
	step, leads := 0, labPath
	if chi.URLParam(r, "step") != "end" {
		if step, err = tourStep(r); err != nil {
			return err
		}
	}
	switch step {
	case 1, 3:
		leads, err = s.filledForm(r)
	case 2:
		leads = labPath + "/five-clicks?without=form-lock&without=intent"
	default:
		step = 0
	}
	if err != nil {
		return err
	}
	s.visits.change(s.visitor(r), func(asked *visit) { *asked = visit{step: step, cut: step == 3} })
	return seeOther(w, r, leads)
}

func tourStep(r *http.Request) (int, error) {
	step, err := strconv.Atoi(chi.URLParam(r, "step"))
	if err != nil || step < 1 || step > templates.TourSteps {
		return 0, errNotFound
	}
	return step, nil
}

// tourStrip says at a page what there is to do at a step, or what was done.
func tourStrip(asked visit, path string, form bool) *templates.TourStrip {
	v := &templates.TourStrip{
		Step: asked.step, NextHref: tourPath + "/" + strconv.Itoa(asked.step+1), EndHref: tourPath + "/end",
	}
	switch inLab := strings.HasPrefix(path, labPath+"/"); {
	case asked.step == 2 && inLab && strings.HasPrefix(path, labPath+"/runs/"):
		v.Place = templates.TourBehind
	case asked.step == 2 && inLab, asked.step != 2 && form:
		v.Place = templates.TourBefore
	case asked.step != 2 && strings.HasPrefix(path, "/invoices/") && !asked.cut:
		v.Place = templates.TourBehind
	}
	return v
}
