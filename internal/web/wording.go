package web

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
)

// Wording has the texts about an operation. Sentences have %s for the record's name.
type Wording struct {
	Title  string // of its form
	Submit string // on its button
	Did    string // the participle, such as "created"
	Does   string // the verb for a form, such as "creates"
	Idle   string // the history's text for an operation without effect
	Again  string // on the button that sends it once more, with a fresh key

	Created, Reused, Changed, Unchanged string // by outcome
	Replayed                            string // and when it was sent again
}

// creatingWords is the wording of an operation that creates, or finds, one of a resource.
func creatingWords(one string) Wording {
	return Wording{
		Title: "New " + one, Submit: "Create " + one, Did: "created", Does: "creates", Again: "Create as a new " + one,
		Idle:    "Created again: the existing one was kept",
		Created: Capital(one) + " %s created.", Reused: "%s already exists and was reused. Nothing was changed.",
		Replayed: Capital(one) + " created. We ignored the duplicate submission and kept your first request.",
	}
}

// creating is the wording of an operation that creates, or finds, one of the resource.
func (m *resource) creating() Wording {
	if m.form.Words != nil {
		return *m.form.Words
	}
	return creatingWords(m.one)
}

// editingWords is the wording of an operation that changes one of a resource.
func editingWords(one string) Wording {
	return Wording{
		Title: "Edit " + one, Submit: "Save changes", Did: "changed", Again: "Save these changes too",
		Idle: "Saved without a change", Changed: "Changes to %s saved.", Unchanged: "Nothing to save: %s was already like this.",
		Replayed: ignoredRepeat,
	}
}

// ignoredRepeat holds for any change of the record since the first request.
const ignoredRepeat = "We ignored the duplicate submission and kept your first request. This page shows the current state."

// register notes an operation of a resource. It panics on a name that is used twice, because intents are stored
// under it for life.
func (m *resource) register(op *idempotency.Definition, words Wording) {
	for _, reg := range m.s.resources {
		for _, other := range reg.operations {
			if other.Name == op.Name() {
				panic("web: two operations have the name " + op.Name())
			}
		}
	}
	m.operations = append(m.operations, Operation{
		Name: op.Name(), Kind: op.Kind(), Table: op.Table(), Explained: op.Explained(), Retain: op.Retention(),
		Deletes: op.Deletes(), Alike: m.alikeSentence(op.Alike, m.fieldName),
	})
	m.words[op.Name()] = words
	for outcome, text := range map[idempotency.Outcome]string{
		idempotency.Created: words.Created, idempotency.Reused: words.Reused,
		idempotency.Changed: words.Changed, idempotency.Unchanged: words.Unchanged,
		idempotency.Replayed: words.Replayed,
	} {
		m.messages[flash(op.Name(), outcome)] = text
	}
}

// Own registers an operation that neither a form nor the API asks for, such as that of a job.
func Own[C any, R Entity](m *Mounted[R], op idempotency.Operation[C, R], words Wording) {
	m.untyped.own(op.Definition, words)
}

func (m *resource) own(op *idempotency.Definition, words Wording) {
	m.register(op, words)
	m.operations[len(m.operations)-1].Own = true
}

// alikeSentence returns when a new record looks like a repeat, "" if none does. called returns the name of a field of the API.
func (m *resource) alikeSentence(alike func() ([]string, time.Duration), called func(field string) string) string {
	lines, within := alike()
	if lines == nil {
		return ""
	}
	var same []string
	for _, line := range lines {
		fields := strings.Fields(line)
		for i, name := range fields {
			fields[i] = called(name)
		}
		last := len(fields) - 1
		text := fields[last]
		if last > 0 {
			text = strings.Join(fields[:last], ", ") + " and " + text
		}
		same = append(same, "the same "+text)
	}
	return fmt.Sprintf("A new %s looks like a repeat of one that was created in the %d minutes before with %s.",
		m.one, int(within.Minutes()), strings.Join(same, ", or "))
}

// fieldName returns the label of a field of the API.
func (m *resource) fieldName(name string) string {
	for _, f := range m.form.Fields {
		if f.Name == name {
			return strings.ToLower(f.Value[:1]) + f.Value[1:]
		}
	}
	name, _, _ = strings.Cut(strings.TrimSuffix(name, "_id"), ".")
	return strings.ReplaceAll(name, "_", " ")
}

// flash returns the name of the message about an outcome. The cookie has the name, not the text.
func flash(operation string, outcome idempotency.Outcome) string {
	return operation + "/" + string(outcome)
}

// wordingOf returns the wording of an operation, and the name of its resource.
func (s *Server) wordingOf(operation string) (one string, words Wording) {
	if reg := s.resourceWith(operation); reg != nil {
		return reg.one, reg.words[operation]
	}
	return "", Wording{}
}

// resourceWith returns the resource of an operation, or nil if the program doesn't have the operation any more.
func (s *Server) resourceWith(operation string) *resource {
	for _, reg := range s.resources {
		if _, ok := reg.words[operation]; ok {
			return reg
		}
	}
	return nil
}

// Once returns the text for a record that an operation created, such as "Created once".
func (s *Server) Once(operation string) string {
	_, words := s.wordingOf(operation)
	return Capital(words.Did) + " once"
}

// message is the text of a flash on the page of a record, or "" for one that is none.
func (s *Server) message(flash, name string) string {
	text := ""
	for _, reg := range s.resources {
		text = cmp.Or(text, reg.messages[flash])
	}
	if !strings.Contains(text, "%s") {
		return text
	}
	before, _, _ := strings.Cut(text, " %s")
	return fmt.Sprintf(text, strings.TrimPrefix(name, before+" ")) // "Closing through 31 Oct 2026 reopened."
}

// OperationTitle returns the displayed name of an operation, such as "New invoice", or its stored name if the program doesn't have it any
// more.
func (s *Server) OperationTitle(operation string) string {
	_, words := s.wordingOf(operation)
	return cmp.Or(words.Title, operation)
}

// RecordURL returns the page of an operation's record, or "" if the program doesn't have the operation any more. A resource with one record
// per tenant uses the tenant's id.
func (s *Server) RecordURL(operation string, tenant, id uuid.UUID) string {
	switch reg := s.resourceWith(operation); {
	case reg == nil:
		return ""
	case id == tenant:
		return "/" + reg.many
	default:
		return "/" + reg.many + "/" + id.String()
	}
}
