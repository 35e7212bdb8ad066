package web

import (
	"net/url"
	"slices"
	"strings"

	"onlyonce/internal/invalid"
	"onlyonce/templates"
)

// Filter is a parameter of a list that selects the records with one of some values, such as a status.
type Filter struct {
	Name   string // of the parameter
	Values []string
}

// parameter returns the filter of a list in the documentation of the API.
func (f Filter) parameter(many string) Parameter {
	meaning := "Only " + strings.ReplaceAll(many, "-", " ") + " with this " + strings.ReplaceAll(f.Name, "_", " ") + "."
	return Parameter{Name: f.Name, Meaning: meaning, Values: f.Values}
}

// checkFilters returns an [*invalid.Error] with the filters that have another value, or several.
func checkFilters(filters []Filter, query url.Values) error {
	var problems invalid.Error
	for _, f := range filters {
		if given := query[f.Name]; len(given) > 1 || query.Get(f.Name) != "" && !slices.Contains(f.Values, given[0]) {
			problems.Add("/"+f.Name, "Choose one "+strings.ReplaceAll(f.Name, "_", " ")+": "+strings.Join(f.Values, ", ")+".")
		}
	}
	return problems.Err()
}

// narrow adds the filters to the search form of a list.
func narrow(finder *templates.Finder, filters []Filter, query url.Values) {
	for _, f := range filters {
		chosen := query.Get(f.Name)
		for _, value := range append([]string{""}, f.Values...) {
			finder.Chips = append(finder.Chips, templates.NavItem{
				Text: chip(value), Current: value == chosen, Href: ListURL(finder.Href, query, f.Name, value),
			})
		}
		if slices.Contains(f.Values, chosen) {
			finder.Hidden = append(finder.Hidden, templates.Field{Name: f.Name, Value: chosen})
			finder.Said = strings.TrimPrefix(finder.Said+", "+strings.ToLower(OptionText(chosen)), ", ")
			archived := url.Values{templates.ArchivedField: {query.Get(templates.ArchivedField)}}
			finder.ClearHref = ListURL(finder.Href, archived, "", "")
		}
	}
}

// chip returns the text of the link to a value.
func chip(value string) string {
	if value == "" {
		return "All"
	}
	return OptionText(value)
}
