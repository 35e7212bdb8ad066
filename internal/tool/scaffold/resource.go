package scaffold

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"onlyonce/internal/value/date"
)

// Methods for the templates.

// Label returns the field that names a record on pages, or its day if it is nameless.
func (r Resource) Label() Field {
	if r.Nameless() {
		return r.Fields[slices.IndexFunc(r.Fields, isDay)]
	}
	return r.Fields[slices.IndexFunc(r.Fields, isLabel)]
}

// Nameless reports whether a record is named after its day, and after another record if it needs one.
func (r Resource) Nameless() bool { return !slices.ContainsFunc(r.Fields, isLabel) }

// NamedAfter returns the reference in the name of a nameless record, or none.
func (r Resource) NamedAfter() []Field {
	all := slices.DeleteFunc(r.Has("ref"), Field.optional)
	return all[:min(len(all), 1)]
}

// NameOf returns the Go expression for the name of a record in a variable, in a package of which pkg is the prefix of its own.
func (r Resource) NameOf(of, pkg string) string {
	if r.Nameless() {
		return pkg + "Name(" + of + ")"
	}
	return of + "." + r.Label().Name.Go()
}

// Shown returns the name of a record with a value of the label, without its reference.
func (r Resource) Shown(value string) string {
	if day, err := date.Parse(value); r.Nameless() && err == nil {
		return day.Display()
	}
	return value
}

// ShownName is Shown with the reference of the tests, as a Go expression.
func (r Resource) ShownName(value string) string {
	text := strconv.Quote(r.Shown(value))
	if after := r.NamedAfter(); r.Nameless() && len(after) > 0 {
		to := after[0].To
		text += fmt.Sprintf(` + " · " + %scases.%s().ReferredValue("%s")`, to.Package, to.Many.Go(), to.Label)
	}
	return text
}

// EditedLabel returns another value of the label.
func (r Resource) EditedLabel() string {
	if r.Nameless() {
		return "2026-11-06"
	}
	return r.Label().Name.Label() + " six"
}

// Var returns the variable for a record in Go.
func (r Resource) Var() string { return string(r.One[:1]) }

// Searched returns the fields whose words a search finds.
func (r Resource) Searched() []Field { return r.Has("text", "longtext", "email") }

// Checked reports whether a valid command can break a constraint.
func (r Resource) Checked() bool { return len(r.Rules)+len(r.Has("ref", "file")) > 0 }

// Needed returns the files that a new record needs.
func (r Resource) Needed() []Field {
	return slices.DeleteFunc(r.Has("file"), Field.optional)
}

// Keeps reports whether a change keeps values that its command lacks.
func (r Resource) Keeps() bool { return r.External || len(r.Has("file")) > 0 }

// Amounts reports whether the resource has money.
func (r Resource) Amounts() bool { return len(r.Has("money")) > 0 }

// HasCurrency reports whether the resource has a currency.
func (r Resource) HasCurrency() bool { return len(r.Has("money", "currency")) > 0 }

// View reports whether the API shows a record in another form than the stored one.
func (r Resource) View() bool {
	return len(r.Has("money", "ref")) > 0 || r.Lines != nil && r.Lines.Amounts()
}

// Defaults returns the fields with a default.
func (r Resource) Defaults() []Field {
	return slices.DeleteFunc(slices.Clone(r.Fields), func(f Field) bool { return f.Default == "" })
}

// Fresh reports whether a new form begins with values.
func (r Resource) Fresh() bool { return r.View() || len(r.Defaults()) > 0 }

// BeginsWith returns the values of a new form in a sentence.
func (r Resource) BeginsWith() string {
	var all []string
	if r.HasCurrency() {
		all = append(all, "the currency of the settings")
	}
	if len(r.Has("ref")) > 0 {
		all = append(all, "the references in its address")
	}
	if len(r.Defaults()) > 0 {
		all = append(all, "the defaults")
	}
	return listed(all, "and")
}

// Listed returns the fields with a column in the list, besides those in the name.
func (r Resource) Listed() (some []Field) {
	named := []Name{r.Label().Name}
	if after := r.NamedAfter(); r.Nameless() && len(after) > 0 {
		named = append(named, after[0].Name)
	}
	for _, f := range r.Fields {
		if !slices.Contains([]string{"longtext", "bool", "currency", "file"}, f.Type) && !slices.Contains(named, f.Name) {
			some = append(some, f)
		}
	}
	for len(some) > 3 { // drop the last one by which the list isn't sorted
		last := len(some) - 1
		for some[last].Sorted {
			last--
		}
		some = slices.Delete(some, last, last+1)
	}
	return some
}

// Columns returns the columns of the table, aligned.
func (r Resource) Columns() string {
	all := []column{{"tenant_id", "uuid", "NOT NULL REFERENCES tenants"}, {"id", "uuid", "NOT NULL"}}
	for _, f := range r.Fields {
		all = append(all, f.columns(r.One)...)
	}
	if r.State != nil {
		all = append(all, column{string(r.State.Name), r.State.Domain(r.One), "NOT NULL DEFAULT '" + r.State.Values[0] + "'"})
	}
	if r.External {
		all = append(all, column{"source", "external_source", ""},
			column{"source_folded", "text", `COLLATE "C" GENERATED ALWAYS AS (fold_text(source)) STORED`},
			column{"external_id", "external_id", ""}, column{"external_digest", "sha256_digest", ""})
	}
	all = append(all, column{"archived_at", "timestamptz", ""}, column{"version", "record_version", "NOT NULL DEFAULT 1"},
		column{"created_at", "timestamptz", "NOT NULL DEFAULT now()"})
	names, types := widths(all)
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
		b.WriteString(c.line(names, types))
	}
	return b.String()
}

func widths(all []column) (names, types int) {
	for _, c := range all {
		names, types = max(names, len(c.Name)), max(types, len(c.Type))
	}
	return names, types
}

// line returns the column as a line of CREATE TABLE.
func (c column) line(names, types int) string {
	return strings.TrimRight(fmt.Sprintf("    %-*s %-*s %s", names, c.Name, types, c.Type, c.Rest), " ") + ",\n"
}

// Texts returns the fields that are the same text in a record, an input and a command.
func (r Resource) Texts() []Field {
	return slices.DeleteFunc(slices.Clone(r.Fields), func(f Field) bool { return !f.kind.text })
}

// Others returns the other fields.
func (r Resource) Others() []Field { return r.Has("money", "currency", "date", "bool", "ref", "file") }

// Specials returns the columns whose SQL differs from a text's, in Go.
func (r Resource) Specials() (all []string) {
	for _, f := range r.Fields {
		all = append(all, f.specials()...)
	}
	return all
}

// FoundBy returns the fields of the search: "vendor, receipt or notes".
func (r Resource) FoundBy() string {
	var all []string
	for _, f := range r.Searched() {
		all = append(all, f.Name.Words())
	}
	return listed(all, "or")
}

// SearchedOf returns the columns with the words of a row, such as NEW.
func (r Resource) SearchedOf(row string) string {
	var all []string
	for _, f := range r.Searched() {
		all = append(all, row+"."+string(f.Name))
	}
	return strings.Join(all, ", ")
}

// SearchedNames returns the names of these columns.
func (r Resource) SearchedNames() string {
	return strings.ReplaceAll(r.SearchedOf("NEW"), "NEW.", "")
}

// FoundByLabel is FoundBy for the label of the search field.
func (r Resource) FoundByLabel() string { return strings.ToUpper(r.FoundBy()[:1]) + r.FoundBy()[1:] }

// Selves returns the references to records of the resource itself.
func (r Resource) Selves() []Field {
	return slices.DeleteFunc(r.Has("ref"), func(f Field) bool { return !f.To.Self })
}

// Targets returns the other resources of the references, each once.
func (r Resource) Targets() (all []Target) {
	for _, f := range r.Has("ref") {
		if !f.To.Self && !slices.ContainsFunc(all, func(t Target) bool { return t.Package == f.To.Package }) {
			all = append(all, f.To)
		}
	}
	return all
}

// OthersReferredTo returns the targets that a browser scenario has to create: the demo has customers.
func (r Resource) OthersReferredTo() []Target {
	return slices.DeleteFunc(r.Targets(), func(t Target) bool { return t.Package == "customer" })
}

// Moves returns the transitions of the state.
func (r Resource) Moves() []Move {
	if r.State == nil {
		return nil
	}
	return r.State.Moves
}

// Refuses reports whether a transition of the state can be refused.
func (r Resource) Refuses() bool { return r.State != nil && r.State.Refuses() }
