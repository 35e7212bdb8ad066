package app

import (
	"cmp"
	"fmt"

	"onlyonce/templates"
)

// banner prints the address and the first login to a terminal.
func (a *App) banner() {
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
		for _, hint := range a.hints {
			fmt.Fprintf(w, "\n  %s\n", hint)
		}
	case !a.anyUser:
		fmt.Fprintln(w, "\n  Nobody can log in yet. In another terminal, with the same environment variables:")
		for _, command := range templates.WayIn(a.config.Command) {
			fmt.Fprintln(w, "    "+command)
		}
	}
	fmt.Fprintln(w)
}
