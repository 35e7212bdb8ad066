package sitetest

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"onlyonce/internal/record"
)

// Request is a request of a route. want is the status of its answer, or 0 for any.
type Request struct {
	What string
	Want int
	Send func() Answer
}

// Looked is a GET with one answer.
func Looked(c *Client, want int, path string) Request {
	return Request{path, want, func() Answer { return c.Get(path) }}
}

// Gets are GETs with any answer.
func Gets(c *Client, paths ...string) (all []Request) {
	for _, path := range paths {
		all = append(all, Asking(c, path))
	}
	return all
}

// Asking is a GET with any answer.
func Asking(c *Client, path string) Request {
	return Request{path, 0, func() Answer { return c.Get(path) }}
}

// EveryEvent returns the requests of the routes of a history with a pattern; all is an address that matches it. program is nil if
// the API has no such route.
func EveryEvent(program, person *Client, pattern, all string) map[string][]Request {
	routes, when := map[string][]Request{}, time.Now().UTC().Format(time.RFC3339Nano)
	for _, address := range []string{all, At(all+"?limit=100", when, "x", false), At(all+"?limit=2", when, "x", true)} {
		routes["GET "+pattern] = append(routes["GET "+pattern], Asking(person, address))
		if program == nil {
			continue
		}
		routes["GET /api/v1"+pattern] = append(routes["GET /api/v1"+pattern], Asking(program, "/api/v1"+address))
	}
	return routes
}

// Expiry erases the results of all requests so far.
func (b *Bundle) Expiry() Request {
	return Request{"expiry", 0, func() Answer {
		b.Exec(`
			UPDATE intents SET result = NULL
			WHERE tenant_id = $1 AND result IS NOT NULL AND expires_at > now() + interval '2 hours'`, b.Acme.ID) // grow's expire before
		b.Store.Forget()
		return Answer{}
	}}
}

// PagesOf returns the addresses of a list of customers: from the newest, from the middle, back from there, and from after the
// last one; and of searches in it, for a single customer's word, a common word, and the prefix of most words.
func PagesOf(path string) []string {
	archived := path + "?archived=1"
	all := []string{
		path, At(path+"?limit=100", "", RowID(Many/2), false), At(path+"?limit=100", "", RowID(Many/2), true),
		At(path, "", RowID(2*Many), false),
		archived, At(archived, "", RowID(Many+Many/2), false), At(archived, "", RowID(Many/2), false),
		At(archived, "", RowID(Many+Many/2), true),
	}
	for _, q := range []string{"77", "customer", "1", "customer+77", "example+customer", "none"} {
		searched, middle := path+"?limit=100&q="+q, RowID(Many/2)
		all = append(all, searched, At(searched, middle, middle, false), At(searched, middle, middle, true), searched+"&archived=1")
	}
	return all
}

// At returns the address of a list after a cursor, or before it.
func At(target, first, second string, back bool) string {
	address, err := url.Parse(target)
	if err != nil {
		panic(err)
	}
	query := address.Query()
	of := record.ListName(strings.TrimPrefix(address.Path, "/api/v1"), query)
	query.Set("cursor", record.Cursor{Of: of, From: record.Key{first, second}, Back: back}.String())
	return address.Path + "?" + query.Encode()
}

// EveryOwners returns the requests that users and tokens have in common: lists, pages and forms.
func (b *Bundle) EveryOwners(person *Client, of Resource, taken url.Values) map[string][]Request {
	forms := []Request{
		b.FormOf(person, of, http.StatusSeeOther, "made", of.Command),
		b.FormOf(person, of, http.StatusSeeOther, "made", of.Command),          // replayed
		b.FormOf(person, of, http.StatusUnprocessableEntity, "made", of.Other), // mismatch
		b.FormOf(person, of, http.StatusConflict, "taken", taken),
		b.FormOf(person, of, http.StatusUnprocessableEntity, "invalid", Change(of.Command, "name", "a\u202eb")),
		b.Expiry(),
		b.FormOf(person, of, http.StatusUnprocessableEntity, "made", of.Command),
	}
	return map[string][]Request{
		"GET " + of.Path: {
			Looked(person, http.StatusOK, of.Path), Looked(person, http.StatusOK, At(of.Path+"?limit=100", "", RowID(Many/2), false)),
			Looked(person, http.StatusOK, At(of.Path+"?limit=100", "", RowID(Many/2), true)),
		},
		"GET " + of.Path + "/new":  Gets(person, of.Path+"/new?key=fresh", of.Path+"/new?key=past+7"),
		"GET " + of.Path + "/{id}": Gets(person, of.Path+"/"+RowID(8), of.Path+"/"+Nobody),
		"POST " + of.Path:          forms,
	}
}

// FormOf returns the request of a form.
func (b *Bundle) FormOf(person *Client, of Resource, want int, key string, command url.Values) Request {
	return Request{key, want, func() Answer { return person.Submit(of.Path, Change(command, "idempotency_key", key)) }}
}

// EveryPair returns the requests of the routes of a resource about two records. A command is named by the place of the first
// record.
func (b *Bundle) EveryPair(program, person *Client, of Resource, pair func(n int) url.Values) map[string][]Request {
	routes := EveryEvent(program, person, of.Path+"/{id}/events", of.Path+"/"+RowID(7)+"/events")
	for prefix, caller := range map[string]*Client{"": person, "/api/v1": program} {
		list := prefix + of.Path
		routes["GET "+list] = Gets(caller, list, At(list, "", RowID(2000), false), At(list, "", RowID(2000), true))
		routes["GET "+list+"/{id}"] = Gets(caller, list+"/"+RowID(7), list+"/"+Nobody)
	}
	said := func(made, late, n int, send func(command url.Values) Answer) []Request {
		ask := func(want, n int) Request { return Request{"pair", want, func() Answer { return send(pair(n)) }} }
		done, mismatch := ask(made, n), ask(http.StatusUnprocessableEntity, n+2)
		return []Request{done, done, mismatch, b.Expiry(), ask(late, n)} // replayed
	}
	routes["POST "+of.Path] = said(http.StatusSeeOther, 0, 401, func(command url.Values) Answer {
		return person.Submit(of.Path, Change(command, "idempotency_key", "form"))
	})
	routes["POST /api/v1"+of.Path] = said(http.StatusCreated, http.StatusOK, 411, func(command url.Values) Answer {
		return program.Create(of, "api", command)
	})
	fresh := of.Path + "/new?key=fresh"
	routes["GET "+of.Path+"/new"] = Gets(person, fresh, fresh+"&"+pair(421).Encode(), of.Path+"/new?key=past+7")
	return routes
}
