package scaffold

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"onlyonce/internal/invalid"
	"onlyonce/internal/value/typed"
)

// Sample is a field of the form with its values in the commands of the tests.
type Sample struct {
	Field Field
	Name  Name // in the form
	// Command is the value of the first record, Valid that of a valid change, and Other that of another record.
	Command, Valid, Other string
	// Invalid is refused, as a Go expression.
	Invalid string
	// Taken and Free are additional values of a unique field.
	Taken, Free string
	// Example is the value in the documentation.
	Example string
	// First is the value of a record that others refer to; "" for the other record's.
	First string
}

// Samples returns the samples of all fields. References and files come first, because the tests change the last field: a reference needs a
// record, and a file is never in a form.
func (r Resource) Samples() (all []Sample) {
	for _, f := range r.Has("ref") {
		all = append(all, Sample{
			Field: f, Name: f.Column(), Command: "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f80", Other: "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f80",
			Invalid: `"nobody"`, Example: "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f80",
		})
	}
	for _, f := range r.Has("file") {
		all = append(all, f.samples()...)
	}
	for _, f := range r.Fields {
		if f.Type != "ref" && f.Type != "file" {
			all = append(all, f.samples()...)
		}
	}
	return all
}

func (f Field) samples() []Sample {
	label := f.Name.Label()
	if f.Type == "longtext" {
		label += ":\n-"
	}
	values := f.kind.samples
	invalid := cmp.Or(f.kind.invalid, "much")
	switch f.Type {
	case "text", "longtext":
		values = [7]string{" one", " two", " three", " four", " five", " A", " seven"}
		for i := range values {
			values[i] = label + values[i]
		}
		if f.Most < len(values[2]) {
			values = [7]string{"a", "b", "c", "", "", "a", "d"}
		}
		if invalid = "a\u202eb"; f.Required() {
			invalid = " "
		}
	case "file":
		values = [7]string{"one", "two", "three", "", "", "one"}
		invalid = "<html>"
	case "bool":
		invalid = ""
	case "integer", "decimal":
		if f.Ranged() {
			values = f.numbers()
		}
	case "currency":
		values, invalid = [7]string{"EUR", "USD", "EUR", "", "", "EUR"}, "nobody"
	case "choice":
		values = [7]string{f.Choices[0], f.Choices[1], f.Choices[1], "", "", f.Choices[0]}
	}
	s := Sample{Field: f, Name: f.Name, Command: values[0], Valid: values[1], Other: values[2], Taken: values[3], Free: values[4]}
	if s.Example, s.First = values[5], values[6]; invalid != "" {
		s.Invalid = strconv.QuoteToASCII(invalid)
	}
	if f.Ruled && !f.varies() { // the commands agree in it
		s.Other = s.Command
	}
	if f.Type != "money" {
		return []Sample{s}
	}
	return []Sample{s, {Field: f, Name: f.Currency, Command: "EUR", Valid: "USD", Other: "EUR", Invalid: `"nobody"`, Example: "EUR"}}
}

// IsText reports whether the field is one of [Resource.Texts].
func (s Sample) IsText() bool { return s.Field.kind.text }

// Go returns the name of a sample's field in Go.
func (s Sample) Go() string {
	if s.Field.Type == "ref" {
		return s.Field.Name.Go() + "ID"
	}
	return s.Name.Go()
}

// Typed returns a value as a Go expression in a form of the tests.
func (s Sample) Typed(value string) string {
	if s.Field.Type == "file" {
		return fmt.Sprintf("sitetest.FileValue(%q, %q)", value+".txt", value)
	}
	return strconv.Quote(value)
}

// Refused returns the invalid value as a Go expression in a form of the tests.
func (s Sample) Refused() string {
	if s.Field.Type == "file" {
		return fmt.Sprintf("sitetest.FileValue(%q, %s)", s.Command+".txt", s.Invalid)
	}
	return s.Invalid
}

// Wrong returns the invalid value as a Go expression in the input of the API.
func (s Sample) Wrong() string {
	if s.Field.Type == "file" {
		return fmt.Sprintf("file.Input{Name: %q, Content: []byte(%s)}", s.Command+".txt", s.Invalid)
	}
	return s.Invalid
}

// Literal returns a value as a Go literal in the input of the API.
func (s Sample) Literal(value string) string {
	switch s.Field.Type {
	case "file":
		return fmt.Sprintf("file.Input{Name: %q, Content: []byte(%q)}", value+".txt", value)
	case "bool":
		return value
	case "timestamp":
		return strconv.Quote(typed.UTC(value))
	default:
		return strconv.Quote(value)
	}
}

// Pointer returns the JSON Pointer of a field that can be invalid.
func (s Sample) Pointer() string {
	if s.Invalid == "" {
		return ""
	}
	return fmt.Sprintf("/%s", s.Name)
}

// LabelSample returns the sample of the label.
func (r Resource) LabelSample() Sample { return r.Label().samples()[0] }

// fieldType describes the fields of a type. In SQL, {} is their column.
type fieldType struct {
	name string
	// text is set if a field has the same text in a record, an input and a command. The templates handle the other types.
	text bool
	// unique is set if a field can be unique: the type has a different value for each of many rows.
	unique bool
	sql    string // the type of the column; "" for a text, and for types that the templates handle
	check  string // the condition on a value that isn't blank; "" for none
	limit  int    // the most characters of a text that can be bounded; 0 for other types
	json   string // the value as text; "" for a text
	// parse is the function of package typed that checks a value, and valid the same for a default.
	parse   string
	valid   func(*invalid.Error, string, string) string
	format  string // of the API, see apidoc
	enter   string // the message for a blank field; "" for the usual one
	control string // the kind of the control; "" for a line
	class   string // the CSS class of the column of a list
	shown   string // the function of package web that formats a value; "" for none
	read    string // the method call that formats a value in a domain; "" for none
	nth     string // a Go expression for the n-th of many values
	samples [7]string
	invalid string
}

// fieldTypes are the types of fields, in the order of the documentation. The samples are, in this order, the value of a command, of a valid
// change, of another record, a taken value, a free value, the example of the documentation, and the value of a record that others refer to.
var fieldTypes = []fieldType{
	{
		name: "text", text: true, unique: true, class: "name", nth: `fmt.Sprint(n)`,
		check: `{} = btrim({}) AND {} !~ '[[:cntrl:]]'`, limit: 200,
		valid: func(e *invalid.Error, at, text string) string { return e.Line(at, "the text", text, 200) },
	},
	{name: "longtext", text: true, control: "Lines", class: "name", limit: 5000},
	{
		name: "email", text: true, unique: true, parse: "Email", valid: typed.Email, format: "email", control: "Email", class: "name",
		check: `length({}) <= 254 AND {} COLLATE "C" ~ '^[!-?A-~]+@[!-?A-~]+$'`, nth: `fmt.Sprint(n, "@example.com")`,
		samples: [7]string{
			"ada@example.com", "bob@example.com", "cleo@example.com", "dora@example.com", "emil@example.com", "ada@example.com",
			"fay@example.com",
		},
	},
	{
		name: "url", text: true, parse: "URL", valid: typed.URL, format: "uri", control: "Website", class: "name",
		check: `length({}) <= 2000 AND {} ~ '^https?://[^[:space:]]+$'`,
		samples: [7]string{
			"https://example.com/one", "https://example.com/two", "https://example.com/three", "", "", "https://example.com/four",
		},
	},
	{
		name: "phone", text: true, parse: "Phone", valid: typed.Phone, format: "phone", control: "Phone", class: "nobreak",
		check:   `length({}) <= 40 AND {} ~ '^[+]?[0-9 ()./-]+$'`,
		samples: [7]string{"+353 1 555 0101", "+353 1 555 0102", "+353 1 555 0103", "", "", "+353 1 555 0101"},
	},
	{
		name: "integer", text: true, unique: true, parse: "Integer", valid: typed.Integer, format: "integer", control: "Whole",
		class: "num", sql: "bigint", json: `{}::text`, nth: `fmt.Sprint(n)`,
		samples: [7]string{"1000", "2000", "7", "8", "9", "42", "11"},
	},
	{
		name: "decimal", text: true, unique: true, parse: "Decimal", valid: typed.Decimal, format: "number", control: "Decimal",
		class: "num", sql: "numeric", json: `{}::text`, nth: `fmt.Sprint(n)`,
		samples: [7]string{"2.5", "3.5", "1.5", "1.25", "1.75", "2.5", "4.5"},
	},
	{
		name: "percent", text: true, parse: "Percentage", valid: typed.Percentage, format: "percent", control: "Percent", class: "num",
		sql: "numeric", check: `{} BETWEEN 0 AND 100 AND scale({}) <= 3`, json: `{}::text`, shown: "web.PercentText",
		samples: [7]string{"12.5", "13.5", "100", "", "", "12.5", "14.5"},
	},
	{name: "money", control: "Decimal", class: "num", samples: [7]string{"50.00", "60.00", "70.00", "", "", "50.00", "80.00"}},
	{
		name: "date", unique: true, parse: "Date", format: "date", control: "Day", class: "date", sql: "date",
		enter: "Enter the day as year-month-day, like 2026-11-21.", shown: "web.DateText", read: ".Display()",
		valid: func(e *invalid.Error, at, text string) string { return typed.Date(e, at, text).String() },
		nth:   `fmt.Sprint(2000+n, "-01-01")`, invalid: "tomorrow",
		samples: [7]string{"2026-11-21", "2026-11-22", "2026-11-01", "2026-11-02", "2026-11-03", "2026-11-21", "2026-11-04"},
	},
	{
		name: "time", text: true, parse: "Time", valid: typed.Time, format: "time", control: "Clock", class: "date",
		sql: "time(0)", check: `{} < '24:00' AND extract(second FROM {}) = 0`, json: `left({}::text, 5)`,
		enter: "Enter the time as hours and minutes, like 09:30.", invalid: "noon",
		samples: [7]string{"09:30", "10:30", "11:30", "", "", "09:30", "12:30"},
	},
	{
		name: "timestamp", text: true, parse: "Timestamp", valid: typed.Timestamp, format: "moment", control: "Moment", class: "date",
		sql: "timestamptz(0)", check: `{} >= '1900-01-01 00:00:00Z' AND {} < '10000-01-01 00:00:00Z'`,
		json:  `to_char({} AT TIME ZONE 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`,
		enter: "Enter the day and the time in UTC.", shown: "web.TimestampText", invalid: "tomorrow",
		samples: [7]string{"2026-11-21T09:30", "2026-11-22T09:30", "2026-11-23T09:30", "", "", "2026-11-21T09:30:00Z", "2026-11-24T09:30"},
	},
	{
		name: "bool", control: "YesOrNo", class: "name", sql: "boolean", shown: "templates.YesNo",
		samples: [7]string{"true", "false", "true", "", "", "true"},
	},
	{name: "choice", text: true, control: "OneOf", class: "nobreak", shown: "web.OptionText", invalid: "nothing of these"},
	{name: "file"},
	{name: "state"},
	{name: "lines"},
	{name: "ref", format: "uuid", control: "Offered", class: "name", sql: "uuid"},
}

// maxIdentifier is the longest name in PostgreSQL, in bytes. It cuts longer ones, so that the code would look for another constraint.
const maxIdentifier = 63

var sqlName = regexp.MustCompile(`(?:CREATE (?:UNIQUE )?(?:TABLE|DOMAIN|INDEX|FUNCTION)|CONSTRAINT) (\w+)`)

// sqlCollisions returns an error for each name of a migration that is too long, is there twice, or is in the schema already.
func sqlCollisions(root string, migration []byte) error {
	catalog, err := os.ReadFile(filepath.Join(root, "internal/postgres/catalog.txt"))
	if err != nil {
		return fmt.Errorf("read the names of the schema: %w", err)
	}
	there := map[string]string{}
	for line := range strings.Lines(string(catalog)) {
		kind, rest, _ := strings.Cut(line, "\t")
		switch name, _, _ := strings.Cut(rest, "\t"); kind {
		case "table", "domain", "function", "index", "unique index":
			there[name] = "the database has " + kind + " " + name
		}
	}
	var taken []error
	for _, found := range sqlName.FindAllSubmatch(migration, -1) {
		name := string(found[1])
		if len(name) > maxIdentifier {
			taken = append(taken, fmt.Errorf("the name %s has %d characters, and PostgreSQL cuts it at %d: choose shorter names",
				name, len(name), maxIdentifier))
		}
		if what, ok := there[name]; ok {
			taken = append(taken, fmt.Errorf("%s already: choose another name, or another plural", what))
		}
		there[name] = "this resource would have " + name
	}
	return errors.Join(taken...)
}

var (
	appPath = regexp.MustCompile(`(?:(?:Path|Prefix)(?::| =) *|\.(?:[Rr]ead|[Nn]atural)\()"/([a-z0-9-]+)`)
	appSlug = regexp.MustCompile(`Slug: *"([a-z0-9-]+)"`)
)

// appCollisions returns an error for each address and each slug of a conflict that files have, and the app already.
func appCollisions(root string, files []file) error {
	there := map[string]string{}
	app := os.DirFS(filepath.Join(root, "internal"))
	err := fs.WalkDir(app, ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(app, path)
		for _, name := range appNames(text) {
			there[name] = filepath.Base(path)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("read the addresses of the app: %w", err)
	}
	var taken []error
	for _, f := range files {
		for _, name := range appNames(f.text) {
			if at, ok := there[name]; ok && f.was == nil {
				delete(there, name)
				taken = append(taken, fmt.Errorf("%s would have %s, which %s has already: choose another name, or another plural",
					f.path, name, at))
			}
		}
	}
	return errors.Join(taken...)
}

func appNames(text []byte) (names []string) {
	for _, found := range appPath.FindAllSubmatch(text, -1) {
		names = append(names, "the address /"+string(found[1]))
	}
	for _, found := range appSlug.FindAllSubmatch(text, -1) {
		names = append(names, "the conflict "+string(found[1]))
	}
	return names
}
