package labpages

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"onlyonce/internal/web"
	"onlyonce/templates/labviews"
)

const tourPath = labPath + "/tour"

func (s *pages) showTour(w http.ResponseWriter, r *http.Request) error {
	step, err := tourStep(r)
	if err != nil {
		return err
	}
	return s.Render(w, r, http.StatusOK, labviews.TourPage(s.Page(w, r), step))
}

// takeTour leads to the pages of a step, which then say what there is to do. The last step, and "end", end the tour.
func (s *pages) takeTour(w http.ResponseWriter, r *http.Request) (err error) {
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
	return web.SeeOther(w, r, leads)
}

func tourStep(r *http.Request) (int, error) {
	step, err := strconv.Atoi(chi.URLParam(r, "step"))
	if err != nil || step < 1 || step > labviews.TourSteps {
		return 0, web.ErrNotFound
	}
	return step, nil
}

// tourStrip says at a page what there is to do at a step, or what was done.
func tourStrip(asked visit, path string, form bool) *labviews.TourStrip {
	v := &labviews.TourStrip{
		Step: asked.step, NextHref: tourPath + "/" + strconv.Itoa(asked.step+1), EndHref: tourPath + "/end",
	}
	switch inLab := strings.HasPrefix(path, labPath+"/"); {
	case asked.step == 2 && inLab && strings.HasPrefix(path, labPath+"/runs/"):
		v.Place = labviews.TourBehind
	case asked.step == 2 && inLab, asked.step != 2 && form:
		v.Place = labviews.TourBefore
	case asked.step != 2 && strings.HasPrefix(path, "/invoices/") && !asked.cut:
		v.Place = labviews.TourBehind
	}
	return v
}
