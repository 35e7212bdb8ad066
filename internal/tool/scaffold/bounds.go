package scaffold

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"onlyonce/internal/invalid"
)

// Bounds are the limits of a text or a number.
type Bounds struct {
	Most      int    // characters of a text
	Low, High string // of a number; "" for none
}

// bounded are the types that can have bounds in brackets.
var bounded = []string{"text", "longtext", "integer", "decimal"}

// setBounds parses the text in the brackets of text(50), integer(1..100) or decimal(0..); "" for the usual bounds.
func (f *Field) setBounds(inside string) error {
	if f.Most = f.kind.limit; inside == "" {
		return nil
	}
	if f.Most > 0 {
		most, err := strconv.Atoi(inside)
		if err != nil || most < 1 || most > f.Most {
			return fmt.Errorf("the field %s: write the most characters, from 1 to %d, like %s(50)", f.Name, f.Most, f.Type)
		}
		f.Most = most
		return nil
	}
	low, high, ok := strings.Cut(inside, "..")
	var problems invalid.Error
	f.Low, f.High = f.kind.valid(&problems, "", low), f.kind.valid(&problems, "", high)
	switch {
	case !ok, problems.Err() != nil, f.Low+f.High == "":
		return fmt.Errorf("the field %s: write the bounds of the %s, like %[2]s(1..100), %[2]s(0..) or %[2]s(..100)", f.Name, f.Type)
	case f.Low != "" && f.High != "" && f.value(1).GreaterThan(decimal.RequireFromString(f.High)):
		return fmt.Errorf("the field %s: the second bound has to be greater than the first by 1, at least", f.Name)
	default:
		return nil
	}
}

// checkRoom returns an error if the bounds of a field leave no room for the values of the tests. They add a number of six digits to the
// name of a record, and to values that are compared.
func (r Resource) checkRoom() error {
	for _, f := range r.Fields {
		compared := f.Unique || f.Ruled && f.varies()
		switch need := len(f.Name) + len(" three 100000"); {
		case f.Most > 0 && f.Most < need && (compared || f.Name == r.Label().Name):
			return fmt.Errorf("the field %s: its tests need at least %d characters", f.Name, need)
		case compared && f.High != "":
			return fmt.Errorf("the field %s: its tests need more different values than there are up to %s: leave this bound out",
				f.Name, f.High)
		}
	}
	return nil
}

// value returns the n-th number from the first bound.
func (f Field) value(n int64) decimal.Decimal {
	if f.Low == "" {
		return decimal.RequireFromString(f.High).Sub(decimal.NewFromInt(n))
	}
	return decimal.RequireFromString(f.Low).Add(decimal.NewFromInt(n))
}

// numbers returns samples within the bounds.
func (f Field) numbers() (all [7]string) {
	for i := range all {
		all[i] = f.value(int64(i)).String()
		if f.Low != "" && f.High != "" && f.value(int64(i)).GreaterThan(decimal.RequireFromString(f.High)) {
			all[i] = f.High
		}
	}
	return all
}

// check returns the SQL condition on a value that isn't blank; "" for none.
func (f Field) check() string {
	its := string(f.Column())
	var all []string
	if f.kind.check != "" {
		all = append(all, strings.ReplaceAll(f.kind.check, "{}", its))
	}
	low, high := f.Low, f.High
	if f.Type == "integer" {
		low, high = cmp.Or(low, "-999999999999999"), cmp.Or(high, "999999999999999")
	}
	switch {
	case f.Most > 0:
		all = append(all, fmt.Sprintf("length(%s) <= %d", its, f.Most))
	case low != "" && high != "":
		all = append(all, fmt.Sprintf("%s BETWEEN %s AND %s", its, low, high))
	case low != "":
		all = append(all, its+" >= "+low)
	case high != "":
		all = append(all, its+" <= "+high)
	}
	return strings.Join(all, " AND ")
}

// Methods for the templates.

// Ranged reports whether a number has bounds.
func (f Field) Ranged() bool { return f.Low+f.High != "" }

// Limit returns the constant with the most characters of a text.
func (f Field) Limit() string {
	switch {
	case f.Most != f.kind.limit:
		return "Max" + f.Name.Go()
	case f.Type == "longtext":
		return "MaxLines"
	default:
		return "MaxLine"
	}
}

// Limits returns these constants with their values, each once.
func (r Resource) Limits() (all []string) {
	texts := r.Has("text", "longtext")
	if r.Lines != nil {
		texts = append(texts, r.Lines.has("text")...)
	}
	for _, f := range texts {
		if limit := fmt.Sprintf("%s = %d", f.Limit(), f.Most); !slices.Contains(all, limit) {
			all = append(all, limit)
		}
	}
	return all
}

// Sentence returns the bounds for people; "" for the usual ones.
func (f Field) Sentence() string {
	switch {
	case f.Most != f.kind.limit:
		return fmt.Sprintf("At most %d characters.", f.Most)
	case f.Low != "" && f.High != "":
		return fmt.Sprintf("From %s to %s.", f.Low, f.High)
	case f.Low != "":
		return "At least " + f.Low + "."
	case f.High != "":
		return "At most " + f.High + "."
	default:
		return ""
	}
}

// Beyond returns numbers outside of the bounds.
func (f Field) Beyond() (all []string) {
	if f.Low != "" {
		all = append(all, f.value(-1).String())
	}
	if f.High != "" {
		all = append(all, decimal.RequireFromString(f.High).Add(decimal.NewFromInt(1)).String())
	}
	return all
}

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
