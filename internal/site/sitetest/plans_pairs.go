package sitetest

import (
	"net/http"
	"net/url"
)

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
