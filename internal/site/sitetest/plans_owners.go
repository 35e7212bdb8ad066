package sitetest

import (
	"net/http"
	"net/url"
)

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
