package customerpages

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/customer/duplicate"
	"onlyonce/internal/record"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/customerviews"
)

// The ids in the documentation's examples.
const (
	exampleID      = "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f80"
	otherExampleID = "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f81"
)

// mountMerges mounts the merges of customers.
func mountMerges(s *web.Site) {
	m := web.Resource[duplicate.Merge]{One: "merge", Path: "/merges", Table: duplicate.Table, Name: duplicate.Name}.Mount(s)
	words := web.Wording{
		Title: "Merge customers", Submit: "Merge customers", Did: "merged", Does: "makes", Again: "Merge once more",
		Created: "Merged %s.", Replayed: "Merged. We ignored the duplicate submission and kept your first request.",
	}
	web.Enter(m, web.Form[duplicate.Merge]{
		Fields: []templates.Field{
			{Name: customerviews.CustomersField, Value: "Customers"}, {Name: customerviews.WinnerField, Value: "The one that stays"},
		},
		Control: customersControl, Words: &words,
		Page: func(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
			view, err := mergeForm(s, r, f)
			return customerviews.MergeForm(p, view), err
		},
		OnConflict: func(r *http.Request, refused *conflict.Error) {
			if refused.Kind != &duplicate.ChangedMeanwhile {
				return
			}
			if found, err := customersIn(s, r, r.PostForm); err == nil { // the form shows their current state
				r.PostForm.Set(customerviews.CustomersField, seenText(found))
			}
		},
		Example: duplicate.MergeInput{
			Customers: []duplicate.SeenInput{{ID: exampleID, Version: 1}, {ID: otherExampleID, Version: 1}}, WinnerID: exampleID,
		},
	})
	web.List(m, web.Listing[duplicate.Merge]{
		Summary: "Merges of customers, newest first.",
		Read: func(r *http.Request, page record.Page) (record.List[duplicate.Merge], error) {
			return duplicate.Merges(r.Context(), s.Pool, web.Principal(r).Tenant, page)
		},
		Columns: []templates.Column{
			{Label: "Customers", Class: "name"}, {Label: "Merged", Class: "date"}, {Label: "Undone", Class: "date"},
		},
		Row: func(r *http.Request, m duplicate.Merge) []string {
			return []string{duplicate.Name(m), web.Day(r, m.CreatedAt), undoneText(r, m)}
		},
		Empty: "The page Duplicates finds customers that were added twice.",
	})
	web.Show(m, web.RecordPage[duplicate.Merge]{Summary: "One merge.", Facts: mergeFacts, Actions: func(m duplicate.Merge) []string {
		if m.UndoneAt.IsZero() && time.Since(m.CreatedAt) < duplicate.UndoWithin {
			return []string{"undo"}
		}
		return nil
	}})
	web.Create(m, "Merge customers into one, which stays as it is. The others' records move to it, and their URLs lead to it.",
		duplicate.MergeCustomers, web.NewCommand(
			func(r *http.Request) (duplicate.MergeDraft, error) {
				return duplicate.MergeInput{Customers: seenIn(r.PostForm), WinnerID: r.PostForm.Get(customerviews.WinnerField)}.Draft()
			}, duplicate.MergeInput.Draft,
		), func(r *http.Request) (url.Values, error) { return freshChoice(s, r) },
		&duplicate.ChangedMeanwhile, &duplicate.TooManyRows, &customer.Merged, &customer.Erased)
	web.Transition(m, "undo", "undone", "Undo a merge within 30 days. The records that moved go back if they still exist.",
		duplicate.UndoMerge, web.Nothing(), &duplicate.TooLate, &duplicate.MergedFurther, &customer.EmailTaken,
		&customer.Erased)
}

func undoneText(r *http.Request, m duplicate.Merge) string {
	if m.UndoneAt.IsZero() {
		return ""
	}
	return web.Day(r, m.UndoneAt)
}

func mergeFacts(r *http.Request, m duplicate.Merge) []templates.Fact {
	facts := []templates.Fact{{Label: "Stays", Value: m.Winner.Name, Href: "/customers/" + m.Winner.ID.String()}}
	for _, loser := range m.Losers { // a loser's URL leads to the winner
		facts = append(facts, templates.Fact{
			Label: "Merged into it", Value: loser.Name, Href: "/customers/" + loser.ID.String() + "/events",
		})
	}
	return web.KnownFacts(append(facts,
		templates.Fact{Label: "Records moved", Value: strconv.Itoa(m.Moved)},
		templates.Fact{Label: "Merged on", Value: web.Day(r, m.CreatedAt)},
		templates.Fact{Label: "Can be undone until", Value: web.Day(r, m.CreatedAt.Add(duplicate.UndoWithin))},
		templates.Fact{Label: "Undone on", Value: undoneText(r, m)})...)
}

// mergeForm returns the form with the customers side by side: their fields, and the number of records to be moved.
func mergeForm(s *web.Site, r *http.Request, f templates.Form) (customerviews.ChosenView, error) {
	view, found, err := chosen(s, r, f)
	if err != nil || len(found) == 0 {
		return view, err
	}
	ids := make([]uuid.UUID, len(found))
	for i, c := range found {
		ids[i] = c.ID
	}
	references, err := duplicate.ReferencesOf(r.Context(), s.Pool, web.Principal(r).Tenant, ids)
	if err != nil {
		return view, err
	}
	for i, c := range found {
		var has []string
		for _, ref := range references {
			if ref.Customer == c.ID && ref.Count > 0 {
				has = append(has, countText(ref))
			}
		}
		view.Customers[i].Facts = append(facts(r, c),
			templates.Fact{Label: "Refers to it", Value: cmp.Or(strings.Join(has, ", "), "nothing")})
	}
	return view, nil
}

// countText returns the number of records that refer to a customer, such as "invoices: 12".
func countText(ref duplicate.Reference) string {
	name := strings.ReplaceAll(ref.Table, "_", " ")
	if ref.Table == customer.Table.Name {
		name = "customers that were merged into it"
	}
	if ref.Count > duplicate.MaxRows {
		return name + ": more than " + strconv.Itoa(duplicate.MaxRows)
	}
	return name + ": " + strconv.Itoa(ref.Count)
}
