package web

import (
	"net/http"
	"net/url"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
)

// Create registers an operation that creates records, or finds those with the same natural key, once per key:
// its form at /new, and POST. fresh gives what stands in a new form; nil leaves it blank. conflicts are those besides the
// rules'.
func Create[C any, R Entity](
	m *Mounted[R], summary string, op idempotency.Operation[C, R], c Command[C],
	fresh func(*http.Request) (url.Values, error), conflicts ...*conflict.Kind,
) {
	if fresh == nil {
		fresh = func(*http.Request) (url.Values, error) { return url.Values{}, nil }
	}
	words := creatingWords(m.One)
	if m.form.Words != nil {
		words = *m.form.Words
	}
	register(m, op, words)
	documentChange(m, op, c, endpoint{
		method: http.MethodPost, path: m.createPath(), summary: summary, repeats: "replays the first answer",
	}, conflicts)
	m.pages.read(m.createPath()+"/new", m.openNew(words, op.Used, fresh))
	operation(m.pages, http.MethodPost, m.createPath(), m.s, op, htmlFormat(m, op, words, c))
	operation(m.api, http.MethodPost, m.createPath(), m.s, op, jsonFormat(m, op, c))
}

// Change registers an operation that changes a record, once per key and only the version that was seen: its
// form at /{id}/edit, and in the API PUT, which replaces the record, or PATCH.
func Change[C any, R Entity](
	m *Mounted[R], method, summary string, op idempotency.Operation[C, R], c Command[C], conflicts ...*conflict.Kind,
) {
	words := editingWords(m.One)
	register(m, op, words)
	documentChange(m, op, c, endpoint{
		method: method, path: m.recordPath(), summary: summary + " If-Match names the version that you have seen.",
		repeats: "replays the first answer; without a key, 412",
	}, conflicts)
	m.pages.read(m.recordPath()+"/edit", m.openEdit(words, op.Used))
	operation(m.pages, http.MethodPost, m.recordPath()+"/edit", m.s, op, htmlFormat(m, op, words, c))
	operation(m.api, method, m.recordPath(), m.s, op, jsonFormat(m, op, c))
}

// Transition registers an operation that brings a record into a state: POST /{id}/<verb>. past is the verb's
// participle, such as "archived".
func Transition[C any, R Entity](
	m *Mounted[R], verb, past, summary string, op idempotency.Operation[C, R], c Command[C], conflicts ...*conflict.Kind,
) {
	words := Wording{
		Title: Capital(verb) + " " + m.One, Did: past, Idle: Capital(past) + " again: nothing changed",
		Changed: Capital(m.One) + " %s " + past + ".", Unchanged: "%s was already " + past + ".",
		Replayed: Capital(m.One) + " " + past + ". We ignored the duplicate submission and kept your first request.",
	}
	register(m, op, words)
	path := m.recordPath() + "/" + verb
	documentChange(m, op, c, endpoint{method: http.MethodPost, path: path, summary: summary, repeats: "does nothing more"}, conflicts)
	operation(m.pages, http.MethodPost, path, m.s, op, htmlFormat(m, op, words, c))
	operation(m.api, http.MethodPost, path, m.s, op, jsonFormat(m, op, c))
}
