package scaffold

import (
	"fmt"
	"slices"
	"strings"
)

// sortable are the types by which lists can be sorted: under row-level security, an index is used only with comparisons that leak nothing.
var sortable = []string{"text", "email", "integer", "date"}

// maxSorts is the most fields by which a list can be sorted: each has a column in the list.
const maxSorts = 3

// sort marks the fields of sort(day,plate).
func (r *Resource) sort(names []string) error {
	for _, name := range names {
		name = strings.TrimSpace(name)
		at := slices.IndexFunc(r.Fields, func(f Field) bool { return string(f.Name) == name })
		switch {
		case at < 0:
			return fmt.Errorf("sort(%s): there is no field %q", strings.Join(names, ","), name)
		case r.Fields[at].Optional || !slices.Contains(sortable, r.Fields[at].Type):
			return fmt.Errorf("sort(%s): lists can be sorted by fields without ? of the types %s, and %s is none", strings.Join(names, ","),
				strings.Join(sortable, ", "), name)
		}
		r.Fields[at].Sorted = true
	}
	if len(r.Sorts()) > maxSorts {
		return fmt.Errorf("sort(%s): a list can be sorted by %d fields at most", strings.Join(names, ","), maxSorts)
	}
	return nil
}

// Sorts returns the fields by which lists can be sorted.
func (r Resource) Sorts() []Field {
	return slices.DeleteFunc(slices.Clone(r.Fields), func(f Field) bool { return !f.Sorted })
}

// SortType returns the type of the column in package search.
func (f Field) SortType() string {
	switch f.Type {
	case "integer":
		return "bigint"
	case "date":
		return "date"
	default:
		return "text"
	}
}
