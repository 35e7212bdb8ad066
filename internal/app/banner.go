package app

import (
	"cmp"
	"fmt"

	"onlyonce/templates"
	"onlyonce/templates/peopleviews"
)

// banner prints the address and the first login to a terminal.
func (a *App) banner() {
	w := a.config.Banner
	if w == nil {
		return
	}
	address := cmp.Or(a.config.PublicURL, a.URL())
	fmt.Fprintf(w, "\n  %s is ready: %s\n", templates.Product, address)
	switch {
	case a.config.Demo:
		fmt.Fprintf(w, "\n  Log in with the password %s, or use the API token:\n", demoPassword)
		for _, t := range demoTenants() {
			fmt.Fprintf(w, "    %-13s %-22s %s\n", t.Name, t.Email, t.Token)
		}
		for _, extra := range a.extras {
			fmt.Fprintf(w, "\n  %s: %s%s\n", extra.Hint, address, extra.Path)
		}
	case !a.anyUser && a.signUp():
		fmt.Fprintf(w, "\n  Sign up: %s/sign-ups/new\n", address)
	case !a.anyUser:
		fmt.Fprintln(w, "\n  Nobody can log in yet. In another terminal, with the same environment variables:")
		for _, command := range peopleviews.WayIn(a.config.Command) {
			fmt.Fprintln(w, "    "+command)
		}
	}
	fmt.Fprintln(w)
}
