package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"onlyonce/internal/file"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
	"onlyonce/internal/value/money"
	"onlyonce/templates"
)

// historyLength is the number of entries on a record's page.
const historyLength = 10

// history returns the newest entries of a record's history.
func (m *resource) history(r *http.Request, id uuid.UUID) (record.List[idempotency.Entry], error) {
	return idempotency.History(r.Context(), m.s.Pool, Principal(r).Tenant, id, record.Page{Limit: historyLength}, m.shown.Beside)
}

// Changed are changed fields of a record, with the JSON of their old and new values.
type Changed = map[string][2]json.RawMessage

// entries puts the history of a record into words.
func (m *resource) entries(found Entity, history []idempotency.Entry) (entries []templates.HistoryEntry) {
	describe := func(Changed) []templates.HistoryChange { return nil }
	if m.shown.Changes != nil {
		describe = m.shown.Changes(found)
	}
	for _, e := range history {
		shown := templates.HistoryEntry{By: e.Actor, At: Moment(e.At)}
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
