package web

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"time"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
	"onlyonce/internal/web/apidoc"
	"onlyonce/templates"
)

// eventJSON is an entry of a record's history in the API.
type eventJSON struct {
	At        time.Time         `json:"at"`
	Actor     string            `json:"actor" doc:"The name of a user or token; empty if unknown."`
	Operation string            `json:"operation"`
	What      string            `json:"what" doc:"created, reused, changed, unchanged, or what was done besides its own record."`
	Key       string            `json:"key,omitzero" doc:"The idempotency key that created the record."`
	Changes   []fieldChangeJSON `json:"changes,omitzero" doc:"The fields that have changed since."`
}

// fieldChangeJSON is a member of the record as the API shows it, before and after; null if there was, or is, none.
type fieldChangeJSON struct {
	Field string `json:"field"`
	From  any    `json:"from"`
	To    any    `json:"to"`
}

// events registers the whole history of a record, newest first: GET /{id}/events, for people and in the API.
func (m *resource) events() {
	path := m.recordPath() + "/events"
	m.document(apidoc.Endpoint{
		Method: http.MethodGet, Path: path, Name: m.many + ".events", Repeats: "reads", Rows: "events",
		Summary: "What happened to one " + m.one + ", newest first.", Gives: reflect.TypeFor[eventJSON](), Schema: "Event",
	})
	m.pages.read(path, func(w http.ResponseWriter, r *http.Request) error {
		found, then, list, err := m.eventsOf(r)
		if errors.As(err, new(*invalid.Error)) {
			return ErrNotFound
		}
		if err != nil {
			return err
		}
		id, _ := found.Identity()
		return m.s.Render(w, r, http.StatusOK, templates.HistoryPage(m.s.Page(w, r), templates.HistoryView{
			Of: templates.Record{Name: m.name(found), Href: m.url(id)}, Entries: m.entries(then, list.Rows), Pager: PagerOf(r, list),
		}))
	})
	m.api.read(path, func(w http.ResponseWriter, r *http.Request) error {
		_, then, list, err := m.eventsOf(r)
		if err != nil {
			return err
		}
		return writeList(w, r, "events", m.eventsJSON(then, list.Rows), list.Before, list.After)
	})
}

// eventsOf reads a page of the history of the record that the path names, which is found now, and was then as it is asOf that page.
func (m *resource) eventsOf(r *http.Request) (found, then Entity, list record.List[idempotency.Entry], err error) {
	if found, err = m.find(r); err != nil {
		return found, then, list, err
	}
	id, _ := found.Identity()
	list, err = PageOf(r, func(r *http.Request, page record.Page) (record.List[idempotency.Entry], error) {
		return idempotency.History(r.Context(), m.s.Pool, Principal(r).Tenant, id, page, m.shown.Beside)
	})
	if err == nil {
		then, err = m.asOf(r, found, list)
	}
	return found, then, list, err
}

// asOf returns a record with the fields that later pages of its history changed reset to their values then: amounts are shown in the
// currency of their time.
func (m *resource) asOf(r *http.Request, found Entity, list record.List[idempotency.Entry]) (Entity, error) {
	if (list.Before == record.Key{}) || len(list.Rows) == 0 {
		return found, nil
	}
	id, _ := found.Identity()
	later, err := idempotency.Before(r.Context(), m.s.Pool, Principal(r).Tenant, id, list.Rows[0])
	if err != nil {
		return found, err
	}
	fields := fieldsOfRecord(found)
	maps.Copy(fields, later)
	return m.recordOf(fields), nil
}

// eventsJSON shows a page of a history that begins with a record as it was then.
func (m *resource) eventsJSON(then Entity, entries []idempotency.Entry) []eventJSON {
	shown := make([]eventJSON, 0, len(entries))
	state := fieldsOfRecord(then)
	for _, e := range entries {
		event := eventJSON{At: e.At, Actor: e.Actor, Operation: e.Operation, What: m.what(then, e)}
		if e.What == string(idempotency.Created) {
			event.Key = e.Key
		}
		is, was := maps.Clone(state), maps.Clone(state)
		for name, values := range e.Changes {
			was[name], is[name] = values[0], values[1]
		}
		before, after := m.members(was), m.members(is)
		for _, name := range slices.Sorted(maps.Keys(e.Changes)) {
			if from, to := before[name], after[name]; from != nil || to != nil {
				event.Changes = append(event.Changes, fieldChangeJSON{name, from, to})
			}
		}
		state = was
		shown = append(shown, event)
	}
	return shown
}

// fieldsOfRecord are the fields of a record as the database has them.
func fieldsOfRecord(found Entity) (fields map[string]json.RawMessage) {
	text, err := json.Marshal(found)
	if err == nil {
		err = json.Unmarshal(text, &fields)
	}
	if err != nil {
		panic(err) // cannot be: it was decoded from JSON
	}
	return fields
}

// recordOf is the record with some fields. What cannot be read, such as a value from before a release that changed its
// type, is left out.
func (m *resource) recordOf(fields map[string]json.RawMessage) Entity {
	text, err := json.Marshal(fields)
	if err != nil {
		panic(err) // cannot be: it is JSON
	}
	found, _ := m.decode(text)
	return found
}

// members returns the API's JSON members of a record with some fields.
func (m *resource) members(fields map[string]json.RawMessage) (members map[string]any) {
	text, err := json.Marshal(m.view(m.recordOf(fields)))
	if err == nil {
		err = json.Unmarshal(text, &members)
	}
	if err != nil {
		panic(err) // impossible: the API encodes it too
	}
	return members
}
