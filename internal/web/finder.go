package web

import (
	"net/http"
	"strings"

	"onlyonce/templates"
)

// searchFinder is what a list is searched by that has nothing else to filter it than whether records are archived.
// placeholder says what is looked through, such as "Name or email".
func searchFinder(many, placeholder string) func(*http.Request) (templates.Finder, error) {
	return func(r *http.Request) (templates.Finder, error) {
		query := r.URL.Query()
		finder := templates.Finder{
			Href: "/" + many, Many: strings.ReplaceAll(many, "-", " "), Search: query.Get("q"), Placeholder: placeholder,
		}
		if archivedOnly(r) {
			finder.Hidden = []templates.Field{{Name: "archived", Value: "1"}}
		}
		if finder.Search != "" {
			finder.Said = "“" + beginning(finder.Search) + "”"
			finder.ClearHref = listHref(finder.Href, query, "q", "")
		}
		return finder, nil
	}
}
