package templates

import (
	"cmp"
	"slices"
)

// Notice is shown above a form that was not saved, with the reason and the next steps. The form below still has all input.
type Notice struct {
	// Kind sets the look: a decision, or an error.
	Kind NoticeKind
	// Title and Text are read as one paragraph.
	Title string
	Text  string
	// Links lead to other pages, usually to the record that exists.
	Links []Link
	// Submits are buttons that post this same form, with one more field or as it is.
	Submits []Submit
}

// asks reports whether one of the buttons sends a field.
func (n *Notice) asks(name string) bool {
	return n != nil && slices.ContainsFunc(n.Submits, func(s Submit) bool { return s.Name == name })
}

// NoticeKind is the look of a [Notice].
type NoticeKind string

// The looks of a notice.
const (
	NoticeConflict NoticeKind = "conflict" // a decision is needed
	NoticeFailure  NoticeKind = "error"    // it failed this time
)

// Submit is a submit button. Without a Name it sends the form as it is.
type Submit struct {
	Text  string
	Name  string
	Value string
}

// Record is an existing record in a notice.
type Record struct {
	Name string // "2026-0042", "Ada Byron"
	Href string
}

func (r Record) open() Link { return Link{Text: "Open " + r.Name, Href: r.Href} }

// Conflict is the notice of a conflict. It links to the record in conflict if that can be shown. The submits are the next steps.
func Conflict(title, text string, existing Record, submits []Submit) *Notice {
	notice := &Notice{Kind: NoticeConflict, Title: title, Text: text, Submits: submits}
	if existing.Href != "" {
		notice.Links = []Link{existing.open()}
	}
	return notice
}

// Stale is the notice of a record that was changed since the form was opened: one button saves both edits together, and a link leaves
// the record unchanged. rows compare the two.
func Stale(existing Record, rows []VersionRow) *Notice {
	title := existing.Name + " was changed while you were editing."
	by := func(who ChangedBy) bool {
		return slices.ContainsFunc(rows, func(row VersionRow) bool { return row.Changed == who })
	}
	var text, save string
	switch {
	case by(BothChanged):
		text = "You both changed the same fields. Tick what's saved to keep it; everything else is saved as in your form."
		save = "Save as chosen"
	case by(YouChanged):
		text, save = "You changed different fields, so your form now has both changes.", "Save both"
	default:
		return Conflict(title, "What you typed is already saved, so there's nothing left to save.", existing, nil)
	}
	notice := Conflict(title, "Your changes aren't saved yet. "+text, existing, []Submit{{Text: save}})
	notice.Links[0].Text = "Keep what is saved"
	return notice
}

// FormSpent is the notice of a form whose key was used before, with other contents. did is the effect of the first one, such as
// "created". The button sends the form with a fresh key.
func FormSpent(did string, existing Record, again Submit) *Notice {
	return Conflict("This form already "+did+" "+existing.Name+".", "Your changes weren't saved.", existing, []Submit{again})
}

// ChangesSpent is FormSpent for a form that changes a record: the page compares the saved values with the later input.
func ChangesSpent(existing Record, again Submit) *Notice {
	return Conflict("This form already saved changes to "+existing.Name+".", "What you typed after that wasn't saved.", existing,
		[]Submit{again})
}

// OtherTenant is the notice of a form that was opened for one tenant, by a person who is now logged in to another one. If the form
// creates a record, a button creates it there deliberately.
func OtherTenant(form, now Owner, creates bool) *Notice {
	name := cmp.Or(form.Name, "another business")
	n := &Notice{
		Kind:  NoticeConflict,
		Title: "This form belongs to " + name + ", and you are now logged in as " + now.Name + ".",
		Text: "Nothing was saved. To save it for " + name + ", log in as " + name + " in a new tab, then come back and " +
			"submit this form again.",
		Links: []Link{{Text: "Log in as " + name, Href: "/login?switch", NewTab: true}},
	}
	if creates {
		n.Submits = []Submit{{Text: "Create it for " + now.Name, Name: UseTenantField, Value: now.ID}}
	}
	return n
}

// NoKey is the notice of a form that came without its key, so that a repeat could not be recognised. The button sends it with freshKey.
func NoKey(freshKey string) *Notice {
	return failure("This form's key is missing or wrong, so nothing was saved.",
		"The key keeps the same form from being saved twice. Check the form, then send it with a new key.",
		Submit{Text: "Send with a new key", Name: FreshKeyField, Value: freshKey})
}

// tryAgain sends the same form under the same key.
func tryAgain() Submit { return Submit{Text: "Try again"} }

// Unconfirmed is the notice of a form that may or may not have been saved.
func Unconfirmed() *Notice {
	return failure("We couldn't confirm that this was saved.", "Trying again is safe: nothing is created twice.", tryAgain())
}

// StillSaving is the notice of a form whose first submission has not finished.
func StillSaving() *Notice {
	return failure("Still saving.", "Your first submission hasn't finished. Trying again is safe.", tryAgain())
}

// Busy is the notice of a form that was not saved because it waited too long for a lock.
func Busy() *Notice {
	return failure("Busy.", "Saving took too long, so nothing was saved. Trying again is safe.", tryAgain())
}

func failure(title, text string, again Submit) *Notice {
	return &Notice{Kind: NoticeFailure, Title: title, Text: text, Submits: []Submit{again}}
}
