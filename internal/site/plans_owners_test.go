package site_test

import (
	"net/http"
	"net/url"
)

// everyOwners returns the requests that users and tokens have in common: lists, pages and forms.
func (b *bundle) everyOwners(person *client, of resource, taken url.Values) map[string][]request {
	forms := []request{
		b.formOf(person, of, http.StatusSeeOther, "made", of.command),
		b.formOf(person, of, http.StatusSeeOther, "made", of.command),          // replayed
		b.formOf(person, of, http.StatusUnprocessableEntity, "made", of.other), // mismatch
		b.formOf(person, of, http.StatusConflict, "taken", taken),
		b.formOf(person, of, http.StatusUnprocessableEntity, "invalid", change(of.command, "name", "a\u202eb")),
		b.expiry(),
		b.formOf(person, of, http.StatusUnprocessableEntity, "made", of.command),
	}
	return map[string][]request{
		"GET " + of.path: {
			looked(person, http.StatusOK, of.path), looked(person, http.StatusOK, at(of.path+"?limit=100", "", rowID(many/2), false)),
			looked(person, http.StatusOK, at(of.path+"?limit=100", "", rowID(many/2), true)),
		},
		"GET " + of.path + "/new":  gets(person, of.path+"/new?key=fresh", of.path+"/new?key=past+7"),
		"GET " + of.path + "/{id}": gets(person, of.path+"/"+rowID(8), of.path+"/"+nobody),
		"POST " + of.path:          forms,
	}
}

func (b *bundle) formOf(person *client, of resource, want int, key string, command url.Values) request {
	return request{key, want, func() answer { return person.submit(of.path, change(command, "idempotency_key", key)) }}
}
