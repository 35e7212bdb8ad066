package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

const (
	routeEdit     = "PUT /api/v1/customers/{id}"
	routeEditPost = "POST /customers/{id}/edit"
	routeEditForm = "GET /customers/{id}/edit"
	routeArchive  = "POST /api/v1/customers/{id}/archive"

	firstVersion = `"v1"`
	editedKey    = "edited"
)

// edits change the customer in the middle.
func edits() []kind {
	return []kind{
		{name: "API: edit a customer", route: routeEdit, want: http.StatusOK,
			make: current(func(ctx context.Context, s *site, tag string) (*http.Request, error) {
				return edit(ctx, s, newKey(), tag, newKey())
			})},
		{name: "API: replay of an edit", route: routeEdit, want: http.StatusOK, prepare: editKnown,
			make: func(ctx context.Context, s *site, _ int) (*http.Request, error) {
				return edit(ctx, s, editedKey, firstVersion, editedKey)
			}},
		{name: "API: edit of a stale version", route: routeEdit, want: http.StatusPreconditionFailed, prepare: editKnown,
			make: func(ctx context.Context, s *site, _ int) (*http.Request, error) {
				return edit(ctx, s, newKey(), firstVersion, newKey())
			}},
		{name: "form: edit a customer", route: routeEditPost, want: http.StatusSeeOther, make: current(editForm)},
		{name: "form: edit of a stale version", route: routeEditPost, want: http.StatusConflict, prepare: editKnown,
			make: func(ctx context.Context, s *site, _ int) (*http.Request, error) {
				return editForm(ctx, s, firstVersion)
			}},
		{name: "form to edit under a used key", route: routeEditForm, want: http.StatusOK, prepare: editKnown,
			make: page(func(s *site) string { return "/customers/" + s.known.middleCustomer + "/edit?key=" + editedKey })},
	}
}

// edit changes the name of the customer in the middle.
func edit(ctx context.Context, s *site, key, tag, name string) (*http.Request, error) {
	request, err := apiSend(ctx, http.MethodPut, s.middle(), key, fmt.Sprintf(`{"email":"middle@past.example","name":%q}`, name))
	if err == nil {
		request.Header.Set("If-Match", tag)
	}
	return request, err
}

func editForm(ctx context.Context, s *site, tag string) (*http.Request, error) {
	return formPost(ctx, s.origin+"/customers/"+s.known.middleCustomer+"/edit", s.cookie, url.Values{
		"idempotency_key": {newKey()}, "version": {strings.Trim(tag, `"v`)},
		"email": {"middle@past.example"}, "name": {newKey()},
	})
}

// editKnown makes the edit that is replayed. The customer has more than one version then.
func editKnown(ctx context.Context, s *site) error {
	return sent(current(func(ctx context.Context, s *site, tag string) (*http.Request, error) {
		return edit(ctx, s, editedKey, tag, editedKey)
	}))(ctx, s)
}

// current makes requests from the version of the customer that is there now. It is asked for outside of the
// measurement.
func current(from func(ctx context.Context, s *site, tag string) (*http.Request, error)) maker {
	return func(ctx context.Context, s *site, _ int) (*http.Request, error) {
		version, err := versionAt(ctx, s, s.middle())
		if err != nil {
			return nil, err
		}
		return from(ctx, s, fmt.Sprintf(`"v%d"`, version))
	}
}

// versionAt is the version that the record at an address of the API has now.
func versionAt(ctx context.Context, s *site, address string) (int, error) {
	look, err := apiGet(ctx, address)
	if err != nil {
		return 0, err
	}
	text, err := ask(s.client, look)
	if err != nil {
		return 0, fmt.Errorf("look at a record: %w", err)
	}
	var record struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal([]byte(text), &record); err != nil {
		return 0, fmt.Errorf("look at a record: %w", err)
	}
	return record.Version, nil
}

// middle is the address of the customer in the middle.
func (s *site) middle() string { return s.origin + customersPath + "/" + s.known.middleCustomer }

// transitions bring the customer in the middle into a state.
func transitions() []kind {
	return []kind{
		{name: "API: archive a customer", route: routeArchive, want: http.StatusOK, make: after("restore", transition("archive"))},
		{name: "API: archive a customer who is archived", route: routeArchive, want: http.StatusOK, make: transition("archive")},
		{name: "API: restore a customer", route: "POST /api/v1/customers/{id}/restore", want: http.StatusOK,
			make: after("archive", transition("restore"))},
		{name: "form: archive a customer", route: "POST /customers/{id}/archive", want: http.StatusSeeOther,
			make: after("restore", transitionForm("archive"))},
		{name: "form: restore a customer", route: "POST /customers/{id}/restore", want: http.StatusSeeOther,
			make: after("archive", transitionForm("restore"))},
	}
}

func transition(verb string) maker {
	return func(ctx context.Context, s *site, _ int) (*http.Request, error) {
		return apiPost(ctx, s.middle()+"/"+verb, newKey(), "")
	}
}

func transitionForm(verb string) maker {
	return func(ctx context.Context, s *site, n int) (*http.Request, error) {
		return forms("/customers/"+s.known.middleCustomer+"/"+verb, func() url.Values { return url.Values{} })(ctx, s, n)
	}
}

// after makes requests behind a transition, outside of the measurement.
func after(verb string, then maker) maker {
	return func(ctx context.Context, s *site, n int) (*http.Request, error) {
		before, err := transition(verb)(ctx, s, n)
		if err != nil {
			return nil, err
		}
		if _, err := ask(s.client, before); err != nil {
			return nil, fmt.Errorf("%s a customer: %w", verb, err)
		}
		return then(ctx, s, n)
	}
}
