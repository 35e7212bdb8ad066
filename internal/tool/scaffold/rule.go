package scaffold

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Rule is a uniqueness rule: no two records of a tenant have the same values in all of its fields.
type Rule struct{ Fields []Field }

// rule makes a rule of the fields in the brackets of unique(vehicle,day,slot).
func (r *Resource) rule(inside string) error {
	var rule Rule
	for name := range strings.SplitSeq(inside, ",") {
		i := slices.IndexFunc(r.Fields, func(f Field) bool { return string(f.Name) == strings.TrimSpace(name) })
		if i < 0 {
			return fmt.Errorf("unique(%s) names %q, which is none of the fields", inside, strings.TrimSpace(name))
		}
		switch f := &r.Fields[i]; {
		case f.Unique || f.Ruled:
			return fmt.Errorf("the field %s is in two unique rules: leave it out of unique(%s)", f.Name, inside)
		case f.Optional:
			return fmt.Errorf("the field %s of unique(%s) may be blank: leave its ? out", f.Name, inside)
		case slices.Contains([]string{"longtext", "url", "phone", "percent", "money", "file"}, f.Type):
			return fmt.Errorf("the field %s of unique(%s) is a %s, which no rule compares", f.Name, inside, f.Type)
		default:
			f.Ruled = true
			rule.Fields = append(rule.Fields, *f)
		}
	}
	if len(rule.Fields) < 2 {
		return fmt.Errorf("unique(%s) has one field: write it as a mark, as in %[1]s:text:unique", inside)
	}
	if !slices.ContainsFunc(rule.Fields, Field.varies) {
		return errors.New("unique(" + inside + ") needs one field with many values: a text, email, integer, decimal or date")
	}
	r.Rules = append(r.Rules, rule)
	return nil
}

// varies reports whether the tests vary a field, so that the records differ under a rule. The others agree.
func (f Field) varies() bool { return f.kind.unique }

// Name returns the name of the rule: "vehicle_day_slot".
func (u Rule) Name() Name {
	var all []string
	for _, f := range u.Fields {
		all = append(all, string(f.Name))
	}
	return Name(strings.Join(all, "_"))
}

// Words returns the fields within a sentence: "vehicle, day and slot".
func (u Rule) Words() string {
	var all []string
	for _, f := range u.Fields {
		all = append(all, f.Name.Words())
	}
	return listed(all, "and")
}

// Label returns the words at the beginning of a sentence.
func (u Rule) Label() string { return strings.ToUpper(u.Words()[:1]) + u.Words()[1:] }

// One reports whether the rule has one field.
func (u Rule) One() bool { return len(u.Fields) == 1 }

// Varied returns the field that the form marks, and that the tests vary.
func (u Rule) Varied() Field { return u.Fields[slices.IndexFunc(u.Fields, Field.varies)] }

// Sample returns the sample of the varied field.
func (u Rule) Sample() Sample { return u.Varied().samples()[0] }

// Folded reports whether the rule ignores case.
func (u Rule) Folded() bool { return slices.ContainsFunc(u.Fields, Field.folded) }

// Optional reports whether records without a value are not compared.
func (u Rule) Optional() bool { return u.Fields[0].Optional }

// Columns returns the compared columns.
func (u Rule) Columns() string {
	var all []string
	for _, f := range u.Fields {
		all = append(all, string(f.Compared()))
	}
	return strings.Join(all, ", ")
}

// Condition returns the SQL condition that finds the record with the same values.
func (u Rule) Condition() string {
	var all []string
	for _, f := range u.Fields {
		all = append(all, f.condition())
	}
	return strings.Join(all, " AND ")
}

// Values returns a Go expression for a text that names the fields of a record and their values, such as
// " has the day " + other.Day.Display().
func (u Rule) Values(text string) string {
	var all []string
	for i, f := range u.Fields {
		value := "other." + f.Name.Go() + f.kind.read
		switch f.Type {
		case "ref":
			value += ".Name"
		case "bool":
			value = "strconv.FormatBool(" + value + ")"
		}
		switch {
		case i == len(u.Fields)-1 && i > 0:
			text = " and "
		case i > 0:
			text = ", "
		}
		all = append(all, fmt.Sprintf("%q + %s", text+"the "+f.Name.Words()+" ", value))
	}
	return strings.Join(all, " +\n")
}

// listed returns words as in a sentence: "a, b and c".
func listed(all []string, and string) string {
	last := len(all) - 1
	if last == 0 {
		return all[0]
	}
	return strings.Join(all[:last], ", ") + " " + and + " " + all[last]
}
