package site_test

import (
	"net/url"
	"strings"
	"time"

	"onlyonce/internal/record"
)

// request is a request of a route. want is the status of its answer, or 0 for any.
type request struct {
	what string
	want int
	send func() answer
}

// looked is a GET with one answer.
func looked(c *client, want int, path string) request {
	return request{path, want, func() answer { return c.get(path) }}
}

// gets are GETs with any answer.
func gets(c *client, paths ...string) (all []request) {
	for _, path := range paths {
		all = append(all, asking(c, path))
	}
	return all
}

// asking is a GET with any answer.
func asking(c *client, path string) request {
	return request{path, 0, func() answer { return c.get(path) }}
}

// everyEvent returns the requests of the routes of a history with a pattern; all is an address that matches it. program is nil if
// the API has no such route.
func everyEvent(program, person *client, pattern, all string) map[string][]request {
	routes, when := map[string][]request{}, time.Now().UTC().Format(time.RFC3339Nano)
	for _, address := range []string{all, at(all+"?limit=100", when, "x", false), at(all+"?limit=2", when, "x", true)} {
		routes["GET "+pattern] = append(routes["GET "+pattern], asking(person, address))
		if program == nil {
			continue
		}
		routes["GET /api/v1"+pattern] = append(routes["GET /api/v1"+pattern], asking(program, "/api/v1"+address))
	}
	return routes
}

// expiry erases the results of all requests so far.
func (b *bundle) expiry() request {
	return request{"expiry", 0, func() answer {
		b.exec(`
			UPDATE intents SET result = NULL
			WHERE tenant_id = $1 AND result IS NOT NULL AND expires_at > now() + interval '2 hours'`, b.acme.id) // grow's expire before
		b.store.Forget()
		return answer{}
	}}
}

// pagesOf returns the addresses of a list of customers: from the newest, from the middle, back from there, and from after the
// last one; and of searches in it, for a single customer's word, a common word, and the prefix of most words.
func pagesOf(path string) []string {
	archived := path + "?archived=1"
	all := []string{
		path, at(path+"?limit=100", "", rowID(many/2), false), at(path+"?limit=100", "", rowID(many/2), true),
		at(path, "", rowID(2*many), false),
		archived, at(archived, "", rowID(many+many/2), false), at(archived, "", rowID(many/2), false),
		at(archived, "", rowID(many+many/2), true),
	}
	for _, q := range []string{"77", "customer", "1", "customer+77", "example+customer", "none"} {
		searched, middle := path+"?limit=100&q="+q, rowID(many/2)
		all = append(all, searched, at(searched, middle, middle, false), at(searched, middle, middle, true), searched+"&archived=1")
	}
	return all
}

// at returns the address of a list after a cursor, or before it.
func at(target, first, second string, back bool) string {
	address, err := url.Parse(target)
	if err != nil {
		panic(err)
	}
	query := address.Query()
	of := record.ListName(strings.TrimPrefix(address.Path, "/api/v1"), query)
	query.Set("cursor", record.Cursor{Of: of, From: record.Key{first, second}, Back: back}.String())
	return address.Path + "?" + query.Encode()
}
