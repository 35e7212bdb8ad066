package labpages

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/lab"
	"onlyonce/internal/record"
	"onlyonce/internal/web"
	"onlyonce/templates/labviews"
)

const (
	tourPath       = labPath + "/tour"
	tourExperiment = labPath + "/five-clicks"
	tourRun        = tourExperiment + "?without=form-lock&without=intent"
)

func (s *pages) showTour(w http.ResponseWriter, r *http.Request) error {
	step, err := tourStep(r)
	if err != nil {
		return err
	}
	v := labviews.Tour{Step: step, Repeat: s.site.Address(r) + tourRun}
	if found, ok := s.lab.Result(s.visits.find(s.visitor(r)).run, s.visitor(r)); ok && found.State == lab.Done {
		run := s.runView(r, found)
		v.Run = &run
	}
	return s.site.Render(w, r, http.StatusOK, labviews.TourPage(s.site.Page(w, r), v))
}

// takeTour redirects to the page of a step, which shows the instructions. The last step and "end" end the tour.
func (s *pages) takeTour(w http.ResponseWriter, r *http.Request) (err error) {
	step, leads := 0, labPath
	if chi.URLParam(r, "step") != "end" {
		if step, err = tourStep(r); err != nil {
			return err
		}
	}
	switch step {
	case 1, 3:
		leads, err = s.filledForm(r, step/2)
	case 2:
		leads = tourRun
	default:
		step = 0
	}
	if err != nil {
		return err
	}
	if step == 0 {
		if err := s.voidMade(r); err != nil {
			return err
		}
	}
	s.visits.change(s.visitor(r), func(asked *visit) {
		*asked = visit{step: step, slow: step == 1, cut: step == 3, run: asked.run, made: asked.made}
	})
	return s.site.SeeOther(w, r, leads)
}

// voidMade voids the drafts that the visitor has made in the tour. An invoice that is no longer a draft stays.
func (s *pages) voidMade(r *http.Request) error {
	visitor, who := s.visitor(r), web.Principal(r)
	for _, id := range s.visits.find(visitor).made {
		inv, err := record.Find(r.Context(), s.site.Pool, invoice.Table, who.Tenant, id)
		if err == nil && inv.Status == invoice.StatusDraft {
			var key idempotency.Key
			if key, err = idempotency.ParseKey("tour-end-" + id.String()); err == nil {
				intent := idempotency.Intent{Tenant: who.Tenant, Key: key, Actor: who.Name, Record: id}
				_, err = invoice.Void.Do(r.Context(), s.store, intent, invoice.VoidDraft{})
			}
		}
		if err != nil {
			return fmt.Errorf("void what the tour has made: %w", err)
		}
	}
	s.visits.update(visitor, func(asked *visit) { asked.made = nil })
	return nil
}

func tourStep(r *http.Request) (int, error) {
	step, err := strconv.Atoi(chi.URLParam(r, "step"))
	if err != nil || step < 1 || step > labviews.TourSteps {
		return 0, web.ErrNotFound
	}
	return step, nil
}

// pressesCookie is the number of times the form's button was pressed. lab-tour.js counts them, because most presses are never sent.
const pressesCookie = "lab-presses"

// tourStrip returns the strip of a step, or nil on pages that do not belong to the step.
func tourStrip(asked visit, r *http.Request, form bool) *labviews.TourStrip {
	v := &labviews.TourStrip{
		Step: asked.step, NextHref: tourPath + "/" + strconv.Itoa(asked.step+1), EndHref: tourPath + "/end",
		Counts: asked.step == 1 && form,
	}
	path := r.URL.Path
	switch atInvoice := strings.HasPrefix(path, "/invoices/"); {
	case asked.step == 2 && strings.HasPrefix(path, labPath+"/runs/"), asked.step == 3 && atInvoice && !form && !asked.cut:
		v.Place = labviews.TourBehind
	case asked.step == 1 && atInvoice && !form && asked.sent > 0:
		v.Place, v.Sent, v.Pressed = labviews.TourBehind, asked.sent, max(asked.sent, presses(r))
		if v.Pressed == 1 {
			v.AgainHref = tourPath + "/1"
		}
	case asked.step == 2 && path == tourExperiment, asked.step != 2 && form:
		v.Place = labviews.TourBefore
	default:
		return nil
	}
	return v
}

// presses returns the number of presses in the browser's cookie, or 0 without a valid one.
func presses(r *http.Request) int {
	cookie, err := r.Cookie(pressesCookie)
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(cookie.Value)
	if err != nil || n > 999 {
		return 0
	}
	return n
}
