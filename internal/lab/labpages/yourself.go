package labpages

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/labviews"
)

const (
	labPath      = "/lab"
	yourselfPath = labPath + "/yourself"
)

func (s *pages) showYourself(w http.ResponseWriter, r *http.Request) error {
	form, err := s.filledForm(r, 0)
	if err != nil {
		return err
	}
	asked := s.visits.find(s.visitor(r))
	v := labviews.Yourself{Form: form, Slow: asked.slow, Cut: asked.cut, TourHref: tourPath + "/1"}
	if asked.slow || asked.cut {
		v.Until = asked.until.UTC().Format("15:04 UTC")
	}
	if web.Principal(r).Role.May(web.Owner) && s.site.Mux.Match(chi.NewRouteContext(), http.MethodGet, "/attempts") {
		v.AttemptsHref = "/attempts"
	}
	return s.site.Render(w, r, http.StatusOK, labviews.YourselfPage(s.site.Page(w, r), v))
}

func (s *pages) setSwitch(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	s.visits.change(s.visitor(r), func(asked *visit) {
		for name, on := range map[string]*bool{"slow": &asked.slow, "cut": &asked.cut} {
			if r.PostForm.Has(name) {
				*on = r.PostForm.Get(name) == "on"
			}
		}
	})
	return s.site.SeeOther(w, r, yourselfPath)
}

// filledForm returns the address of the ordinary form under a new key, filled in like the n-th oldest invoice, from 0, if it
// exists. A copy of a new invoice would look like a duplicate.
func (s *pages) filledForm(r *http.Request, n int) (string, error) {
	query := url.Values{"key": {idempotency.NewKey().String()}}
	first := record.Page{Limit: n + 1}
	oldest, err := invoice.List(r.Context(), s.site.Pool, web.Principal(r).Tenant, invoice.Filter{Sort: "oldest"}, first)
	if err != nil {
		return "", err
	}
	if len(oldest.Rows) > n {
		id, _ := oldest.Rows[n].Identity()
		query.Set("copy", id.String())
	}
	return "/invoices/new?" + query.Encode(), nil
}

// aroundLab returns the lab's notes for a page, or nil if its user has no lab.
func (s *pages) aroundLab(r *http.Request) *labviews.Around {
	who := web.Principal(r)
	if who.Name != "" && !who.Demo {
		return nil
	}
	around := &labviews.Around{Href: labPath, TourHref: tourPath + "/1"}
	if who.Name == "" { // without the database there is no session
		return around
	}
	asked := s.visits.find(s.visitor(r))
	form := s.formShown(r)
	if form != "" && (asked.slow || asked.cut) && asked.step == 0 { // in the tour, its own text names the switches
		around.Switches = &labviews.Switches{Slow: asked.slow, Cut: asked.cut, Form: form, Href: yourselfPath}
	}
	if asked.step > 0 && !strings.HasPrefix(r.URL.Path, tourPath) && r.Context().Err() == nil {
		around.Step = s.followTour(r, asked, form != "")
	}
	return around
}

// followTour returns the tour's strip for a page. On a page outside the tour it ends the tour and resets the switches, because
// nothing on that page would mention them.
func (s *pages) followTour(r *http.Request, asked visit, form bool) *labviews.TourStrip {
	strip := tourStrip(asked, r, form)
	if strip == nil {
		_ = s.voidMade(r) // the requested page is shown in any case
	}
	s.visits.update(s.visitor(r), func(asked *visit) {
		if strip == nil {
			asked.step, asked.slow, asked.cut = 0, false, false
		}
		if form {
			asked.sent = 0
		}
	})
	return strip
}

// formShown returns the address of the form that a request shows, if that form creates a record, or "".
func (s *pages) formShown(r *http.Request) string {
	again := strings.TrimSuffix(r.URL.Path, "/form") // another line was added
	switch path, fresh := strings.CutSuffix(r.URL.Path, "/new"); {
	case fresh && r.Method == http.MethodGet && s.site.Creates(path):
		return r.URL.RequestURI()
	case r.Method == http.MethodPost && s.site.Creates(again): // the form was refused and shown again
		return again + "/new?" + url.Values{"key": {r.PostForm.Get(templates.KeyField)}}.Encode()
	default:
		return ""
	}
}
