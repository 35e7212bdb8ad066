package customerpages

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/customer"
	"onlyonce/internal/customer/duplicate"
	"onlyonce/internal/record"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/customerviews"
)

// mountDuplicates mounts the read-only list of groups of similar customers.
func mountDuplicates(s *web.Site) {
	m := web.Resource[duplicate.Group]{One: "duplicate", Path: "/duplicates"}.Mount(s)
	web.List(m, web.Listing[duplicate.Group]{
		Summary: "Groups of customers who look alike, by what they have in common. A page may be short or empty: " +
			"continue while there is a next_cursor. You can't page back.",
		Read: func(r *http.Request, page record.Page) (record.List[duplicate.Group], error) {
			return duplicate.List(r.Context(), s.Pool, web.Principal(r).Tenant, page)
		},
		Page: func(r *http.Request, p templates.Page, groups []duplicate.Group, finder templates.Finder) (templ.Component, error) {
			view := customerviews.Duplicates{Pager: finder.Pager}
			for _, g := range groups {
				view.Groups = append(view.Groups, group(r, g))
			}
			return customerviews.DuplicatesPage(p, view), nil
		},
	})
}

// mountDistinctions mounts the distinctions of similar customers.
func mountDistinctions(s *web.Site) {
	m := web.Resource[duplicate.Distinction]{
		One: "distinction", Path: "/distinctions", Table: duplicate.Distinctions, Name: duplicate.NameApart,
	}.Mount(s)
	words := web.Wording{
		Title: "Not duplicates", Submit: "Remember distinction", Did: "remembered", Does: "remembers", Again: "Record it once more",
		Created:  "Distinction %s remembered.",
		Replayed: "Distinction remembered. We ignored the duplicate submission and kept your first request.",
	}
	web.Enter(m, web.Form[duplicate.Distinction]{
		Fields: []templates.Field{{Name: customerviews.CustomersField, Value: "Customers"}}, Control: customersControl, Words: &words,
		Page: func(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
			view, _, err := chosen(s, r, f)
			return customerviews.ApartForm(p, view), err
		},
		Example: duplicate.ApartInput{Customers: []string{exampleID, otherExampleID}},
	})
	web.List(m, web.Listing[duplicate.Distinction]{
		Summary: "Customers who look alike but aren't the same, newest first.",
		Read: func(r *http.Request, page record.Page) (record.List[duplicate.Distinction], error) {
			return duplicate.Apart(r.Context(), s.Pool, web.Principal(r).Tenant, page)
		},
		Columns: []templates.Column{{Label: "Customers", Class: "name"}, {Label: "Since", Class: "date"}},
		Row: func(r *http.Request, d duplicate.Distinction) []string {
			return []string{duplicate.NameApart(d), web.Day(r, d.CreatedAt)}
		},
		Empty: "Customers that only look alike are marked on the page Duplicates.",
	})
	web.Show(m, web.RecordPage[duplicate.Distinction]{
		Summary: "One distinction.",
		Facts: func(r *http.Request, d duplicate.Distinction) []templates.Fact {
			var facts []templates.Fact
			for _, c := range d.Customers {
				facts = append(facts, templates.Fact{Label: "Customer", Value: c.Name, Href: "/customers/" + c.ID.String()})
			}
			return append(facts, templates.Fact{Label: "Since", Value: web.Day(r, d.CreatedAt)})
		},
	})
	web.Create(m, "Record that customers who look alike aren't the same.", duplicate.KeepApart, web.NewCommand(
		func(r *http.Request) (duplicate.ApartDraft, error) {
			var in duplicate.ApartInput
			for _, c := range seenIn(r.PostForm) {
				in.Customers = append(in.Customers, c.ID)
			}
			return in.Draft()
		}, duplicate.ApartInput.Draft,
	), func(r *http.Request) (url.Values, error) { return freshChoice(s, r) })
}

// reasons has the nouns for [duplicate.Reasons] in a sentence.
var reasons = map[string]string{"tax_id": "tax ID", "email": "mailbox", "name": "name"}

func group(r *http.Request, g duplicate.Group) customerviews.Group {
	var why, ids []string
	for _, reason := range g.Why {
		why = append(why, reasons[reason])
	}
	shown := customerviews.Group{Why: "Same " + strings.Join(why, " and ")}
	for _, c := range g.Customers {
		ids = append(ids, c.ID.String())
		shown.Customers = append(shown.Customers, candidate(r, c))
	}
	if more := g.Count - len(g.Customers); more > 0 {
		shown.More = "These are the oldest. There are at least " + strconv.Itoa(more) + " more."
	}
	query := url.Values{customerviews.CustomersField: {strings.Join(ids, " ")}}.Encode()
	shown.MergeHref, shown.ApartHref = web.FormHref(r, "/merges/new?"+query), web.FormHref(r, "/distinctions/new?"+query)
	return shown
}

func candidate(r *http.Request, c customer.Customer) customerviews.Candidate {
	return customerviews.Candidate{Name: c.Name, Href: "/customers/" + c.ID.String(), Email: c.Email, Since: web.Day(r, c.CreatedAt)}
}

// The form of chosen customers has one field for them: "id@version id@version".

// seenIn parses that field.
func seenIn(form url.Values) (all []duplicate.SeenInput) {
	for text := range strings.FieldsSeq(form.Get(customerviews.CustomersField)) {
		id, version, _ := strings.Cut(text, "@")
		seen, _ := strconv.ParseInt(version, 10, 32) // no customer has version 0
		all = append(all, duplicate.SeenInput{ID: id, Version: int32(seen)})
	}
	return all
}

func seenText(all []customer.Customer) string {
	var texts []string
	for _, c := range all {
		texts = append(texts, c.ID.String()+"@"+strconv.Itoa(c.Version))
	}
	return strings.Join(texts, " ")
}

// freshChoice returns the values of a new form, with the customers whose ids are in the query parameter customers.
func freshChoice(s *web.Site, r *http.Request) (url.Values, error) {
	found, err := customersIn(s, r, r.URL.Query())
	fresh := url.Values{customerviews.CustomersField: {seenText(found)}, customerviews.WinnerField: {""}}
	if len(found) > 0 {
		fresh.Set(customerviews.WinnerField, found[0].ID.String()) // the oldest
	}
	return fresh, err
}

// customersIn returns the customers chosen in a form.
func customersIn(s *web.Site, r *http.Request, form url.Values) ([]customer.Customer, error) {
	var ids []uuid.UUID
	for _, c := range seenIn(form) {
		if id, err := uuid.Parse(c.ID); err == nil {
			ids = append(ids, id)
		}
	}
	if len(ids) > duplicate.MaxCustomers {
		return nil, nil
	}
	return duplicate.Customers(r.Context(), s.Pool, web.Principal(r).Tenant, ids)
}

// chosen returns the view of a form and its customers. If a customer does not exist, the form has text fields for all.
func chosen(s *web.Site, r *http.Request, f templates.Form) (customerviews.ChosenView, []customer.Customer, error) {
	view := customerviews.ChosenView{Form: f, Hint: s.Hint("merges")}
	found, err := customersIn(s, r, f.Typed)
	if err != nil || len(found) < 2 || len(found) != len(seenIn(f.Typed)) {
		return view, nil, err
	}
	view.Seen = f.Typed.Get(customerviews.CustomersField)
	for _, c := range found {
		view.Customers = append(view.Customers, candidate(r, c))
		view.Winners = append(view.Winners, templates.Option{Value: c.ID.String(), Text: strings.TrimSuffix(c.Name+" · "+c.Email, " · ")})
	}
	return view, found, nil
}

func customersControl(pointer string) string {
	if pointer == "/winner_id" {
		return customerviews.WinnerField
	}
	return customerviews.CustomersField
}
