package templates

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
)

// Form has the common data of all forms that carry out an operation. A form is empty, has the values of a record to change, or came
// back with a [Notice] or errors.
type Form struct {
	// Title is the heading, such as "New customer", and Submit the text of the main button.
	Title  string
	Submit string
	// Also is another button that sends the form, with its own field; zero for none. Enter presses the main one.
	Also Submit
	// One is the kind of record that the form creates or changes, such as "customer".
	One string
	// Action is the URL that the form is sent to, and Href the URL that opens it, without the key.
	Action string
	Href   string
	// LinesHref shows the form with its current values, with a line more or less, or with the result of a search for a reference; "" for a
	// form with neither.
	LinesHref string
	// Key is the idempotency key, and Owner the tenant that the intent belongs to.
	Key   string
	Owner Owner
	// KeptFor names the person for whom the browser keeps unsaved input; "" if it keeps none.
	KeptFor string
	// Version is the version of the record to change, as the person sees it; 0 in a form that creates.
	Version int
	// HasFiles is set if a field takes a file. Its value is then the name of the file.
	HasFiles bool
	// Typed has the values of the fields, by their names.
	Typed url.Values
	// SavedFiles has, for each field with a file, whether the record has one. It is nil in a form that came back.
	SavedFiles map[string]bool
	// Offers are the records for the fields that refer to some, by the names of the fields.
	Offers map[string]Choices
	// Notice and Errors are the reasons why the form came back. Blamed are fields that a notice is about.
	Notice *Notice
	Errors FieldErrors
	Blamed FieldErrors
	// Used is the display name of the record that this form has created before, or "".
	Used string
	// AllowRepeat is the name of the button "Create anyway" if it was pressed before, or "".
	AllowRepeat string
	// Focus is the id of the control that has the focus first; "" means the first one.
	Focus string
	// Versions compares the saved values with those of the form after a concurrent edit; nil if there is none.
	Versions []VersionRow
	// Saved has the saved values that the person may keep.
	Saved []Field
	// Meanwhile is the history of the record since this form was opened.
	Meanwhile []HistoryEntry
	// Cancel is the URL of the link that leaves the form.
	Cancel string
}

// VersionRow compares one field of a record: its saved value and the one in this form.
type VersionRow struct {
	Label   string
	Saved   string
	Typed   string
	Changed ChangedBy
	// Keep is the name of the field if the person may keep its saved value; "" otherwise.
	Keep string
}

// ChangedBy describes who has changed a field that differs, as text of the page.
type ChangedBy string

// The values of ChangedBy since the form was opened.
const (
	Same        ChangedBy = "" // no difference
	Differs     ChangedBy = "Differs"
	TheyChanged ChangedBy = "Changed by them"
	YouChanged  ChangedBy = "Changed by you"
	BothChanged ChangedBy = "Changed by both"
)

// CameBack reports whether the form was sent and refused.
func (f Form) CameBack() bool { return f.Notice != nil || len(f.Errors) > 0 }

// encoding returns the attributes for the encoding of the form.
func (f Form) encoding() templ.Attributes {
	if f.HasFiles {
		return templ.Attributes{"enctype": "multipart/form-data"}
	}
	return nil
}

// busy returns the text of the main button after a click.
func (f Form) busy() string {
	if f.HasFiles {
		return "Uploading…"
	}
	return "Saving…"
}

// URL returns the URL that opens the form under its key. If the key was used, the page shows that.
func (f Form) URL() string { return f.Href + "?" + url.Values{"key": {f.Key}}.Encode() }

// unsaved returns the words for the unsaved input.
func (f Form) unsaved() string {
	if f.Version != 0 {
		return "unsaved changes"
	}
	return "an unsaved " + f.One
}

// The names of fields that forms have besides those of their records.
const (
	KeyField        = "idempotency_key"
	FreshKeyField   = "fresh_key" // of a button that sends the form under another key
	VersionField    = "version"
	TenantField     = "tenant"
	TenantNameField = "tenant_name"
	UseTenantField  = "use_tenant" // of the button that creates the record for the tenant that is logged in
	UsedField       = "used_name"  // see Form.Used
	KeepSavedField  = "keep_saved" // see VersionRow.Keep
)

// fields returns the hidden fields.
func (f Form) fields() []Field {
	fields := append([]Field{{Name: KeyField, Value: f.Key}}, f.Owner.Fields()...)
	if f.Version != 0 {
		fields = append(fields, Field{Name: VersionField, Value: strconv.Itoa(f.Version)})
	}
	fields = append(fields, f.Saved...)
	if f.Used != "" {
		fields = append(fields, Field{Name: UsedField, Value: f.Used})
	}
	if f.AllowRepeat != "" {
		fields = append(fields, Field{Name: f.AllowRepeat, Value: "1"})
	}
	for _, name := range slices.Sorted(maps.Keys(f.Typed)) { // keep earlier answers, unless the notice asks again
		if strings.HasPrefix(name, answerPrefix) && !f.Notice.asks(name) {
			fields = append(fields, Field{Name: name, Value: f.Typed.Get(name)})
		}
	}
	return fields
}

// answerPrefix begins the names of fields with answers to conflicts, which the form keeps.
const answerPrefix = "answer_"

// Input returns a control with its value and its error. It has the focus if it asks for it, unless a notice or an error summary has it.
func (f Form) Input(in Input) Input {
	in.Value = f.Typed.Get(in.name())
	in.Error, in.Readings = f.Wrong(in.ID), f.Errors.first(in.ID).Readings
	in.Focus = in.Focus && !f.CameBack()
	return in
}

// Wrong returns the error of a control, by its id, or a notice's text about it.
func (f Form) Wrong(id string) string { return cmp.Or(f.Blamed.Of(id), f.Errors.Of(id)) }

// Owner is the tenant for which a form was opened. Another tab may log in as another tenant before the form is sent.
type Owner struct {
	ID   string
	Name string
}

// Fields returns the owner as fields of the form. They include the name, because a message needs it and a session can't look up another
// tenant.
func (o Owner) Fields() []Field {
	return []Field{{Name: TenantField, Value: o.ID}, {Name: TenantNameField, Value: o.Name}}
}
