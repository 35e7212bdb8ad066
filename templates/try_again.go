package templates

import "slices"

// TryAgain is a page for requests that were not carried out, or of which
// nobody knows: it carries what was sent and can send it again, under the
// same key.
type TryAgain struct {
	// Title and Message say what happened: "Still saving", "Please wait".
	Title   string
	Message string
	// Status is the HTTP status, shown small; 0 hides it.
	Status int
	// Href is what to open again after a GET; Action and Fields are then unset.
	Href string
	// Action is where to post again, and Fields everything that was posted, in
	// order. A password is not kept on the page: it is asked for again.
	Action string
	Fields []Field
	// Facts are those that people typed, in the order of the page; the others, such as the key, mean nothing to
	// them.
	Facts []Fact
	// LoggedOut is set if the reason is that nobody is logged in. A browser that keeps the form leads to the login by itself.
	LoggedOut bool
	// WhenReady is set if the database could not be reached. The browser then sends it again when it can.
	WhenReady bool
	// Links are further ways on, such as logging in again in a new tab.
	Links []Link
}

// resend is what the form posts again.
func (v TryAgain) resend() []Field {
	return slices.DeleteFunc(slices.Clone(v.Fields), func(f Field) bool { return isPassword(f.Name) })
}

// isPassword reports whether a field has a password: the current one, or a new one.
func isPassword(name string) bool { return name == "password" || name == "new_password" }

// AsksPassword reports whether a password was posted.
func (v TryAgain) AsksPassword() bool { return len(v.typed("password")) > 0 }

// Fact is something that a person typed, for reading.
type Fact struct {
	Label string
	Value string
	Href  string // where the value leads on to, or ""
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
