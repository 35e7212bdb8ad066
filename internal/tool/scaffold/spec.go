package scaffold

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Resource is the specification of a new kind of record.
type Resource struct {
	One    Name // "expense"
	Many   Name // "expenses"
	Fields []Field
	Run    bool // whether its operations are in the style Run, code on a transaction instead of statements
	// External reports whether programs may send an external id.
	External bool
}

// Field is a field of a resource, as in its form.
type Field struct {
	Name     Name
	Type     string // "text", "longtext", "integer", "decimal", "money", "date", "bool", "choice" or "ref"
	Optional bool   // may be blank
	Unique   bool   // no two records of a tenant have the same value
	Alike    bool   // part of the likeness
	Choices  []string
	To       Target // of a ref
	// Currency is the name of the currency of money.
	Currency Name

	of string // the name of the referenced resource
}

var fieldTypes = []string{"text", "longtext", "integer", "decimal", "money", "date", "bool", "choice", "ref"}

// external marks a resource whose records have external ids.
const external = "external"

// maxFields is the most fields of a resource. More are too many for one form, and one intent.
const maxFields = 40

// Parse reads the specification of a resource: its name, its plural or "", and its fields; see the package comment. It returns
// all errors joined.
func Parse(one, plural, fields string) (Resource, error) {
	r := Resource{One: Name(one), Many: Name(plural)}
	problems := []error{r.One.check("resource", reservedResources)}
	if problems[0] == nil && plural == "" {
		r.Many = r.One.plural()
	}
	if problems[0] == nil {
		problems = append(problems, r.Many.check("plural", nil))
	}
	if r.Many == r.One {
		problems = append(problems, fmt.Errorf("%q is its own plural: name another one with plural=", one))
	}
	seen := map[Name]bool{}
	for text := range strings.SplitSeq(fields, ",") {
		if strings.TrimSpace(text) == external {
			r.External, seen["source"], seen["external_id"], seen["external"] = true, true, true, true
			continue
		}
		f, err := parseField(strings.TrimSpace(text))
		if err == nil && seen[f.Column()] {
			err = fmt.Errorf("the field %q is there twice", f.Column())
		}
		problems, seen[f.Column()] = append(problems, err), true
		r.Fields = append(r.Fields, f)
	}
	if len(r.Fields) > maxFields {
		problems = append(problems, fmt.Errorf("%d fields are too many: at most %d", len(r.Fields), maxFields))
	}
	if err := errors.Join(problems...); err != nil {
		return r, err
	}
	if !slices.ContainsFunc(r.Fields, isLabel) {
		return r, errors.New("one field has to be a text without ?, by which people know a record: like name:text")
	}
	if err := r.nameCurrencies(seen); err != nil {
		return r, err
	}
	return r, r.apart()
}

// apart returns an error if two fields would have the same name in the table, in Go, or in the API.
func (r Resource) apart() error {
	owner := map[string]Name{}
	if r.External {
		for _, name := range []Name{"source", "source_folded", "external_id", "external_digest"} {
			owner[name.Go()] = external
		}
	}
	for _, f := range r.Fields {
		for _, name := range f.names() {
			if other, ok := owner[name.Go()]; ok && other != f.Name {
				return fmt.Errorf("the fields %s and %s would both have the name %s: rename one of them", other, f.Name, name)
			}
			owner[name.Go()] = f.Name
		}
	}
	return nil
}

// nameCurrencies names the currency of each amount: currency if there is only one amount.
func (r *Resource) nameCurrencies(seen map[Name]bool) error {
	amounts := r.Has("money")
	for i, f := range r.Fields {
		if f.Type != "money" {
			continue
		}
		r.Fields[i].Currency = "currency"
		if len(amounts) > 1 {
			r.Fields[i].Currency = f.Name + "_currency"
		}
		if seen[r.Fields[i].Currency] {
			return fmt.Errorf("the field %q is the currency of %s, which comes with it: leave it out", r.Fields[i].Currency, f.Name)
		}
	}
	return nil
}

var typeForm = regexp.MustCompile(`^([a-z]+)(?:\(([^()]*)\))?$`)

func parseField(text string) (Field, error) {
	parts := strings.Split(text, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return Field{}, fmt.Errorf("the field %q is neither name:type nor name:type:marks", text)
	}
	f := Field{Name: Name(parts[0])}
	if err := f.Name.check("field", reservedFields); err != nil {
		return f, err
	}
	if bare, blank := strings.CutSuffix(parts[1], "?"); blank {
		return f, fmt.Errorf("the field %s: a mark comes behind a colon, as in %s:%s:?", f.Name, f.Name, bare)
	}
	form := typeForm.FindStringSubmatch(parts[1])
	if form == nil || !slices.Contains(fieldTypes, form[1]) {
		return f, fmt.Errorf("the field %s has the type %q: choose one of text, longtext, integer, decimal, money, date, bool, "+
			"choice(a|b|c), ref(customer)", f.Name, parts[1])
	}
	f.Type = form[1]
	if len(parts) == 3 {
		switch parts[2] {
		case "?":
			f.Optional = true
		case "unique":
			f.Unique = true
		case "unique?":
			f.Optional, f.Unique = true, true
		case "alike":
			f.Alike = true
		default:
			return f, fmt.Errorf("the field %s has the marks %q: choose one of ?, unique, unique?, alike", f.Name, parts[2])
		}
	}
	return f, f.checkType(form[2])
}

// checkType parses the text in the brackets of the type, and checks the combination with the marks.
func (f *Field) checkType(inside string) error {
	uniques := []string{"text", "integer", "decimal", "date"}
	switch {
	case (f.Type == "choice" || f.Type == "ref") == (inside == ""):
		return fmt.Errorf("the field %s: write choice(a|b|c), ref(customer), and the other types without brackets", f.Name)
	case f.Type == "bool" && f.Optional:
		return fmt.Errorf("the field %s is yes or no, and never blank: leave the ? out", f.Name)
	case f.Unique && !slices.Contains(uniques, f.Type):
		return fmt.Errorf("the field %s is a %s: only %s can be unique", f.Name, f.Type, strings.Join(uniques, ", "))
	case f.Type == "ref":
		f.of = inside
	case f.Type == "choice":
		f.Choices = strings.Split(inside, "|")
		for i, choice := range f.Choices {
			if !isName.MatchString(choice) || slices.Contains(f.Choices[:i], choice) || len(f.Choices) < 2 {
				return fmt.Errorf("the field %s: write at least two different choices of small letters, digits and _, "+
					"like choice(travel|meals)", f.Name)
			}
		}
	}
	return nil
}

// isLabel reports whether a field can be the label of a record.
func isLabel(f Field) bool { return f.Type == "text" && !f.Optional }

// Has returns the fields of some types.
func (r Resource) Has(types ...string) (found []Field) {
	for _, f := range r.Fields {
		if slices.Contains(types, f.Type) {
			found = append(found, f)
		}
	}
	return found
}
