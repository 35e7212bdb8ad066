package customerpages_test

import (
	"maps"
	"net/http"
	"net/url"

	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/site/sitetest"
)

// everyMerge returns the requests of the routes of duplicates, merges and distinctions.
func everyMerge(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
	routes := map[string][]sitetest.Request{}
	for prefix, caller := range map[string]*sitetest.Client{"": person, "/api/v1": program} {
		groups := prefix + "/duplicates"
		routes["GET "+groups] = sitetest.Gets(caller, groups, sitetest.At(groups, "name", "", false),
			sitetest.At(groups, "email", "2", false), sitetest.At(groups+"?limit=1", "name", "", false))
	}
	for i, of := range []sitetest.Resource{customercases.Merges(), customercases.Distinctions()} {
		maps.Copy(routes, b.EveryPair(program, person, of, func(n int) url.Values {
			n += 100 * i
			return url.Values{"customers": {customercases.Seen(sitetest.RowID(n), sitetest.RowID(n+1))}, "winner_id": {sitetest.RowID(n)}}
		}))
	}
	merged := sitetest.Change(
		url.Values{"customers": {customercases.Seen(sitetest.RowID(401), sitetest.RowID(402))}, "winner_id": {sitetest.RowID(401)}},
		"idempotency_key",
		"merged",
	)
	routes["POST /merges"] = append(
		routes["POST /merges"],
		sitetest.Request{What: "merged", Want: http.StatusConflict, Send: func() sitetest.Answer {
			return person.Submit("/merges", merged)
		}},
	)
	return routes
}
