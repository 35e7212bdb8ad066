package scaffold

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Methods for the templates. A reference is a field named after its target, such as customer, whose column, form field and JSON
// name is customer_id.

// Column returns the name of a field in the table, the form and the API.
func (f Field) Column() Name {
	if f.Type == "ref" {
		return f.Name + "_id"
	}
	return f.Name
}

// names returns all names of a field: of its columns, and in the API.
func (f Field) names() []Name {
	all := []Name{f.Name, f.Column(), f.Compared()}
	switch f.Type {
	case "money":
		all = append(all, f.Name+"_minor", f.Currency)
	case "ref":
		all = append(all, f.Name+"_name")
	case "file":
		all = append(all, f.Name+"_name", f.Name+"_digest", "remove_"+f.Name)
	}
	return all
}

// Required reports whether a field must not be blank.
func (f Field) Required() bool { return !f.Optional && f.Type != "bool" }

func (f Field) optional() bool { return f.Optional }

// Null reports whether the column of a field is NULL if the field is blank.
func (f Field) Null() bool { return f.Optional && (f.Unique || !f.kind.text || f.kind.sql != "") }

// Caption returns the label of a field in the form.
func (f Field) Caption() string {
	if f.Optional {
		return f.Name.Label() + " (optional)"
	}
	return f.Name.Label()
}

// Alike returns the fields of the likeness in the syntax of [idempotency.Alike]; "" if there are none.
func (r Resource) Alike() string {
	var names []string
	for _, f := range r.Fields {
		switch {
		case !f.Alike:
		case f.Type == "money":
			names = append(names, string(f.Name)+"_minor", string(f.Currency))
		case f.Type == "ref":
			names = append(names, string(f.Name)+".id")
		default:
			names = append(names, string(f.Name))
		}
	}
	return strings.Join(names, " ")
}

// AlikeColumns returns the columns of the likeness, as arguments of the trigger note_likeness.
func (r Resource) AlikeColumns() string {
	var names []string
	for _, f := range r.Fields {
		for _, c := range f.columns(r.One) {
			if f.Alike && !strings.HasSuffix(c.Name, "_folded") {
				names = append(names, c.Name)
			}
		}
	}
	return strings.Join(names, " ")
}

// Unique constraints and orders compare texts in lower case, in an additional column.

// Compared returns the column of a unique constraint, or of an order.
func (f Field) Compared() Name {
	if f.folded() {
		return f.Name + "_folded"
	}
	return f.Column()
}

func (f Field) folded() bool {
	return (f.Unique || f.Ruled || f.Sorted) && f.kind.unique && f.kind.sql == ""
}

// condition returns the SQL condition that finds the record with the same value.
func (f Field) condition() string {
	if f.folded() {
		return fmt.Sprintf(`r.%s = lower(@%s::text COLLATE "C")`, f.Compared(), f.Name)
	}
	return fmt.Sprintf("r.%s = %s", f.Column(), f.values()[0])
}

type column struct{ Name, Type, Rest string }

// columns returns the columns of a field in the table of a resource.
func (f Field) columns(one Name) []column {
	rest := "NOT NULL"
	if f.Null() {
		rest = ""
	}
	its := string(f.Column())
	check := f.check()
	switch {
	case f.kind.sql != "" || slices.Contains([]string{"choice", "money", "file"}, f.Type):
	case f.Optional && !f.Unique:
		check = fmt.Sprintf("%s = '' OR %s", its, check)
	case !f.Optional:
		check = fmt.Sprintf("%s <> '' AND %s", its, check)
	}
	switch {
	case f.Default != "":
		rest += " DEFAULT '" + strings.ReplaceAll(f.Default, "'", "''") + "'"
	case f.Optional && !f.Null():
		rest += " DEFAULT ''"
	}
	if check != "" {
		rest = strings.TrimSpace(rest + " CHECK (" + check + ")")
	}
	switch {
	case f.folded():
		folded := fmt.Sprintf(`COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower(%s COLLATE "C")) STORED`, its)
		if f.Null() {
			folded = strings.Replace(folded, "NOT NULL ", "", 1)
		}
		return []column{{its, "text", rest}, {string(f.Compared()), "text", folded}}
	case f.Type == "choice":
		return []column{{its, f.Domain(one), rest}}
	case f.Type == "money":
		return []column{{its, "minor_units", rest}, {string(f.Currency), "currency_code", rest}}
	case f.Type == "file":
		check := strings.ReplaceAll(`CHECK ({} <> '' AND length({}) <= 120 AND {} !~ '[[:cntrl:]/\\]')`, "{}", its+"_name")
		return []column{{its + "_name", "text", strings.TrimSpace(rest + " " + check)}, {its + "_digest", "sha256_digest", rest}}
	default:
		return []column{{its, cmp.Or(f.kind.sql, "text"), rest}}
	}
}

// TextsOfCustomers returns the columns with texts if a record refers to a customer: see docs/gdpr.md.
func (r Resource) TextsOfCustomers() (columns []string) {
	if !slices.ContainsFunc(r.Fields, func(f Field) bool { return f.Type == "ref" && f.To.One == "customer" }) {
		return nil
	}
	for _, f := range r.Fields {
		for _, c := range f.columns(r.One) {
			if c.Type == "text" && !strings.Contains(c.Rest, "GENERATED") {
				columns = append(columns, c.Name)
			}
		}
	}
	return columns
}

// Domain returns the name of the domain of a choice.
func (f Field) Domain(one Name) string { return string(one + "_" + f.Name) }

// DomainValues returns the values of a choice in SQL.
func (f Field) DomainValues() string {
	all := f.Choices
	if f.Optional {
		all = append([]string{""}, all...)
	}
	return "'" + strings.Join(all, "', '") + "'"
}

// values returns SQL expressions for the columns of a field, from its arguments.
func (f Field) values() []string {
	its := "@" + string(f.Column())
	switch {
	case f.kind.text && f.kind.sql != "":
		return []string{"NULLIF(" + its + ", '')::" + strings.TrimSuffix(f.kind.sql, "(0)")}
	case f.Type == "money" && f.Optional:
		return []string{
			fmt.Sprintf("CASE WHEN @%s <> '' THEN %s::bigint END", f.Currency, its), fmt.Sprintf("NULLIF(@%s, '')", f.Currency),
		}
	case f.Type == "money":
		return []string{its + "::bigint", "@" + string(f.Currency)}
	case f.kind.sql != "":
		return []string{its + "::" + f.kind.sql}
	case f.Null():
		return []string{"NULLIF(" + its + ", '')"}
	default:
		return []string{its}
	}
}

// maxSpecial is the most characters of a column on one line.
const maxSpecial = 110

// specials returns the columns of a field whose SQL differs from a text's, in Go.
func (f Field) specials() (all []string) {
	if f.Type == "file" { // see the operations
		return nil
	}
	names, json := []Name{f.Column(), f.Currency}, ""
	text := strings.ReplaceAll(cmp.Or(f.kind.json, "{}"), "{}", "r."+string(f.Name))
	switch {
	case f.Type == "money":
		json = fmt.Sprintf("`'%[1]s_minor', r.%[1]s`", f.Name)
	case f.To.Self:
		json = fmt.Sprintf("`'%s', ` + Names.JSON(\"%s\")", f.Name, f.Column())
	case f.Type == "ref":
		json = fmt.Sprintf("`'%s', ` + %s.Names.JSON(\"%s\")", f.Name, f.To.Package, f.Column())
	case f.kind.text && f.Null():
		json = fmt.Sprintf("`'%s', COALESCE(%s, '')`", f.Name, text)
	case f.kind.json != "":
		json = fmt.Sprintf("`'%s', %s`", f.Name, text)
	}
	for i, value := range f.values() {
		special := fmt.Sprintf(`Name: "%s"`, names[i])
		if value != "@"+string(names[i]) {
			special += ", Value: `" + value + "`"
		}
		if i == 0 && json != "" {
			special += ", JSON: " + json
		}
		if len(special) > maxSpecial {
			special = "\n" + strings.Replace(special, ", JSON: ", ",\nJSON: ", 1) + ",\n"
		}
		if strings.Contains(special, ",") {
			all = append(all, "idempotency.Column{"+special+"}")
		}
	}
	return all
}

// Tag returns the struct tag of a field in the types of the API.
func (f Field) Tag() string {
	json := string(f.Column())
	if f.Optional {
		json += ",omitzero"
	}
	tag := fmt.Sprintf(`json:"%s"`, json)
	switch {
	case f.Type == "choice":
		tag += fmt.Sprintf(` enum:"%s"`, strings.Join(f.Choices, ","))
	case f.Type == "money":
		tag += ` format:"decimal"`
	case f.kind.format != "":
		tag += fmt.Sprintf(` format:"%s"`, f.kind.format)
	}
	if bounds := f.Sentence(); bounds != "" {
		tag += fmt.Sprintf(` doc:"%s"`, bounds)
	}
	return "`" + tag + "`"
}

// CurrencyTag returns the struct tag of an amount's currency, with a format.
func (f Field) CurrencyTag(format string) string {
	json := string(f.Currency)
	if f.Optional {
		json += ",omitzero"
	}
	if format != "" {
		format = fmt.Sprintf(` format:"%s"`, format)
	}
	return fmt.Sprintf("`json:\"%s\"%s`", json, format)
}

// Enter returns the hint for a blank field.
func (f Field) Enter() string {
	switch f.Type {
	case "choice":
		return "Choose the " + f.Name.Words() + "."
	case "ref":
		return "Choose " + f.Name.A() + "."
	default:
		return cmp.Or(f.kind.enter, "Enter the "+f.Name.Words()+".")
	}
}

// Methods for lists and pages.

// Text returns the Go expression for the text of the field in a variable.
func (f Field) Text(of string) string {
	its := of + "." + f.Name.Go()
	switch {
	case f.Type == "money":
		return fmt.Sprintf("web.AmountText(%s.%s, %s)", of, f.Currency.Go(), its)
	case f.Type == "currency":
		return its + ".String()"
	case f.Type == "ref":
		return its + ".Name"
	case f.kind.shown != "":
		return f.kind.shown + "(" + its + ")"
	default:
		return its
	}
}

// Parse returns the function of package typed that checks a value.
func (f Field) Parse() string { return f.kind.parse }

// Control returns the kind of the field's control in a form; "" for a line.
func (f Field) Control() string { return f.kind.control }

// Class returns the CSS class of the column of a list.
func (f Field) Class() string { return f.kind.class }

// Nth returns a Go expression for the n-th of many values.
func (f Field) Nth() string {
	if f.Low != "" {
		return fmt.Sprintf("fmt.Sprint(%s + n)", f.value(0).Ceil())
	}
	return f.kind.nth
}

// Hint returns the hint below a field in the form, or "".
func (f Field) Hint(one Name) string {
	hint := f.Sentence()
	switch {
	case f.Unique:
		hint += " No other " + one.Words() + " can have the same " + f.Name.Words() + "."
	case f.Type == "percent":
		hint = "From 0 to 100 %."
	case f.Type == "timestamp":
		hint = "In UTC."
	}
	return strings.TrimSpace(hint)
}
