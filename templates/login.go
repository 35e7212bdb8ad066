package templates

import "github.com/a-h/templ"

// Login is the login form, as first shown or as it came back.
type Login struct {
	// Email as typed. The password is never shown again.
	Email string
	// Next is the path to go to after login; it is posted as "next".
	Next string
	// Error is one sentence for the whole form; empty when there is none.
	Error string
	// Kept is set where the login leads back to a form, and the browser keeps what was typed into it.
	Kept bool
	// LoggedOut is set if somebody has just logged out: the browser then drops what it keeps.
	LoggedOut bool
	// PlainHTTP is set if the browser would not keep the login.
	PlainHTTP *PlainHTTP
	// Demo lists logins that anyone may use; empty outside demo mode.
	Demo []DemoLogin
	// WayIn lists what to run before anybody can log in; empty when somebody can.
	WayIn []string
}

// PlainHTTP is about a page that came without HTTPS, although the session cookie is for HTTPS only.
type PlainHTTP struct {
	Outside string // the address by HTTPS; "" if the app doesn't know it
	Here    string // the address of the page, up to its path
}

// WayIn returns the commands that make the first tenant and its first user, for a program that is run as command.
func WayIn(command string) []string {
	return []string{
		command + ` tenant create "Your business"`,
		command + ` user create you@example.com --tenant "Your business"`,
	}
}

// DemoLogin is one known login of the demo.
type DemoLogin struct {
	Tenant   string
	Email    string
	Password string
}

// Fields are what logs in with it, and leads to next.
func (d DemoLogin) Fields(next string) []Field {
	return []Field{{Name: "email", Value: d.Email}, {Name: "password", Value: d.Password}, {Name: "next", Value: next}}
}

// fresh reports whether there is nothing to read before the login.
func (v Login) fresh() bool { return v.Error == "" && v.PlainHTTP == nil }

// lead is what comes before the logins of the demo, with the main button of the page; nil if there is nothing. People who failed to
// log in want the form.
func (v Login) lead(p Page) templ.Component {
	if p.Slots.Login == nil || !v.fresh() {
		return nil
	}
	return p.Slots.Login(v.Demo, v.Next)
}

// fields are what the form of a login of one's own sends besides.
func (v Login) fields() []Field {
	fields := []Field{{Name: "next", Value: v.Next}}
	if v.Kept {
		fields = append(fields, Field{Name: "kept", Value: "1"})
	}
	return fields
}
