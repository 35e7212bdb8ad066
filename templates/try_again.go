package templates

import (
	"slices"

	"github.com/a-h/templ"
)

// TryAgain is a page for requests that were not carried out, or may not have been. It has all fields of the request and can send it
// again, under the same key.
type TryAgain struct {
	// Title and Message describe the event: "Still saving", "Please wait".
	Title   string
	Message string
	// Status is the HTTP status, shown small; 0 hides it.
	Status int
	// Href is the URL to open again after a GET; Action and Fields are then unset.
	Href string
	// Action is the URL to post to again, and Fields are all posted fields, in order. A password is not kept on the page: the person
	// must type it again.
	Action string
	Fields []Field
	// Facts are the fields that a person typed, in the order of the page. The others, such as the key, mean nothing to them.
	Facts []Fact
	// Files are the labels of the fields with a file, which must be chosen again.
	Files []Field
	// LoggedOut is set if there is no session. A browser that keeps the form then opens the login.
	LoggedOut bool
	// WhenReady is set if the database could not be reached. The browser then sends the request again as soon as it can.
	WhenReady bool
	// Links are further links, such as to log in again in a new tab.
	Links []Link
}

// resend returns the fields to post again.
func (v TryAgain) resend() []Field {
	return slices.DeleteFunc(slices.Clone(v.Fields), func(f Field) bool {
		return isPassword(f.Name) || slices.ContainsFunc(v.Files, func(of Field) bool { return of.Name == f.Name })
	})
}

// isPassword reports whether a field has a password: the current one, or a new one.
func isPassword(name string) bool { return name == "password" || name == "new_password" }

// AsksPassword reports whether a password was posted.
func (v TryAgain) AsksPassword() bool { return len(v.typed("password")) > 0 }

// encoding returns the attributes for the encoding of the form.
func (v TryAgain) encoding() templ.Attributes { return Form{HasFiles: len(v.Files) > 0}.encoding() }

// fileInput returns the control for a file.
func (v TryAgain) fileInput(f Field) Input {
	in := Input{ID: f.Name, Label: f.Value}
	if names := v.typed(f.Name); len(names) > 0 {
		in.Value = names[0]
	}
	return in
}

// Fact is a labelled value for display.
type Fact struct {
	Label string
	Value string
	Href  string // the link of the value, or ""
	// Picture is set if Href is a picture, which is shown above the value.
	Picture bool
}

// typed returns all values posted under a name.
func (v TryAgain) typed(name string) []string {
	var values []string
	for _, f := range v.Fields {
		if f.Name == name {
			values = append(values, f.Value)
		}
	}
	return values
}
