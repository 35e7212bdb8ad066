package web

import (
	"net/http"
	"net/url"
	"strings"

	"onlyonce/internal/invalid"
	"onlyonce/internal/record/search"
	"onlyonce/templates"
)

// SearchFinder returns the search form of a list that has no filter except for archived records. placeholder names the searched fields,
// such as "Name or email"; without any, the list has no search.
func SearchFinder(many, placeholder string) func(*http.Request) (templates.Finder, error) {
	return func(r *http.Request) (templates.Finder, error) {
		query := r.URL.Query()
		finder := templates.Finder{
			Href: "/" + many, Many: strings.ReplaceAll(many, "-", " "), Search: query.Get("q"), Placeholder: placeholder,
		}
		if ArchivedOnly(r) {
			finder.Hidden = []templates.Field{{Name: templates.ArchivedField, Value: "1"}}
		}
		if order := query.Get(templates.SortField); order != "" {
			finder.Hidden = append(finder.Hidden, templates.Field{Name: templates.SortField, Value: order})
		}
		if finder.Search != "" {
			finder.Said = "“" + Beginning(finder.Search) + "”"
			finder.ClearHref = ListURL(finder.Href, query, "q", "")
		}
		return finder, nil
	}
}

// Searched returns the search text of a request. Its error is an [*invalid.Error].
func Searched(r *http.Request) (string, error) {
	var problems invalid.Error
	search := SearchOf(r.URL.Query(), &problems)
	return search, problems.Err()
}

// ListURL is the address of a list with one parameter changed, from its first page.
func ListURL(path string, query url.Values, name, value string) string {
	changed := url.Values{}
	for other, values := range query {
		if other != "cursor" && other != name && values[0] != "" {
			changed[other] = values
		}
	}
	if value != "" {
		changed.Set(name, value)
	}
	return (&url.URL{Path: path, RawQuery: changed.Encode()}).String()
}

// SearchOf returns the search text of a query.
func SearchOf(query url.Values, problems *invalid.Error) string {
	if len(query["q"]) > 1 {
		problems.Add("/q", "Use q only once.")
	}
	return problems.Line("/q", "the search", query.Get("q"), search.MaxSearch)
}
