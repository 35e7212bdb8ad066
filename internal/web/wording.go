package web

import (
	"cmp"
	"fmt"
	"strings"

	"onlyonce/internal/idempotency"
)

// wording is what people read about an operation. Sentences have %s where the record's name belongs.
type wording struct {
	title  string // of its form
	submit string // on its button
	did    string // what was done, such as "created"
	does   string // what a form does, such as "creates"
	idle   string // what the history says if nothing was, because it had been done before
	again  string // on the button that sends it once more, with a fresh key

	created, reused, changed, unchanged string // what came of it
	replayed                            string // and when it was sent again
}

// creating is the wording of an operation that creates, or finds, one of a resource.
func creating(one string) wording {
	return wording{
		title: "New " + one, submit: "Create " + one, did: "created", does: "creates", again: "Create as a new " + one,
		idle:    "Created again: the existing one was kept",
		created: capital(one) + " %s created.", reused: "%s already exists and was reused. Nothing was changed.",
		replayed: capital(one) + " created. We ignored the duplicate submission and kept your first request.",
	}
}

// editing is the wording of an operation that changes one of a resource.
func editing(one string) wording {
	return wording{
		title: "Edit " + one, submit: "Save changes", did: "changed", again: "Save these changes too",
		idle: "Saved without a change", changed: "Changes to %s saved.", unchanged: "Nothing to save: %s was already like this.",
		replayed: "Changes saved. We ignored the duplicate submission and kept your first request.",
	}
}

// register notes an operation of a resource. It panics on a name that is used twice, because intents are stored
// under it for life.
func register[C any, R entity](m *mounted[R], op idempotency.Operation[C, R], words wording) {
	for _, reg := range m.s.resources {
		for _, other := range reg.operations {
			if other.Name == op.Name() {
				panic("web: two operations have the name " + op.Name())
			}
		}
	}
	m.reg.operations = append(m.reg.operations, Operation{
		Name: op.Name(), Kind: op.Kind(), Table: op.Table(), Explained: op.Explained(),
	})
	m.reg.words[op.Name()] = words
	for outcome, text := range map[idempotency.Outcome]string{
		idempotency.Created: words.created, idempotency.Reused: words.reused,
		idempotency.Changed: words.changed, idempotency.Unchanged: words.unchanged,
		idempotency.Replayed: words.replayed,
	} {
		m.reg.messages[flash(op.Name(), outcome)] = text
	}
}

// flash names the message about what came of an operation. It stands in a cookie: the text does not.
func flash(operation string, outcome idempotency.Outcome) string {
	return operation + "/" + string(outcome)
}

// wordingOf gives what people read about an operation, and what the resource is called that it is one of.
func (s *Server) wordingOf(operation string) (one string, words wording) {
	for _, reg := range s.resources {
		if words, ok := reg.words[operation]; ok {
			return reg.one, words
		}
	}
	return "", wording{}
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
	return fmt.Sprintf(text, name)
}
