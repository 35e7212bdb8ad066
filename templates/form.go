package templates

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Form is what all forms have in common that carry out an operation: fresh, filled with a record that is to be
// changed, or as it came back with a [Notice] or errors.
type Form struct {
	// Title heads the page, such as "New customer", and Submit is on the main button.
	Title  string
	Submit string
	// Also is another button that sends the form, with a field of its own; zero for none. Enter presses the main one.
	Also Submit
	// One is what the form makes or changes, such as "customer".
	One string
	// Action is where the form is sent, and Href where it is opened, without the key.
	Action string
	Href   string
	// LinesHref shows the form again as it is sent, or with a line more or less; "" for a form without lines.
	LinesHref string
	// Key is the idempotency key of this intent, and Owner whose intent it is.
	Key   string
	Owner Owner
	// KeptFor names the person for whom the browser keeps what is typed, until it is saved; "" if it keeps nothing.
	KeptFor string
	// Version is that of the record that is to be changed, as the person sees it; 0 in a form that creates.
	Version int
	// Typed has what stands in the fields, by their names.
	Typed url.Values
	// Offers are the records that the fields offer that refer to one.
	Offers map[string][]Option
	// Notice and Errors say why the form came back. Blamed are fields that a notice is about.
	Notice *Notice
	Errors FieldErrors
	Blamed FieldErrors
	// Used is what people call the record that this form has created before, or "".
	Used string
	// AllowRepeat keeps a "Create anyway" that was already given.
	AllowRepeat bool
	// Focus is the id of the control to start in; "" starts in the first one.
	Focus string
	// Versions are what somebody else has saved meanwhile and what was typed here; nil if there is nothing to
	// compare.
	Versions []VersionRow
	// Saved is what is saved in the fields of which the person may keep that.
	Saved []Field
	// Meanwhile is what somebody else has done to the record since this form was opened.
	Meanwhile []HistoryEntry
	// Cancel is where the page leads on without the form.
	Cancel string
}

// VersionRow compares one field of a record, as it is saved now and as it stands in this form.
type VersionRow struct {
	Label   string
	Saved   string
	Typed   string
	Changed ChangedBy
	// Keep is the field of which the person may keep what is saved; "" where nothing is asked.
	Keep string
}

// ChangedBy is who has changed a field that differs, in the words of the page.
type ChangedBy string

// Who may have changed a field since the form was opened.
const (
	Same        ChangedBy = "" // it does not differ
	Differs     ChangedBy = "Differs"
	TheyChanged ChangedBy = "Changed by them"
	YouChanged  ChangedBy = "Changed by you"
	BothChanged ChangedBy = "Changed by both"
)

// CameBack reports whether the form was sent and refused.
func (f Form) CameBack() bool { return f.Notice != nil || len(f.Errors) > 0 }

// URL returns where the form is opened under its key. Opened again, it shows whether the form is used.
func (f Form) URL() string { return f.Href + "?" + url.Values{"key": {f.Key}}.Encode() }

// unsaved is what people call what was typed and not saved.
func (f Form) unsaved() string {
	if f.Version != 0 {
		return "unsaved changes"
	}
	return "an unsaved " + f.One
}

// fields are what is not shown.
func (f Form) fields() []Field {
	fields := append([]Field{{Name: "idempotency_key", Value: f.Key}}, f.Owner.fields()...)
	if f.Version != 0 {
		fields = append(fields, Field{Name: "version", Value: strconv.Itoa(f.Version)})
	}
	fields = append(fields, f.Saved...)
	if f.Used != "" {
		fields = append(fields, Field{Name: "used_name", Value: f.Used})
	}
	if f.AllowRepeat {
		fields = append(fields, Field{Name: "allow_repeat", Value: "1"})
	}
	for _, name := range slices.Sorted(maps.Keys(f.Typed)) { // what was answered is not asked again, unless the notice asks it
		if strings.HasPrefix(name, answerPrefix) && !f.Notice.asks(name) {
			fields = append(fields, Field{Name: name, Value: f.Typed.Get(name)})
		}
	}
	return fields
}

// answerPrefix begins the names of the fields with which the ways of a conflict answer it, where the form keeps the answer.
const answerPrefix = "answer_"

// Input returns a control with what was typed into it and what is wrong with it. It begins with the focus if it
// asks for it, unless a notice or an error summary takes it.
func (f Form) Input(in Input) Input {
	in.Value = f.Typed.Get(in.name())
	in.Error = f.Wrong(in.ID)
	in.Focus = in.Focus && !f.CameBack()
	return in
}

// Wrong returns what is wrong with the control with an id, or what a notice says about it.
func (f Form) Wrong(id string) string { return cmp.Or(f.Blamed.Of(id), f.Errors.Of(id)) }

// Owner is the tenant that a form belongs to: the one that it was shown to. Another tab may log in as another
// one before the form is sent.
type Owner struct {
	ID   string
	Name string
}

// fields carry the owner with the form. The name is there for the message, so that nothing has to be looked
// up of a tenant that somebody is not logged in as.
func (o Owner) fields() []Field {
	return []Field{{Name: "tenant", Value: o.ID}, {Name: "tenant_name", Value: o.Name}}
}
