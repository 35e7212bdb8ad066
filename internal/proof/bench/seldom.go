package bench

import (
	"context"
	"net/http"
)

// seldom are lists, and records in the middle of them, that few people look at, and the groups of customers who look alike.
func seldom() []kind {
	var all []kind
	page := func(name, route, looks string, path func(*site) (string, error)) {
		all = append(all, kind{name: name, route: "GET " + route, want: http.StatusOK, looks: looks,
			make: func(ctx context.Context, s *site, _ int) (*http.Request, error) {
				at, err := path(s)
				if err != nil {
					return nil, err
				}
				return pageGet(ctx, s.origin+at, s.cookie)
			}})
	}
	for _, r := range []struct{ path, table, where string }{
		{"/schedules", "schedules", unarchived}, {"/merges", "customer_merges", "true"}, {"/distinctions", "customer_distinctions", "true"},
		{"/webhooks", "webhook_sources", "true"}, {"/webhook-events", "webhook_events", "true"},
	} {
		page("list at "+r.path, r.path, "", func(*site) (string, error) { return r.path, nil })
		page("page of one at "+r.path, r.path+"/{id}", "", func(s *site) (string, error) {
			id, err := s.middleIn(r.table, r.where)
			return r.path + "/" + id, err
		})
	}
	page("events to decide on", "/webhook-events", "", func(*site) (string, error) { return "/webhook-events?state=undecided", nil })
	page("duplicates", "/duplicates", "it looks at 20,000 customers at most", func(*site) (string, error) { return "/duplicates", nil })
	return all
}
