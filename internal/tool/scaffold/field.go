package scaffold

import (
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
	}
	return all
}

// Required reports whether a field must not be blank.
func (f Field) Required() bool { return !f.Optional && f.Type != "bool" }

// Null reports whether the column of a field is NULL if the field is blank.
func (f Field) Null() bool {
	return f.Optional && (f.Unique || !slices.Contains([]string{"text", "longtext", "choice"}, f.Type))
}

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

// Unique constraints compare texts in lower case, in an additional column.

// Compared returns the unique column.
func (f Field) Compared() Name {
	if f.Type == "text" && f.Unique {
		return f.Name + "_folded"
	}
	return f.Column()
}

// Condition returns the SQL condition that finds the record with the same value.
func (f Field) Condition() string {
	switch f.Type {
	case "text":
		return fmt.Sprintf(`r.%s = lower(@%s::text COLLATE "C")`, f.Compared(), f.Name)
	default:
		return fmt.Sprintf("r.%s = %s", f.Name, f.values()[0])
	}
}

// column is a column of the table.
type column struct{ Name, Type, Rest string }

// columns returns the columns of a field in the table of a resource.
func (f Field) columns(one Name) []column {
	rest := "NOT NULL"
	if f.Null() {
		rest = ""
	}
	its := string(f.Column())
	switch f.Type {
	case "text":
		check := fmt.Sprintf("CHECK (%[1]s = btrim(%[1]s) AND %[1]s !~ '[[:cntrl:]]')", its)
		if !f.Optional {
			check = fmt.Sprintf("CHECK (%[1]s = btrim(%[1]s) AND %[1]s <> '' AND %[1]s !~ '[[:cntrl:]]')", its)
		}
		if f.Optional && !f.Unique {
			rest += " DEFAULT ''"
		}
		all := []column{{its, "text", strings.TrimSpace(rest + " " + check)}}
		if f.Unique {
			folded := fmt.Sprintf(` GENERATED ALWAYS AS (lower(%s COLLATE "C")) STORED`, its)
			all = append(all, column{string(f.Compared()), "text", strings.TrimSpace(`COLLATE "C" `+rest) + folded})
		}
		return all
	case "longtext":
		if f.Optional {
			return []column{{its, "text", "NOT NULL DEFAULT ''"}}
		}
		return []column{{its, "text", "NOT NULL CHECK (" + its + " <> '')"}}
	case "choice":
		if f.Optional {
			rest += " DEFAULT ''"
		}
		return []column{{its, f.Domain(one), rest}}
	case "money":
		return []column{{its, "minor_units", rest}, {string(f.Currency), "currency_code", rest}}
	default:
		return []column{{its, f.sqlType(), rest}}
	}
}

func (f Field) sqlType() string {
	return map[string]string{"integer": "bigint", "decimal": "numeric", "date": "date", "bool": "boolean", "ref": "uuid"}[f.Type]
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
	case f.Type == "integer" || f.Type == "decimal":
		return []string{"NULLIF(" + its + ", '')::" + f.sqlType()}
	case f.Type == "money" && f.Optional:
		return []string{
			fmt.Sprintf("CASE WHEN @%s <> '' THEN %s::bigint END", f.Currency, its), fmt.Sprintf("NULLIF(@%s, '')", f.Currency),
		}
	case f.Type == "money":
		return []string{its + "::bigint", "@" + string(f.Currency)}
	case f.sqlType() != "":
		return []string{its + "::" + f.sqlType()}
	case f.Null():
		return []string{"NULLIF(" + its + ", '')"}
	default:
		return []string{its}
	}
}

// specials returns the columns of a field whose SQL differs from a text's, in Go.
func (f Field) specials() (all []string) {
	names, json := []Name{f.Column(), f.Currency}, ""
	switch {
	case (f.Type == "integer" || f.Type == "decimal") && !f.Optional:
		json = fmt.Sprintf("`'%[1]s', r.%[1]s::text`", f.Name)
	case f.Type == "integer" || f.Type == "decimal":
		json = fmt.Sprintf("`'%[1]s', COALESCE(r.%[1]s::text, '')`", f.Name)
	case f.Type == "money":
		json = fmt.Sprintf("`'%[1]s_minor', r.%[1]s`", f.Name)
	case f.Type == "ref":
		json = fmt.Sprintf("`'%s', ` + %s.Names.JSON(\"%s\")", f.Name, f.To.Package, f.Column())
	case f.Null() && f.Type == "text":
		json = fmt.Sprintf("`'%[1]s', COALESCE(r.%[1]s, '')`", f.Name)
	}
	for i, value := range f.values() {
		special := fmt.Sprintf(`Name: "%s"`, names[i])
		if value != "@"+string(names[i]) {
			special += ", Value: `" + value + "`"
		}
		if i == 0 && json != "" {
			special += ", JSON: " + json
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
	switch f.Type {
	case "integer", "date":
		tag += fmt.Sprintf(` format:"%s"`, f.Type)
	case "decimal":
		tag += ` format:"number"`
	case "money":
		tag += ` format:"decimal"`
	case "ref":
		tag += ` format:"uuid"`
	case "choice":
		tag += fmt.Sprintf(` enum:"%s"`, strings.Join(f.Choices, ","))
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
	case "date":
		return "Enter the day as year-month-day, like 2026-11-21."
	default:
		return "Enter the " + f.Name.Words() + "."
	}
}

// Methods for lists and pages.

// Text returns the Go expression for the text of the field in a variable.
func (f Field) Text(of string) string {
	its := of + "." + f.Name.Go()
	switch f.Type {
	case "money":
		return fmt.Sprintf("web.AmountText(%s.%s, %s)", of, f.Currency.Go(), its)
	case "date":
		return "web.DateText(" + its + ")"
	case "bool":
		return "templates.YesNo(" + its + ")"
	case "choice":
		return "web.OptionText(" + its + ")"
	case "ref":
		return its + ".Name"
	default:
		return its
	}
}

// Kind returns the kind of the field's control in a form; "" for a line.
func (f Field) Kind() string {
	return map[string]string{
		"longtext": "Lines", "integer": "Whole", "decimal": "Decimal", "money": "Decimal", "date": "Day", "bool": "YesOrNo",
		"choice": "OneOf", "ref": "Offered",
	}[f.Type]
}

// Class returns the CSS class of the column of a list.
func (f Field) Class() string {
	switch f.Type {
	case "date":
		return "date"
	case "integer", "decimal", "money":
		return "num"
	default:
		return "name"
	}
}

// Hint returns the hint below a field in the form: that it must be unique, or "".
func (f Field) Hint(one Name) string {
	if !f.Unique {
		return ""
	}
	return "No other " + one.Words() + " can have the same " + f.Name.Words() + "."
}
