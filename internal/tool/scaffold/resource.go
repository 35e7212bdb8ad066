package scaffold

import (
	"fmt"
	"slices"
	"strings"
)

// What the templates ask about a resource.

// Label is the field by which people know a record.
func (r Resource) Label() Field { return r.Fields[slices.IndexFunc(r.Fields, isLabel)] }

// Var is the variable for a record in Go.
func (r Resource) Var() string { return string(r.One[:1]) }

// Searched are the fields whose words a search finds.
func (r Resource) Searched() []Field { return r.Has("text", "longtext") }

// Uniques are the fields with a value that may be taken.
func (r Resource) Uniques() (all []Field) {
	for _, f := range r.Fields {
		if f.Unique {
			all = append(all, f)
		}
	}
	return all
}

// Checked are the constraints that a valid command can break.
func (r Resource) Checked() bool { return len(r.Uniques())+len(r.Has("ref")) > 0 }

// Amounts reports whether there is money.
func (r Resource) Amounts() bool { return len(r.Has("money")) > 0 }

// View reports whether the API shows a record otherwise than it is stored.
func (r Resource) View() bool { return len(r.Has("money", "ref")) > 0 }

// Listed are the fields that have a column in the list besides the label.
func (r Resource) Listed() (some []Field) {
	for _, f := range r.Fields {
		if f.Type != "longtext" && f.Type != "bool" && f.Name != r.Label().Name && len(some) < 3 {
			some = append(some, f)
		}
	}
	return some
}

// Columns are those of the table, in line.
func (r Resource) Columns() string {
	all := []column{{"tenant_id", "uuid", "NOT NULL REFERENCES tenants"}, {"id", "uuid", "NOT NULL"}}
	for _, f := range r.Fields {
		all = append(all, f.columns(r.One)...)
	}
	if r.External {
		all = append(all, column{"source", "external_source", ""},
			column{"source_folded", "text", `COLLATE "C" GENERATED ALWAYS AS (fold_text(source)) STORED`},
			column{"external_id", "external_id", ""}, column{"external_digest", "sha256_digest", ""})
	}
	all = append(all, column{"archived_at", "timestamptz", ""}, column{"version", "record_version", "NOT NULL DEFAULT 1"},
		column{"created_at", "timestamptz", "NOT NULL DEFAULT now()"})
	names, types := 0, 0
	for _, c := range all {
		names, types = max(names, len(c.Name)), max(types, len(c.Type))
	}
	var b strings.Builder
	for _, c := range all {
		if c.Name == "archived_at" {
			fmt.Fprintf(&b, "    -- Archived %s are neither listed nor offered.\n", r.Many.Words())
		}
		if c.Type == "external_source" {
			fmt.Fprintf(&b, "    -- What another system calls the %s, both or neither, and SHA-256 of what that system said of it last.\n",
				r.One.Words())
		}
		if strings.HasSuffix(c.Name, "_folded") && c.Name != "source_folded" {
			fmt.Fprintf(&b, "    -- The form in which they are compared: under row-level security no index is asked for an expression.\n")
		}
		b.WriteString(strings.TrimRight(fmt.Sprintf("    %-*s %-*s %s", names, c.Name, types, c.Type, c.Rest), " ") + ",\n")
	}
	return b.String()
}

// ColumnNames are those of the fields, as SQL.
func (r Resource) ColumnNames() string {
	var all []string
	for _, f := range r.Fields {
		for _, c := range f.columns(r.One) {
			if !strings.HasSuffix(c.Name, "_folded") {
				all = append(all, c.Name)
			}
		}
	}
	return wrapped(all)
}

// Values are the SQL of the values of ColumnNames.
func (r Resource) Values() string {
	var all []string
	for _, f := range r.Fields {
		all = append(all, f.values()...)
	}
	return wrapped(all)
}

// Shown is the SQL of the JSON of a record.
func (r Resource) Shown() string {
	var all []string
	for _, f := range r.Fields {
		all = append(all, f.Shown())
	}
	return wrapped(append(all, "'archived_at', r.archived_at"))
}

// wrapped is a list in SQL, in lines that are not too long.
func wrapped(items []string) string {
	var b strings.Builder
	length := 0
	for i, item := range items {
		switch {
		case i == 0:
		case length+len(item) > 100:
			b.WriteString(",\n\t\t")
			length = 0
		default:
			b.WriteString(", ")
		}
		b.WriteString(item)
		length += len(item) + 2
	}
	return b.String()
}

// FoundBy returns what a search looks through: "vendor, receipt or notes".
func (r Resource) FoundBy() string {
	var all []string
	for _, f := range r.Searched() {
		all = append(all, f.Name.Words())
	}
	last := len(all) - 1
	if last == 0 {
		return all[0]
	}
	return strings.Join(all[:last], ", ") + " or " + all[last]
}

// SearchedOf are the columns with the words of a row, such as NEW.
func (r Resource) SearchedOf(row string) string {
	var all []string
	for _, f := range r.Searched() {
		all = append(all, row+"."+string(f.Name))
	}
	return strings.Join(all, ", ")
}

// SearchedNames are these columns.
func (r Resource) SearchedNames() string {
	return strings.ReplaceAll(r.SearchedOf("NEW"), "NEW.", "")
}

// FoundByLabel is FoundBy as it stands in the field of a search.
func (r Resource) FoundByLabel() string { return strings.ToUpper(r.FoundBy()[:1]) + r.FoundBy()[1:] }

// Past is the SQL of the columns of a past record, for the benchmark.
func (r Resource) Past() string {
	var all []string
	for _, f := range r.Fields {
		all = append(all, f.Past())
	}
	return wrapped(all)
}

// Targets are the resources that the references refer to, each once.
func (r Resource) Targets() (all []Target) {
	for _, f := range r.Has("ref") {
		if !slices.ContainsFunc(all, func(t Target) bool { return t.Package == f.To.Package }) {
			all = append(all, f.To)
		}
	}
	return all
}

// OthersReferredTo are the targets that a browser scenario has to make: the demo has customers.
func (r Resource) OthersReferredTo() []Target {
	return slices.DeleteFunc(r.Targets(), func(t Target) bool { return t.Package == "customer" })
}

// Offers are the parameters of the form with what there is to choose from.
func (r Resource) Offers() string {
	var all []string
	for _, f := range r.Has("choice") {
		all = append(all, f.Name.Plural())
	}
	if len(r.Has("money")) > 0 {
		all = append(all, "currencyCodes")
	}
	return strings.Join(all, ", ")
}
