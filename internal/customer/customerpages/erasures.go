package customerpages

import (
	"net/http"
	"net/url"

	"github.com/a-h/templ"

	"onlyonce/internal/customer"
	"onlyonce/internal/customer/erasure"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/customerviews"
)

// mountErasures mounts the erasures of customers, below each customer. Only owners erase, and no API tokens: a leaked token
// must not destroy data for good.
func mountErasures(s *web.Site, customers *web.Mounted[customer.Customer]) {
	m := web.Under(customers, s.Owners("customers"), web.Resource[erasure.Erasure]{
		One: "erasure", Path: "/erasures", Table: erasure.Table, Name: erasure.Name, Rules: erasure.Rules(),
	})
	draft := web.NewFormUnder(customers, m, erasure.Input.Draft, web.Form[erasure.Erasure]{
		Fields: []templates.Field{{Name: "reason", Value: "Reason"}},
		Page: func(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
			c, err := customers.Find(r)
			return customerviews.EraseForm(p, f, c.Name, s.Hint("erasures")), err
		},
		OnSuccess: func(erasure.Erasure) { s.Store.Forget() },
		Words: &web.Wording{
			Title: "Erase personal data", Submit: "Erase for good", Did: "erased", Does: "makes", Again: "Erase again",
			Created:  "The personal data of this customer was erased.",
			Reused:   "The personal data of this customer was already erased. Nothing was changed.",
			Replayed: "Erased. We ignored the duplicate submission and kept your first request.",
		},
	})
	web.Show(m, web.RecordPage[erasure.Erasure]{Facts: func(r *http.Request, e erasure.Erasure) []templates.Fact {
		return web.KnownFacts(
			templates.Fact{Label: "Customer", Value: e.Customer.Name, Href: "/customers/" + e.Customer.ID.String()},
			templates.Fact{Label: "Reason", Value: e.Reason},
			templates.Fact{Label: "Erased on", Value: web.Day(r, e.CreatedAt)},
		)
	}})
	web.Create(m, "", erasure.Erase, draft, func(r *http.Request) (url.Values, error) {
		c, err := customers.Find(r)
		if err == nil {
			err = erasure.Possible(c)
		}
		return url.Values{}, err
	}, &erasure.NotArchived, &erasure.InUse)
}

// erasable removes the actions from the view of an erased customer. For an archived customer, it returns the section that
// leads an owner to the erasure; otherwise nil.
func erasable(r *http.Request, c customer.Customer, view *templates.RecordView) templ.Component {
	switch {
	case !c.ErasedAt.IsZero():
		view.EditHref, view.Restore = "", templates.Action{}
		view.Archive = "The personal data was erased on " + web.Day(r, c.ErasedAt) + ". This customer can't be used any more."
		if c.TakenBack {
			view.Archive = "Its import was taken back, so its details were erased. This customer can't be used any more."
		}
		return nil
	case c.ArchivedAt.IsZero() || !web.Principal(r).Role.May(web.Owner):
		return nil
	default:
		return customerviews.EraseSection("/customers/" + c.ID.String() + "/erasures/new")
	}
}
