package web

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/file"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
	"onlyonce/internal/value/money"
	"onlyonce/internal/web/apidoc"
	"onlyonce/templates"
)

// historyLength is the number of entries on a record's page.
const historyLength = 10

// history returns the newest entries of a record's history.
func (m *resource) history(r *http.Request, id uuid.UUID) (record.List[idempotency.Entry], error) {
	return m.historyPage(r, id, record.Page{Limit: historyLength}, m.shown.Beside)
}

// historyPage reads a page of a record's history. Singletons share their id, so a singleton's history has its own operations only.
func (m *resource) historyPage(
	r *http.Request, id uuid.UUID, page record.Page, beside idempotency.Beside,
) (record.List[idempotency.Entry], error) {
	var own []string
	if m.singleton {
		own = slices.Sorted(maps.Keys(m.words))
	}
	return idempotency.History(r.Context(), m.s.Pool, Principal(r).Tenant, id, page, beside, own...)
}

// Changed are changed fields of a record, with the JSON of their old and new values.
type Changed = map[string][2]json.RawMessage

// entries puts the history of a record into words.
func (m *resource) entries(r *http.Request, found Entity, history []idempotency.Entry) (entries []templates.HistoryEntry) {
	describe := func(Changed) []templates.HistoryChange { return nil }
	if m.shown.Changes != nil {
		describe = m.shown.Changes(found)
	}
	for _, e := range history {
		shown := templates.HistoryEntry{By: e.Actor, At: Moment(r, e.At)}
		owner, words := m.s.wordingOf(e.Operation)
		switch idempotency.Outcome(e.What) {
		case idempotency.Created:
			shown.Text, shown.Key = m.s.Once(e.Operation), e.Key
		case idempotency.Changed:
			shown.Text = Capital(words.Did)
			shown.Changes = slices.Concat(
				m.changes(e.Changes), m.referenceChanges(e.Changes), m.lineChanges(e.Changes), describe(e.Changes))
		case idempotency.Reused, idempotency.Unchanged:
			shown.Text = words.Idle
		default: // a side effect of an operation, or an entry of [RecordPage.Beside]
			shown.Text = Capital(m.what(found, e))
			if strings.HasSuffix(e.What, " created") { // it came along
				shown.Text += " with a new " + owner
			}
		}
		entries = append(entries, shown)
	}
	return entries
}

// what returns the text of an entry's action.
func (m *resource) what(found Entity, e idempotency.Entry) string {
	if e.Details == nil {
		return e.What
	}
	return m.shown.BesideText(found, e)
}

// changes returns the changes of form fields, with their labels.
func (m *resource) changes(fields Changed) (changes []templates.HistoryChange) {
	was, is := url.Values{}, url.Values{}
	for name, values := range fields {
		was.Set(name, m.plain(name, values[0]))
		is.Set(name, m.plain(name, values[1]))
	}
	for _, row := range versions(m.facts(was), m.facts(is)) {
		if row.Changed != templates.Same {
			changes = append(changes, templates.HistoryChange{Label: row.Label, Was: row.Saved, Is: row.Typed})
		}
	}
	return changes
}

// plain returns the value of a field for reading: the name of a file.
func (m *resource) plain(name string, value json.RawMessage) string {
	if _, isFile := m.form.Files[name]; isFile {
		return Decoded[file.Stored](value).Name
	}
	return plain(value)
}

// plain is a JSON value for reading; null is "".
func plain(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return string(value) // a number, for example
	}
	return text
}

// referenceChanges returns the changes of references, with the names that the records had.
func (m *resource) referenceChanges(fields Changed) (changes []templates.HistoryChange) {
	for _, field := range m.form.Fields {
		values, ok := fields[strings.TrimSuffix(field.Name, "_id")]
		if _, refers := m.form.References[field.Name]; refers && ok {
			changes = append(changes, templates.HistoryChange{
				Label: field.Value, Was: Decoded[record.Reference](values[0]).Name, Is: Decoded[record.Reference](values[1]).Name,
			})
		}
	}
	return changes
}

// lineChanges reports that lines changed.
func (m *resource) lineChanges(fields Changed) (changes []templates.HistoryChange) {
	if _, ok := fields[m.form.Lines.Name]; ok {
		changes = append(changes, templates.HistoryChange{Label: m.form.Lines.Label})
	}
	return changes
}

// DescribeChanges puts into words the changes of fields that are stored in another form than people type them.
type DescribeChanges func(Changed) []templates.HistoryChange

// InTurn lists the changes of each, one after the other.
func InTurn(all ...DescribeChanges) DescribeChanges {
	return func(fields Changed) (changes []templates.HistoryChange) {
		for _, each := range all {
			changes = append(changes, each(fields)...)
		}
		return changes
	}
}

// AmountChanges describes the changes of an amount, by the names of its field and of that of its currency. Amounts are in the
// currency of their time, so it goes back from the newest change, when the currency is the one that is.
func AmountChanges(label, amount, code string, currency money.Currency) DescribeChanges {
	return func(fields Changed) []templates.HistoryChange {
		is, was := currency, currency
		if values, ok := fields[code]; ok {
			was = Decoded[money.Currency](values[0])
		}
		currency = was
		values, ok := fields[amount]
		if !ok {
			return nil
		}
		return []templates.HistoryChange{{
			Label: label, Was: AmountText(was, Decoded[int64](values[0])), Is: AmountText(is, Decoded[int64](values[1])),
		}}
	}
}

// Decoded returns a value of the database, which is JSON. What cannot be read, such as a value from before a release that
// changed its type, is the zero value.
func Decoded[T any](value json.RawMessage) (v T) {
	_ = json.Unmarshal(value, &v)
	return v
}

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
		if err != nil {
			return err
		}
		id, _ := found.Identity()
		return m.s.Render(w, r, http.StatusOK, templates.HistoryPage(m.s.Page(w, r), templates.HistoryView{
			Of: templates.Record{Name: m.name(found), Href: m.url(id)}, Entries: m.entries(r, then, list.Rows), Pager: PagerOf(r, list),
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
		return m.historyPage(r, id, page, m.shown.Beside)
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
	later, err := idempotency.Before(r.Context(), m.s.Pool, Principal(r).Tenant, map[uuid.UUID]time.Time{id: list.Rows[0].At})
	return m.then(found, later[id]), err
}

// then returns a record with other values of some fields.
func (m *resource) then(found Entity, values map[string]json.RawMessage) Entity {
	fields := fieldsOfRecord(found)
	maps.Copy(fields, values)
	return m.recordOf(fields)
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
