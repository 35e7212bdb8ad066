package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
)

// plain is a resource that is made, listed, edited, archived and restored at the usual addresses, and nothing else.
type plain struct {
	one   string // "expense"
	path  string // "/expenses"
	table string
	// fill gives the table a past, and its words: see fill.sql.
	fill string
	// command makes one that has nothing unique in common with any other.
	command func() map[string]any
	// refers are the fields besides that have the id of another record, each with the table of that.
	refers map[string]string
}

// plains are all plain resources.
func plains() []plain {
	return []plain{
		// Each plain resource stands above this line.
	}
}

// pasts are the SQL that fills their tables.
func pasts() (all []string) {
	for _, p := range plains() {
		all = append(all, p.fill)
	}
	return all
}

// ofPlains are the requests of all of them.
func ofPlains() (all []kind) {
	for _, p := range plains() {
		all = append(all, p.lists()...)
		all = append(all, p.records()...)
		all = append(all, p.changes()...)
	}
	return all
}

func (p plain) lists() []kind {
	var all []kind
	for _, query := range []string{"", "?archived=1", "?q=1"} {
		all = append(all,
			kind{name: p.one + " list" + query, route: "GET " + p.path, want: http.StatusOK, make: p.page(func(*site) (string, error) {
				return query, nil
			})},
			kind{name: "API: " + p.one + " list" + query, route: "GET " + apiPrefix + p.path, want: http.StatusOK,
				make: func(ctx context.Context, s *site, _ int) (*http.Request, error) {
					return apiGet(ctx, s.origin+apiPrefix+p.path+query)
				}})
	}
	return all
}

// records are the requests about one of them, or for a new one.
func (p plain) records() []kind {
	return []kind{
		{name: "API: create one " + p.one, route: "POST " + apiPrefix + p.path, want: http.StatusCreated,
			make: func(ctx context.Context, s *site, _ int) (*http.Request, error) {
				return p.send(ctx, s, http.MethodPost, "")
			}},
		{name: "form: create one " + p.one, route: "POST " + p.path, want: http.StatusSeeOther,
			make: func(ctx context.Context, s *site, _ int) (*http.Request, error) {
				return p.sendForm(ctx, s, "", url.Values{})
			}},
		{name: p.one + " form", route: "GET " + p.path + "/new", want: http.StatusOK, make: p.page(func(*site) (string, error) {
			return "/new?key=" + newKey(), nil
		})},
		{name: p.one + " page", route: "GET " + p.path + "/{id}", want: http.StatusOK, make: p.page(p.middle)},
		{name: "API: one " + p.one, route: "GET " + apiPrefix + p.path + "/{id}", want: http.StatusOK,
			make: func(ctx context.Context, s *site, _ int) (*http.Request, error) {
				middle, err := p.middle(s)
				if err != nil {
					return nil, err
				}
				return apiGet(ctx, s.origin+apiPrefix+p.path+middle)
			}},
	}
}

// changes are those of the one in the middle.
func (p plain) changes() []kind {
	all := []kind{
		{name: p.one + " form to edit", route: "GET " + p.path + "/{id}/edit", want: http.StatusOK,
			make: p.page(func(s *site) (string, error) {
				middle, err := p.middle(s)
				return middle + "/edit?key=" + newKey(), err
			})},
		{name: "API: edit one " + p.one, route: "PUT " + apiPrefix + p.path + "/{id}", want: http.StatusOK,
			make: p.current(func(ctx context.Context, s *site, middle string, version int) (*http.Request, error) {
				request, err := p.send(ctx, s, http.MethodPut, middle)
				if err == nil {
					request.Header.Set("If-Match", fmt.Sprintf(`"v%d"`, version))
				}
				return request, err
			})},
		{name: "form: edit one " + p.one, route: "POST " + p.path + "/{id}/edit", want: http.StatusSeeOther,
			make: p.current(func(ctx context.Context, s *site, middle string, version int) (*http.Request, error) {
				return p.sendForm(ctx, s, middle+"/edit", url.Values{"version": {fmt.Sprint(version)}})
			})},
	}
	for i, verb := range []string{"archive", "restore"} {
		opposite := []string{"restore", "archive"}[i]
		all = append(all,
			kind{name: "API: " + verb + " one " + p.one, route: "POST " + apiPrefix + p.path + "/{id}/" + verb, want: http.StatusOK,
				make: p.after(opposite, func(ctx context.Context, s *site, middle string) (*http.Request, error) {
					return apiPost(ctx, s.origin+apiPrefix+p.path+middle+"/"+verb, newKey(), "")
				})},
			kind{name: "form: " + verb + " one " + p.one, route: "POST " + p.path + "/{id}/" + verb, want: http.StatusSeeOther,
				make: p.after(opposite, func(ctx context.Context, s *site, middle string) (*http.Request, error) {
					return formPost(ctx, s.origin+p.path+middle+"/"+verb, s.cookie, url.Values{"idempotency_key": {newKey()}})
				})})
	}
	return all
}

// page makes requests for a page at or below the address of the resource.
func (p plain) page(below func(*site) (string, error)) maker {
	return func(ctx context.Context, s *site, _ int) (*http.Request, error) {
		path, err := below(s)
		if err != nil {
			return nil, err
		}
		return pageGet(ctx, s.origin+p.path+path, s.cookie)
	}
}

// middle is the address of the one in the middle of all of them, below that of the resource.
func (p plain) middle(s *site) (string, error) {
	id, err := s.middleIn(p.table, unarchived)
	return "/" + id, err
}

// current makes requests from the version of the one in the middle that is there now. It is asked for outside of the
// measurement.
func (p plain) current(from func(ctx context.Context, s *site, middle string, version int) (*http.Request, error)) maker {
	return func(ctx context.Context, s *site, _ int) (*http.Request, error) {
		middle, err := p.middle(s)
		if err != nil {
			return nil, err
		}
		version, err := versionAt(ctx, s, s.origin+apiPrefix+p.path+middle)
		if err != nil {
			return nil, err
		}
		return from(ctx, s, middle, version)
	}
}

// after makes requests behind a transition of the one in the middle, outside of the measurement.
func (p plain) after(verb string, then func(ctx context.Context, s *site, middle string) (*http.Request, error)) maker {
	return func(ctx context.Context, s *site, _ int) (*http.Request, error) {
		middle, err := p.middle(s)
		if err != nil {
			return nil, err
		}
		before, err := apiPost(ctx, s.origin+apiPrefix+p.path+middle+"/"+verb, newKey(), "")
		if err != nil {
			return nil, err
		}
		if _, err := ask(s.client, before); err != nil {
			return nil, fmt.Errorf("%s: %w", verb, err)
		}
		return then(ctx, s, middle)
	}
}

// whole is a command with what it refers to.
func (p plain) whole(s *site) (map[string]any, error) {
	command := p.command()
	for field, table := range p.refers {
		id, err := s.middleIn(table, unarchived)
		if err != nil {
			return nil, err
		}
		command[field] = id
	}
	return command, nil
}

// send sends a command to an address of the API below that of the resource.
func (p plain) send(ctx context.Context, s *site, method, below string) (*http.Request, error) {
	command, err := p.whole(s)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(command)
	if err != nil {
		return nil, err
	}
	return apiSend(ctx, method, s.origin+apiPrefix+p.path+below, newKey(), string(body))
}

// sendForm sends a command as a form, with further fields.
func (p plain) sendForm(ctx context.Context, s *site, below string, form url.Values) (*http.Request, error) {
	command, err := p.whole(s)
	if err != nil {
		return nil, err
	}
	for name, value := range command {
		form.Set(name, fmt.Sprint(value))
	}
	form.Set("idempotency_key", newKey())
	return formPost(ctx, s.origin+p.path+below, s.cookie, form)
}
