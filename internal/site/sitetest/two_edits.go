package sitetest

import (
	"strings"
)

// Two people edit a record, each in another form: a field that only one person changed is kept, and the form asks about a
// field that both changed. TestEveryCheck/FormsChangeNothingByThemselves checks for every resource that an untouched field is never
// reverted.

// TwoEdits are a record and two people who have opened its form.
type TwoEdits struct {
	*Bundle

	First, Second *Client
	Form          Page
	Path          string
}

// Opened returns two people who have opened the form of a record.
func (b *Bundle) Opened(path string) TwoEdits {
	b.Helper()
	path = strings.TrimPrefix(path, "/api/v1")
	e := TwoEdits{b, b.Person(b.Replica, b.Acme), b.Person(b.Replica, b.Acme), Page{}, path}
	e.Form = b.Page(e.Second.Get(e.Second.Get(path + "/edit").Location()))
	return e
}

// Save sends the form as it was opened, with some fields changed.
func (e TwoEdits) Save(who *Client, key string, changes ...string) Answer {
	e.Helper()
	form := Change(e.Form.Typed(), append(changes, "idempotency_key", key)...)
	return who.Submit(e.Path+"/edit", form)
}
