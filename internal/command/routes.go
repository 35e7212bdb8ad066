package command

import (
	"fmt"
)

type routes struct{}

// route is a line of the list of routes.
type route struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Repeat string `json:"repeat"` // read, once or natural
	Why    string `json:"why"`    // the operation, or the reason why a repeat changes nothing more
	Source string `json:"source"` // the file and line that register it
}

// Run prints every route, and the treatment of its repeats. It needs no database.
func (routes) Run(t *terminal) error {
	registered, err := t.site.Routes()
	if err != nil {
		return err
	}
	var all []route
	var lines []string
	for _, r := range registered {
		all = append(all, route{r.Method, r.Path, string(r.Repeat), r.Why, r.Source})
		lines = append(lines, fmt.Sprintf("%-5s  %-45s  %-7s  %-60s  %s", r.Method, r.Path, r.Repeat, r.Why, r.Source))
	}
	return t.printAll(all, lines)
}
