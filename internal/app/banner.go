package app

import (
	"cmp"
	"fmt"

	"onlyonce/templates"
)

// banner tells a person who started the app where to go, and how to get in. anyUser says whether there is a user
// besides those of the demo.
func (a *App) banner(anyUser bool) {
	w := a.config.Banner
	if w == nil {
		return
	}
	fmt.Fprintf(w, "\n  %s is ready: %s\n", templates.Product, cmp.Or(a.config.PublicURL, a.URL()))
	switch {
	case a.config.Demo:
		fmt.Fprintf(w, "\n  Log in with the password %s, or use the API token:\n", demoPassword)
		for _, t := range demoTenants() {
			fmt.Fprintf(w, "    %-13s %-22s %s\n", t.name, t.email, t.token)
		}
		// begin lab
		if a.lab != nil {
			fmt.Fprintf(w, "\n  Try to break it: %s/lab\n", cmp.Or(a.config.PublicURL, a.URL()))
		}
		// end lab
	case !anyUser:
		fmt.Fprintln(w, "\n  Nobody can log in yet. In another terminal, with the same environment variables:")
		for _, command := range templates.WayIn() {
			fmt.Fprintln(w, "    "+command)
		}
	}
	fmt.Fprintln(w)
}
