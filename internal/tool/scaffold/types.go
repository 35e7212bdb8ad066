package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"onlyonce/internal/invalid"
	"onlyonce/internal/value/typed"
)

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
