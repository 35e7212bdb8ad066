package peopleviews

import (
	"github.com/a-h/templ"

	"onlyonce/templates"
)

// KeptField is the name of the field for Login.Kept.
const KeptField = "kept"

// ReadyField is the name of the parameter for Login.Ready.
const ReadyField = "ready"

// Login is the login form, as first shown or as it came back.
type Login struct {
	// Email is the email as typed. The password is never shown again.
	Email string
	// Next is the path of the page after the login; it is posted as [templates.NextField].
	Next string
	// Error is one sentence for the whole form; empty when there is none.
	Error string
	// Kept is set if the login leads back to a form, and the browser keeps the input of that form.
	Kept bool
	// Ready is set right after a business was created with a sign-up, and SignUp if there are sign-ups.
	Ready, SignUp bool
	// LoggedOut is set right after a logout: the browser then deletes the input that it keeps.
	LoggedOut bool
	// PlainHTTP is set if the browser would not keep the session cookie.
	PlainHTTP *PlainHTTP
	// Demo lists logins that anyone may use; empty outside demo mode.
	Demo []templates.DemoLogin
	// WayIn lists the commands to run before the first login; empty if there is a user.
	WayIn []string
}

// PlainHTTP describes a page that was requested without HTTPS, although the session cookie is for HTTPS only.
type PlainHTTP struct {
	Outside string // the address by HTTPS; "" if the app doesn't know it
	Here    string // the address of the page, up to its path
}

// WayIn returns the commands that create the first tenant and its first user. command is the name of the program.
func WayIn(command string) []string {
	return []string{
		command + ` tenant create "Your business"`,
		command + ` user create you@example.com --tenant "Your business"`,
	}
}

// fresh reports whether there is no message before the login.
func (v Login) fresh() bool { return v.Error == "" && v.PlainHTTP == nil }

// lead returns the component before the logins of the demo, which has the main button of the page, or nil. After a failed login there
// is none, because the person wants the form.
func (v Login) lead(p templates.Page) templ.Component {
	if p.Slots.Login == nil || !v.fresh() {
		return nil
	}
	return p.Slots.Login(v.Demo, v.Next)
}

// fields returns further fields of the login form.
func (v Login) fields() []templates.Field {
	fields := []templates.Field{{Name: templates.NextField, Value: v.Next}}
	if v.Kept {
		fields = append(fields, templates.Field{Name: KeptField, Value: "1"})
	}
	return fields
}
