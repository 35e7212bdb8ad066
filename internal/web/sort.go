package web

import (
	"net/url"
	"slices"
	"strings"

	"onlyonce/internal/invalid"
	"onlyonce/templates"
)

// sortParameter describes the parameter sort of a list; false if the list can't be sorted.
func sortParameter(columns []templates.Column) (p Parameter, is bool) {
	for _, c := range columns {
		if c.Sort != "" {
			p.Values = append(p.Values, c.Sort, "-"+c.Sort)
		}
	}
	p.Name, p.Meaning = templates.SortField, "The order, descending with -. Without it, newest first."
	return p, len(p.Values) > 0
}

// checkSort returns an [*invalid.Error] if a list can't be sorted as the query asks for.
func checkSort(columns []templates.Column, query url.Values) error {
	p, is := sortParameter(columns)
	if value := query.Get(p.Name); !is || len(query[p.Name]) < 2 && (value == "" || slices.Contains(p.Values, value)) {
		return nil
	}
	var problems invalid.Error
	problems.Add("/"+p.Name, "Sort by one of "+strings.Join(p.Values, ", ")+".")
	return problems.Err()
}

// sorted returns the columns of a list with the links by which people sort it: each leads to the ascending order, and that of the column by
// which the list is sorted to the reverse one.
func sorted(columns []templates.Column, path string, query url.Values) []templates.Column {
	columns = slices.Clone(columns)
	for i, c := range columns {
		if c.Sort == "" {
			continue
		}
		next := c.Sort
		switch query.Get(templates.SortField) {
		case c.Sort:
			columns[i].Sorted, next = "ascending", "-"+c.Sort
		case "-" + c.Sort:
			columns[i].Sorted = "descending"
		}
		columns[i].SortHref = ListURL(path, query, templates.SortField, next)
	}
	return columns
}
