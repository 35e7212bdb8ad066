package bench

import (
	"context"
	"fmt"
	"net/http"
)

const (
	routeDraft     = "PUT /api/v1/invoices/{id}"
	routeDraftPost = "POST /invoices/{id}/edit"
	routeIssue     = "POST /api/v1/invoices/{id}/issue"
)

// aboutOne makes a request about one invoice.
type aboutOne func(ctx context.Context, s *site, id string) (*http.Request, error)

// fresh makes requests about invoices that are created for them, outside of the measurement, and brought into a state
// by transitions such as issue.
func fresh(from aboutOne, transitions ...string) maker {
	return func(ctx context.Context, s *site, _ int) (*http.Request, error) {
		id, err := created(ctx, s, "/invoices", apiInvoice(newNumber(), regularEmail, newKey()))
		if err != nil {
			return nil, err
		}
		for _, verb := range transitions {
			request, err := apiTransition(verb)(ctx, s, id)
			if err != nil {
				return nil, err
			}
			if _, err := ask(s.client, request); err != nil {
				return nil, fmt.Errorf("%s an invoice: %w", verb, err)
			}
		}
		return from(ctx, s, id)
	}
}

// drafts are edits of an invoice that was just created.
func drafts() []kind {
	return []kind{
		{name: "API: edit a draft", route: routeDraft, want: http.StatusOK, make: fresh(editDraft(firstVersion))},
		{name: "API: edit of a stale draft", route: routeDraft, want: http.StatusPreconditionFailed, make: fresh(editDraft(`"v9"`))},
		{name: "API: edit of an issued invoice", route: routeDraft, want: http.StatusConflict, make: fresh(editDraft(`"v2"`), "issue")},
		{name: "form: edit a draft", route: routeDraftPost, want: http.StatusSeeOther, make: fresh(editDraftForm("edit"))},
		{name: "form to edit a draft with another line", route: "POST /invoices/{id}/form", want: http.StatusOK,
			make: fresh(editDraftForm("form"))},
		{name: "form to edit a draft", route: "GET /invoices/{id}/edit", want: http.StatusOK,
			make: fresh(pageOf(func(id string) string { return "/invoices/" + id + "/edit" }))},
	}
}

func editDraft(tag string) aboutOne {
	return func(ctx context.Context, s *site, id string) (*http.Request, error) {
		request, err := apiSend(ctx, http.MethodPut, s.origin+invoicesPath+"/"+id, newKey(), apiInvoice("", regularEmail, newKey()))
		if err == nil {
			request.Header.Set("If-Match", tag)
		}
		return request, err
	}
}

// editDraftForm sends the form of a draft to one of its two addresses.
func editDraftForm(to string) aboutOne {
	return func(ctx context.Context, s *site, id string) (*http.Request, error) {
		form := formInvoice(newKey(), "", newKey())
		form.Set("version", "1")
		if to == "form" {
			form.Set("action", "add_line")
		}
		return formPost(ctx, s.origin+"/invoices/"+id+"/"+to, s.cookie, form)
	}
}

// lives are transitions of an invoice that was just created.
func lives() []kind {
	form := func(verb string) maker { return fresh(press("/invoices/", "/"+verb)) }
	asked := func(verb string) maker {
		return fresh(pageOf(func(id string) string { return "/invoices/" + id + "/" + verb }))
	}
	return []kind{
		{name: "page that asks before issuing", route: "GET /invoices/{id}/issue", want: http.StatusOK, make: asked("issue")},
		{name: "page that asks before voiding", route: "GET /invoices/{id}/void", want: http.StatusOK, make: asked("void")},
		{name: "API: issue an invoice", route: routeIssue, want: http.StatusOK, make: fresh(apiTransition("issue"))},
		{name: "API: issue an invoice that is issued", route: routeIssue, want: http.StatusOK,
			make: fresh(apiTransition("issue"), "issue")},
		{name: "API: void an invoice", route: "POST /api/v1/invoices/{id}/void", want: http.StatusOK,
			make: fresh(apiTransition("void"), "issue")},
		{name: "form: issue an invoice", route: "POST /invoices/{id}/issue", want: http.StatusSeeOther, make: form("issue")},
		{name: "form: void an invoice", route: "POST /invoices/{id}/void", want: http.StatusSeeOther, make: form("void")},
	}
}

func apiTransition(verb string) aboutOne { return pressAPI("/invoices/", "/"+verb) }
