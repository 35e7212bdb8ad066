// Package closingpages has the pages and the API of closings.
package closingpages

import (
	"net/http"
	"net/url"

	"github.com/a-h/templ"

	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/closing"
	"onlyonce/internal/invoice/excerpt"
	"onlyonce/internal/invoice/invoiceform"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// Mount mounts closings in a tab of the invoices.
func Mount(s *web.Site) {
	m := web.Resource[closing.Closing]{
		One: "closing", Path: "/closings", Tab: "Closings", Table: closing.Table, Rules: closing.Rules(), Name: closing.Name,
	}.Mount(s.Within("invoices"))
	form := web.PlainForm([]web.PlainField[closing.Closing]{{
		Name: "through", Label: "Last day to close", Kind: templates.Day,
		Hint: "Nothing can be recorded, issued or voided with this day or an earlier one afterwards, until you reopen the books.",
	}})
	form.Example = closing.Input{Through: "2024-12-31"}
	form.Words = &web.Wording{
		Title: "Close the books", Submit: "Close the books", Did: "closed", Does: "closes", Again: "Close them once more",
		Created: "Books closed.", Replayed: "Books closed. We ignored the duplicate submission and kept your first request.",
	}
	plain := form.Page
	form.Page = func(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
		page, err := plain(r, p, f)
		if err != nil {
			return nil, err
		}
		through, err := date.ParseEntry(f.Typed.Get("through"))
		if err != nil {
			return page, nil //nolint:nilerr // the form has the problem
		}
		drafts, err := draftsOf(r, s, through)
		return invoiceviews.ClosePage(page, excerpt.Rows(drafts.Rows), templates.Link{
			Text: "All drafts through " + through.Display(),
			Href: web.ListURL("/invoices", url.Values{"status": {invoice.StatusDraft}}, "to", through.String()),
		}), err
	}
	draft := web.NewForm(m, closing.Input.Draft, form)
	draft = invoiceform.AskAbout(draft, "/through", func(r *http.Request, d closing.Draft) (is invoiceform.Doubt, _ error) {
		drafts, err := draftsOf(r, s, d.Through)
		if through := d.Through.Display(); len(drafts.Rows) > 0 {
			is = invoiceform.Doubt{
				Answer: d.Through.String(), Confirm: "Close through " + through,
				Problem: "There are drafts dated " + through + " or earlier.",
			}
		}
		return is, err
	})
	web.List(m, web.Listing[closing.Closing]{
		Summary: "The closings of the books, newest first. The last one that was not reopened counts.",
		Read: func(r *http.Request, page record.Page) (record.List[closing.Closing], error) {
			return closing.List(r.Context(), s.Pool, web.Principal(r).Tenant, page)
		},
		Columns: []templates.Column{
			{Label: "Closed through", Class: "name"}, {Label: "On", Class: "date"}, {Label: "State", Class: "name"},
		},
		Row: func(r *http.Request, c closing.Closing) []string {
			return []string{c.Through.Display(), web.Day(r, c.CreatedAt), state(r, c)}
		},
		Empty: "Close the books after you filed a tax return, so that nothing of that period changes by mistake.",
	})
	web.Show(m, web.RecordPage[closing.Closing]{
		Summary: "One closing.",
		Facts: func(r *http.Request, c closing.Closing) []templates.Fact {
			return []templates.Fact{{Label: "Last closed day", Value: c.Through.Display()}, {Label: "State", Value: state(r, c)}}
		},
		Actions: func(c closing.Closing) []string {
			if !c.ReopenedAt.IsZero() {
				return nil
			}
			return []string{"reopen"}
		},
	})
	web.Create(m, "Close the books through a day. It must be over, and after the last closed day.", closing.Create, draft, fresh)
	web.Transition(m, "reopen", "reopened", "Take the last closing back, so that its days can change again.", closing.Reopen, web.Nothing(),
		&closing.NotLast)
	web.Ask(m, "reopen", closing.Reopen, web.Question[closing.Closing]{
		Submit: "Reopen the books",
		Page: func(_ *http.Request, p templates.Page, f templates.Form, c closing.Closing) (templ.Component, error) {
			return invoiceviews.ReopenPage(p, f, c.Through.Display()), nil
		},
	})
}

// draftsOf returns the last drafts that can't be issued with their dates once the books are closed through a day: none if that day isn't
// over, so that it can't be closed.
func draftsOf(r *http.Request, s *web.Site, through date.Date) (record.List[invoice.Summary], error) {
	if !through.Before(web.Principal(r).Today()) {
		return record.List[invoice.Summary]{}, nil
	}
	const some = 5
	return invoice.List(r.Context(), s.Pool, web.Principal(r).Tenant, invoice.Filter{States: []string{invoice.StatusDraft}, To: through},
		record.Page{Limit: some})
}

// fresh fills in the day in the query parameter through, or the last day of the last month.
func fresh(r *http.Request) (url.Values, error) {
	through, err := date.ParseEntry(r.URL.Query().Get("through"))
	if err != nil {
		month, _ := web.Principal(r).Today().Month()
		through = month.AddDays(-1)
	}
	return url.Values{"through": {through.String()}}, nil
}

// state returns the state of a closing for people.
func state(r *http.Request, c closing.Closing) string {
	if c.ReopenedAt.IsZero() {
		return "Closed"
	}
	return "Reopened on " + web.Day(r, c.ReopenedAt)
}
