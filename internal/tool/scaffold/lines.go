package scaffold

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Lines are rows of a table of their own that belong to a record, and are edited in its form.
type Lines struct {
	Name   Name // "parts"
	One    Name // "part"
	Fields []Field

	of Name // the resource
}

// maxColumns is the most fields of a line. More don't fit in a row of the form, and 200 lines of them in a body.
const maxColumns = 6

// lineTypes are the types that a field of a line can have.
var lineTypes = []string{"text", "integer", "decimal", "percent", "money", "date", "bool"}

// lineBrackets matches lines whose fields have brackets or defaults.
var lineBrackets = regexp.MustCompile(`:lines\([^()]*[(=]`)

func (r *Resource) setLines(f Field) error {
	switch {
	case r.Lines != nil:
		return errors.New("a resource has one kind of lines: make the other one a resource with a ref to this one")
	case f.Optional || f.Unique || f.Alike:
		return fmt.Errorf("the field %s has lines, of which a record may have none, and no marks: leave them out", f.Name)
	}
	l := &Lines{Name: f.Name, One: f.Name.singular(), of: r.One}
	r.Lines = l
	if l.One == l.Name {
		return fmt.Errorf("the lines %s need a name in the plural, like parts", l.Name)
	}
	for text := range strings.SplitSeq(f.of, ",") {
		column, err := parseField(strings.TrimSpace(text))
		if err != nil {
			return fmt.Errorf("the lines %s: %w", l.Name, err)
		}
		if err := l.add(column); err != nil {
			return err
		}
	}
	if len(l.Fields) > maxColumns {
		return fmt.Errorf("the lines %s have %d fields: at most %d", l.Name, len(l.Fields), maxColumns)
	}
	if !slices.ContainsFunc(l.Fields, func(f Field) bool { return f.Type != "bool" }) {
		return fmt.Errorf("the lines %s need a field that can be typed into: a line with yes or no alone is blank", l.Name)
	}
	return nil
}

func (l *Lines) add(f Field) error {
	switch {
	case !slices.Contains(lineTypes, f.Type):
		return fmt.Errorf("the field %s of the lines %s is a %s: choose one of %s", f.Name, l.Name, f.Type, strings.Join(lineTypes, ", "))
	case f.Unique || f.Alike:
		return fmt.Errorf("the field %s of the lines %s has a mark other than ?, which only fields of a record can have", f.Name, l.Name)
	case f.Name == "position" || f.Name == l.Owner():
		return fmt.Errorf("the field %s of the lines %s has the name of a column that every line has: choose another one", f.Name, l.Name)
	}
	for _, other := range l.Fields {
		if other.Name.Go() == f.Name.Go() {
			return fmt.Errorf("the lines %s have the field %s twice", l.Name, f.Name)
		}
	}
	l.Fields = append(l.Fields, f)
	return l.Control(f).check("field", reservedFields)
}

// names returns the names of lines that fields of the record can't have: in its table and its form. People could not tell two fields with
// one label apart.
func (l *Lines) names() (all []Name) {
	all = []Name{l.Name}
	for _, f := range l.Fields {
		all = append(all, f.Name, l.Control(f))
	}
	return all
}

// The amounts of lines are in the currency of the record: that of its only amount, if it always has one, or else its own field.

// currency is the type of that field, which comes with the lines.
var currency = fieldType{name: "currency", sql: "currency_code", format: "currency", control: "OneOf", class: "date"}

// addCurrency adds the currency of the amounts of lines to a resource, if they need one. seen are the names of its fields.
func (r *Resource) addCurrency(seen map[Name]bool) error {
	if r.Lines == nil || !r.Lines.Amounts() {
		return nil
	}
	if amounts := r.Has("money"); len(amounts) == 1 && !amounts[0].Optional {
		return nil
	}
	if seen["currency"] {
		return fmt.Errorf("the field \"currency\" is that of the amounts of the %s, which comes with them: leave it out", r.Lines.Name)
	}
	r.Fields = append(r.Fields, Field{Name: "currency", Type: currency.name, kind: currency})
	return nil
}

// Methods for the templates.

// Most returns the largest number of lines.
func (l *Lines) Most() int { return 200 }

// Table returns the name of the table.
func (l *Lines) Table() Name { return l.of + "_" + l.Name }

// Owner returns the column with the id of the record.
func (l *Lines) Owner() Name { return l.of + "_id" }

// Control returns the name of a control in the form.
func (l *Lines) Control(f Field) Name { return l.One + "_" + f.Name }

// Amounts reports whether the lines have money.
func (l *Lines) Amounts() bool { return len(l.has("money")) > 0 }

func (l *Lines) has(kind string) []Field {
	return slices.DeleteFunc(slices.Clone(l.Fields), func(f Field) bool { return f.Type != kind })
}

// OptionalAmounts returns the amounts that may be blank.
func (l *Lines) OptionalAmounts() []Field {
	return slices.DeleteFunc(l.has("money"), func(f Field) bool { return !f.Optional })
}

// Columns returns the columns of the table, aligned.
func (l *Lines) Columns() string {
	all := []column{{"tenant_id", "uuid", "NOT NULL"}, {string(l.Owner()), "uuid", "NOT NULL"}, {"position", "integer", "NOT NULL"}}
	for _, f := range l.Fields {
		all = append(all, f.columns(l.of)[0])
	}
	var b strings.Builder
	names, types := widths(all)
	for _, c := range all {
		b.WriteString(c.line(names, types))
	}
	return b.String()
}

// Names returns the columns of the fields, separated by commas.
func (l *Lines) Names() string { return l.joined(func(f Field) string { return string(f.Name) }) }

// Sent returns the columns of the fields in the argument of a statement, with their types.
func (l *Lines) Sent() string {
	return l.joined(func(f Field) string { return string(f.Name) + " " + f.sentAs() })
}

func (f Field) sentAs() string {
	switch {
	case f.Type == "money":
		return "bigint"
	case f.kind.text:
		return "text"
	default:
		return f.kind.sql
	}
}

// Values returns SQL expressions for the columns, from the columns of that argument.
func (l *Lines) Values() string {
	return l.joined(func(f Field) string {
		if f.kind.text && f.kind.sql != "" {
			return fmt.Sprintf("NULLIF(%s, '')::%s", f.Name, f.kind.sql)
		}
		return string(f.Name)
	})
}

// JSON returns the arguments of json_build_object for the row l.
func (l *Lines) JSON() string {
	return l.joined(func(f Field) string {
		value := "l." + string(f.Name)
		if f.kind.json != "" {
			value = strings.ReplaceAll(f.kind.json, "{}", value)
		}
		if f.kind.text && f.Null() {
			value = "COALESCE(" + value + ", '')"
		}
		return fmt.Sprintf("'%s', %s", f.Name, value)
	})
}

func (l *Lines) joined(text func(Field) string) string {
	var b strings.Builder
	width := 0
	for i, f := range l.Fields {
		switch each := text(f); {
		case i == 0:
			b.WriteString(each)
			width = len(each)
		case width+len(each) > maxSpecial-20:
			b.WriteString(",\n\t\t\t" + each)
			width = len(each)
		default:
			b.WriteString(", " + each)
			width += len(each) + 2
		}
	}
	return b.String()
}

// InLine returns the field in the struct of a line, in Go.
func (f Field) InLine() string {
	is, options := "string", ""
	switch {
	case f.Type == "money" && f.Optional:
		is, options = "*int64", ",omitzero"
	case f.Type == "money":
		is = "int64"
	case f.Type == "bool":
		is = "bool"
	case f.Type == "date":
		is = "date.Date"
		if f.Optional {
			options = ",omitzero"
		}
	}
	format := ""
	if is == "string" && f.kind.format != "" {
		format = fmt.Sprintf(` format:"%s"`, f.kind.format)
	}
	note := ""
	if f.Type == "money" {
		note = " // minor units"
	}
	return fmt.Sprintf("%s %s `json:\"%s%s\"%s`%s", f.Name.Go(), is, f.Name, options, format, note)
}

// LineText returns the Go expression for the text of a line's field on the page of a record in a variable.
func (f Field) LineText(of string) string {
	switch {
	case f.Type == "money" && f.Optional:
		return f.Name.Local()
	case f.Type == "money":
		return fmt.Sprintf("web.AmountText(%s.Currency, line.%s)", of, f.Name.Go())
	default:
		return f.Text("line")
	}
}

// Samples returns the samples of the fields of the lines, under the names of their controls. No invalid one is blank, because the form
// leaves blank lines out.
func (l *Lines) Samples() (all []Sample) {
	for _, f := range l.Fields {
		s := f.samples()[0]
		s.Name = l.Control(f)
		if f.Type == "text" {
			s.Invalid = `"a\u202eb"`
		}
		all = append(all, s)
	}
	return all
}
