package scaffold

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"onlyonce/internal/invalid"
	"onlyonce/internal/value/typed"
)

// Resource is the specification of a new kind of record.
type Resource struct {
	One    Name // "expense"
	Many   Name // "expenses"
	Fields []Field
	State  *State // nil if it has none
	Lines  *Lines // nil if it has none
	Rules  []Rule // uniqueness rules of one field or several
	Run    bool   // whether its operations are in the style Run, code on a transaction instead of statements
	// External reports whether programs may send an external id.
	External bool
}

// Field is a field of a resource, as in its form.
type Field struct {
	Name     Name
	Type     string // name of one of the fieldTypes
	Optional bool   // may be blank
	Unique   bool   // no two records of a tenant have the same value
	Ruled    bool   // part of a uniqueness rule over several fields
	Alike    bool   // part of the likeness
	Sorted   bool   // lists can be sorted by it
	Default  string // initial value of a new form; "" for none
	Choices  []string
	To       Target // of a ref
	// Currency is the name of the currency of money.
	Currency Name
	Bounds

	kind fieldType
	of   string // the text in the brackets of a ref, a state or lines
}

// external marks a resource whose records have external ids.
const external = "external"

// maxFields is the most fields of a resource. More are too many for one form, and one intent. maxFiles is the most files: the bound of a
// request is for all of them.
const (
	maxFields = 40
	maxFiles  = 4
)

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
	if bad := lineBrackets.FindString(fields); bad != "" {
		return r, fmt.Errorf("fields of lines have no brackets and no defaults: choose one of %s", strings.Join(lineTypes, ", "))
	}
	seen := map[Name]bool{}
	var also untyped
	for _, text := range specified.FindAllString(fields+",", -1) {
		text = strings.TrimSpace(strings.TrimSuffix(text, ","))
		if text == external {
			r.External, seen["source"], seen["external_id"], seen["external"] = true, true, true, true
			continue
		}
		if also.read(text) {
			continue
		}
		f, err := parseField(text)
		if err == nil && seen[f.Column()] {
			err = fmt.Errorf("the field %q is there twice", f.Column())
		}
		problems, seen[f.Column()] = append(problems, err, r.add(f)), true
	}
	if len(r.Fields) > maxFields {
		problems = append(problems, fmt.Errorf("%d fields are too many: at most %d", len(r.Fields), maxFields))
	}
	if err := errors.Join(append(problems, r.checkFiles())...); err != nil {
		return r, err
	}
	for _, inside := range also.rules {
		if err := r.rule(inside); err != nil {
			return r, err
		}
	}
	if err := r.sort(also.sorts); err != nil {
		return r, err
	}
	for _, f := range r.Fields {
		if f.Unique {
			r.Rules = append(r.Rules, Rule{[]Field{f}})
		}
	}
	if err := r.checkName(); err != nil {
		return r, err
	}
	if err := errors.Join(r.checkRoom(), r.nameCurrencies(seen)); err != nil {
		return r, err
	}
	if err := r.addCurrency(seen); err != nil {
		return r, err
	}
	return r, r.apart()
}

// untyped has the contents of unique(…) and sort(…), which come as fields without a type.
type untyped struct{ rules, sorts []string }

func (u *untyped) read(text string) bool {
	if several := uniqueForm.FindStringSubmatch(text); several != nil {
		u.rules = append(u.rules, several[1])
		return true
	}
	by := sortForm.FindStringSubmatch(text)
	if by != nil {
		u.sorts = append(u.sorts, strings.Split(by[1], ",")...)
	}
	return by != nil
}

// checkName returns an error if a record would have no name.
func (r Resource) checkName() error {
	if !r.Nameless() {
		return nil
	}
	if !slices.ContainsFunc(r.Fields, isDay) {
		return errors.New("one field has to be a text without ? and without a default, the name of a record on pages, like name:text, " +
			"or else a date, like day:date")
	}
	if slices.ContainsFunc(r.Fields, func(f Field) bool { return f.Type == "ref" && f.of == string(r.One) }) {
		return fmt.Errorf("%s has no name that a reference could show: add a text, like name:text", r.One.A())
	}
	return nil
}

func (r *Resource) add(f Field) error {
	switch f.Type {
	case "state":
		return r.setState(f)
	case "lines":
		return r.setLines(f)
	}
	r.Fields = append(r.Fields, f)
	if f.Type == "ref" && f.of == string(r.One) && !f.Optional {
		return fmt.Errorf("the field %s refers to %s, and the first one can't: write %[1]s:ref(%[3]s):?", f.Name, r.One.A(), r.One)
	}
	return nil
}

// checkFiles checks the number of files, and that their addresses are free.
func (r Resource) checkFiles() error {
	files := r.Has("file")
	if len(files) > maxFiles {
		return fmt.Errorf("%d files are too many: at most %d", len(files), maxFiles)
	}
	for _, m := range r.Moves() {
		if slices.ContainsFunc(files, func(f Field) bool { return f.Name == m.Verb }) {
			return fmt.Errorf("the file %s would have the address of a transition: choose another name", m.Verb)
		}
	}
	return nil
}

// apart returns an error if two fields would have the same name in the table, in Go, or in the API.
func (r Resource) apart() error {
	owner := map[string]Name{}
	if r.External {
		for _, name := range []Name{"source", "source_folded", "external_id", "external_digest"} {
			owner[name.Go()] = external
		}
	}
	if r.State != nil {
		owner[r.State.Name.Go()] = r.State.Name
	}
	if r.Lines != nil {
		for _, name := range r.Lines.names() {
			if other, ok := owner[name.Go()]; ok {
				return fmt.Errorf("the fields %s and %s would both have the name %s: rename one of them", other, r.Lines.Name, name)
			}
		}
		for _, name := range r.Lines.names() {
			owner[name.Go()] = r.Lines.Name
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
		if len(amounts) > 1 || f.Optional && r.Lines != nil && r.Lines.Amounts() {
			r.Fields[i].Currency = f.Name + "_currency"
		}
		if seen[r.Fields[i].Currency] {
			return fmt.Errorf("the field %q is the currency of %s, which comes with it: leave it out", r.Fields[i].Currency, f.Name)
		}
	}
	return nil
}

var (
	specified  = regexp.MustCompile(`(?:\([^()]*\)|[^(),]|[()])*?,`)
	uniqueForm = regexp.MustCompile(`^unique\(([^()]*)\)$`)
	sortForm   = regexp.MustCompile(`^sort\(([^()]*)\)$`)
	typeForm   = regexp.MustCompile(`^([a-z]+)(?:\(([^()]*)\))?$`)
	marks      = regexp.MustCompile(`^(.*):(\?|unique|unique\?|alike)$`)
)

func parseField(text string) (Field, error) {
	name, rest, ok := strings.Cut(text, ":")
	form, given, hasDefault := strings.Cut(rest, "=")
	mark := ""
	if marked := marks.FindStringSubmatch(given); marked != nil {
		given, mark = marked[1], marked[2]
	} else if !hasDefault {
		brackets := strings.LastIndex(form, ")") + 1 // whose content may have colons
		bare, marked, _ := strings.Cut(form[brackets:], ":")
		form, mark = form[:brackets]+bare, marked
	}
	if !ok || strings.Contains(mark, ":") {
		return Field{}, fmt.Errorf("the field %q is neither name:type nor name:type:marks", text)
	}
	f := Field{Name: Name(name), Default: given}
	if err := f.Name.check("field", reservedFields); err != nil {
		return f, err
	}
	if bare, blank := strings.CutSuffix(form, "?"); blank {
		return f, fmt.Errorf("the field %s: a mark comes behind a colon, as in %s:%s:?", f.Name, f.Name, bare)
	}
	parts := typeForm.FindStringSubmatch(form)
	var names []string
	for _, kind := range fieldTypes {
		if names = append(names, kind.name); parts != nil && kind.name == parts[1] {
			f.Type, f.kind = kind.name, kind
		}
	}
	if f.Type == "" {
		return f, fmt.Errorf("the field %s has the type %q: choose one of %s", f.Name, form, strings.Join(names, ", "))
	}
	switch mark {
	case "":
	case "?":
		f.Optional = true
	case "unique":
		f.Unique = true
	case "unique?":
		f.Optional, f.Unique = true, true
	case "alike":
		f.Alike = true
	default:
		return f, fmt.Errorf("the field %s has the marks %q: choose one of ?, unique, unique?, alike", f.Name, mark)
	}
	if err := f.checkType(parts[2]); err != nil || !hasDefault {
		return f, err
	}
	return f, f.checkDefault()
}

// checkDefault checks the default, and makes it canonical.
func (f *Field) checkDefault() error {
	var problems invalid.Error
	given := f.Default
	switch {
	case f.Optional || f.Unique:
		return fmt.Errorf("the field %s has a default, and so it can be neither blank nor unique: leave the mark out", f.Name)
	case f.Type == "bool":
		typed.Choice(&problems, "", given, []string{"true", "false"})
	case f.Type == "choice":
		typed.Choice(&problems, "", given, f.Choices)
	case f.kind.valid == nil:
		return fmt.Errorf("the field %s is a %s, which can't have a default", f.Name, f.Type)
	default:
		f.Default = f.kind.valid(&problems, "", given)
		typed.Between(&problems, "", f.Default, f.Low, f.High)
	}
	if f.Most > 0 {
		problems.Line("", "the text", given, f.Most)
	}
	for _, problem := range problems.Fields {
		return fmt.Errorf("the field %s has the default %q: %s", f.Name, given, problem.Message)
	}
	if f.Default == "" || strings.ContainsAny(given, "\"\\`") {
		return fmt.Errorf("the field %s has the default %q: write a value behind =, without quotes", f.Name, given)
	}
	return nil
}

// checkType parses the text in the brackets of the type, and checks the combination with the marks.
func (f *Field) checkType(inside string) error {
	var uniques []string
	for _, kind := range fieldTypes {
		if kind.unique {
			uniques = append(uniques, kind.name)
		}
	}
	switch {
	case slices.Contains([]string{"choice", "state", "ref", "lines"}, f.Type) == (inside == "") && !slices.Contains(bounded, f.Type):
		return fmt.Errorf("the field %s: write choice(a|b|c), state(open>closed), ref(customer), lines(part:text,hours:decimal), "+
			"text(50), integer(1..100), decimal(0..), and the other types without brackets", f.Name)
	case f.Type == "file" && f.Alike:
		return fmt.Errorf("the field %s is a file, and no two of them are alike: leave the mark out", f.Name)
	case f.Type == "file" && slices.Contains([]string{"archive", "edit", "events", "form", "restore"}, string(f.Name)):
		return fmt.Errorf("the file %s would have the address of another page: choose another name", f.Name)
	case f.Type == "bool" && f.Optional:
		return fmt.Errorf("the field %s is yes or no, and never blank: leave the ? out", f.Name)
	case f.Unique && !f.kind.unique:
		return fmt.Errorf("the field %s is a %s: only %s can be unique", f.Name, f.Type, strings.Join(uniques, ", "))
	case slices.Contains(bounded, f.Type):
		return f.setBounds(inside)
	case f.Type == "ref", f.Type == "state", f.Type == "lines":
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

// isLabel reports whether a field can be the label of a record, and isDay whether it can begin the name of a record without a label.
func isLabel(f Field) bool { return f.Type == "text" && !f.Optional && f.Default == "" }
func isDay(f Field) bool   { return f.Type == "date" && !f.Optional && f.Default == "" }

// Has returns the fields of some types.
func (r Resource) Has(types ...string) (found []Field) {
	for _, f := range r.Fields {
		if slices.Contains(types, f.Type) {
			found = append(found, f)
		}
	}
	return found
}
