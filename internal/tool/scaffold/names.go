package scaffold

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gertd/go-pluralize"
)

// Name is lower case words with _ between them: "purchase_order".
type Name string

var isName = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// Go returns the exported name in Go: "PurchaseOrder".
func (n Name) Go() string {
	var b strings.Builder
	for word := range strings.SplitSeq(string(n), "_") {
		if slices.Contains(initialisms, word) {
			b.WriteString(strings.ToUpper(word))
		} else {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

// Local returns the unexported name in Go: "purchaseOrder".
func (n Name) Local() string {
	first, rest, several := strings.Cut(string(n), "_")
	if !several {
		return first
	}
	return first + Name(rest).Go()
}

// Package returns the name of a package: "purchaseorder".
func (n Name) Package() string { return strings.ReplaceAll(string(n), "_", "") }

// Words returns the name within a sentence: "purchase order".
func (n Name) Words() string { return strings.ReplaceAll(string(n), "_", " ") }

// Dashed returns the name in an address: "purchase-order".
func (n Name) Dashed() string { return strings.ReplaceAll(string(n), "_", "-") }

// Label returns the name at the beginning of a sentence, or of a field: "Purchase order".
func (n Name) Label() string { return strings.ToUpper(string(n[:1])) + n.Words()[1:] }

// A returns the words with their article: "a purchase order".
func (n Name) A() string {
	if strings.ContainsRune("aeiou", rune(n[0])) {
		return "an " + n.Words()
	}
	return "a " + n.Words()
}

// plural returns the plural of the last word: "purchase_orders".
func (n Name) plural() Name {
	at := strings.LastIndex(string(n), "_") + 1
	return n[:at] + Name(pluralize.NewClient().Plural(string(n[at:])))
}

// singular returns the singular of the last word: "purchase_order".
func (n Name) singular() Name {
	at := strings.LastIndex(string(n), "_") + 1
	return n[:at] + Name(pluralize.NewClient().Singular(string(n[at:])))
}

// Plural returns the plural as a local name in Go.
func (n Name) Plural() string { return n.plural().Local() }

// initialisms are words that Go writes in capitals.
var initialisms = []string{
	"api", "ascii", "cpu", "css", "dns", "eof", "guid", "html", "http", "https", "id", "ip", "json", "qps", "ram", "rpc", "sla", "smtp",
	"sql", "ssh", "tcp", "tls", "ttl", "udp", "ui", "uid", "uuid", "uri", "url", "utf8", "vm", "xml", "xmpp", "xsrf", "xss",
}

// check returns an error if a name can't be used for what. reserved are the words with another meaning there, keyed by that
// meaning.
func (n Name) check(what string, reserved map[string][]string) error {
	if !isName.MatchString(string(n)) || len(n) > 40 {
		return fmt.Errorf("the %s %q is no name: write small letters and digits with _ between words, at most 40, like spent_on", what, n)
	}
	if token.IsKeyword(string(n)) || types.Universe.Lookup(string(n)) != nil {
		return fmt.Errorf("the %s %q is a word of Go: choose another one", what, n)
	}
	if slices.Contains(sqlWords, string(n)) {
		return fmt.Errorf("the %s %q is a word of SQL: choose another one", what, n)
	}
	for means, words := range reserved {
		// A form keeps the fields whose names begin with answer_, as answers to conflicts.
		if slices.Contains(words, string(n)) || slices.Contains(words, "keep_saved") && strings.HasPrefix(string(n), "answer_") {
			return fmt.Errorf("the %s %q is %s: choose another one", what, n, means)
		}
	}
	return nil
}

// reservedResources are the names that a resource can't have.
var reservedResources = map[string][]string{
	"a name that each domain package has": {
		"archive", "create", "draft", "edit", "filter", "input", "list", "restore", "rule", "table",
	},
	"a package that the code of a resource imports": {
		"context", "errors", "fmt", "http", "idempotency", "pgconn", "pgx", "pgxpool", "slices", "slog", "strings", "templ", "templates",
		"testing", "time", "url", "uuid",
	},
	"a name that the tools of Go treat in another way": {"documentation", "init", "internal", "main", "testdata", "vendor"},
}

// reservedFields are the names that a field can't have.
var reservedFields = map[string][]string{
	"what every record has": {
		"alike", "archived", "archived_at", "created_at", "external", "header", "id", "identity", "possible_duplicate_of",
		"tenant_id", "texts", "version",
	},
	"a column that every table of PostgreSQL has": {"cmax", "cmin", "ctid", "tableoid", "xmax", "xmin"},
	"a part of every form": {
		"action", "allow_repeat", "before", "dataset", "elements", "fresh_key", "idempotency_key", "keep_saved", "key", "main", "method",
		"tenant", "tenant_name", "use_tenant", "used_name",
	},
	"a parameter of every list": {"cursor", "limit", "q", "sort"},
	"an argument of every transaction": {
		"actor", "attempt_id", "fingerprint", "operation", "record_id", "required_rows", "retain", "seen_version", "wait",
	},
	"a name that the code of a resource uses": {"draft", "option", "s"},
}

// sqlWords are the words that PostgreSQL reserves: https://www.postgresql.org/docs/current/sql-keywords-appendix.html.
var sqlWords = strings.Fields(`
	all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation column
	concurrently constraint create cross current_catalog current_date current_role current_schema current_time
	current_timestamp current_user default deferrable desc distinct do else end except false fetch for foreign freeze from full
	grant group having ilike in initially inner intersect into is isnull join lateral leading left like limit localtime
	localtimestamp natural not notnull null offset on only or order outer overlaps placing primary references returning right
	select session_user similar some symmetric system_user table tablesample then to trailing true union unique user using
	variadic verbose when where window with`)

// Target is an existing resource that another one references.
type Target struct {
	One     Name
	Many    Name // its table
	Label   Name // the column with the display name
	Package string
	// Merged is set for records that may be merged into others: references to them use live_id, which a merge looks up.
	Merged bool
	// Self is set for the resource that has the reference.
	Self bool
}

// Key returns the referenced column.
func (t Target) Key() string {
	if t.Merged {
		return "live_id"
	}
	return "id"
}

// target finds the package of a resource that can be referenced: it declares the display names of its records, as var Names =
// record.Names{…}, and creates some for tests.
func target(root, of string) (Target, error) {
	t := Target{One: Name(of), Many: Name(of).plural()}
	t.Package = t.One.Package()
	if !isName.MatchString(of) {
		return t, fmt.Errorf("%q is no name of a resource to refer to", of)
	}
	dir := filepath.Join(root, "internal", t.Package)
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		return t, fmt.Errorf("there is no resource %s to refer to", of)
	}
	found := false
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return t, fmt.Errorf("read the package of %s: %w", of, err)
		}
		found = slices.Contains(declared(parsed), "Names") || found
		if table := tableOf(parsed); table != "" {
			t.Many = Name(table)
		}
		if label := memberOf(parsed, "record.Names", "Column"); label != "" {
			t.Label = Name(label)
		}
	}
	if !found {
		return t, fmt.Errorf("internal/%s does not say what %s is called where others refer to it: it needs the variable Names, "+
			"like internal/customer, and a column archived_at", t.Package, t.One.A())
	}
	schema, err := filepath.Glob(filepath.Join(root, "migrations", "*.sql"))
	if err != nil {
		return t, fmt.Errorf("list the migrations: %w", err)
	}
	for _, file := range schema {
		sql, err := os.ReadFile(file)
		if err != nil {
			return t, fmt.Errorf("read a migration: %w", err)
		}
		t.Merged = t.Merged || strings.Contains(string(sql), "CONSTRAINT "+string(t.Many)+"_live UNIQUE (tenant_id, live_id)")
	}
	if _, err := os.Stat(filepath.Join(dir, t.Package+"test")); err != nil {
		return t, fmt.Errorf("tests need %s to refer to: write the package %stest, like internal/customer/customertest",
			t.One.A(), t.Package)
	}
	return t, nil
}

// tableOf returns the name of the table that a file declares as record.Table; "" if it declares none.
func tableOf(file *ast.File) string { return memberOf(file, "record.Table", "Name") }

// memberOf returns a text in the last literal of a type in a file, which may be generic; "" if there is none.
func memberOf(file *ast.File, of, member string) (text string) {
	ast.Inspect(file, func(n ast.Node) bool {
		value, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		named := value.Type
		if generic, ok := named.(*ast.IndexExpr); ok {
			named = generic.X
		}
		if named == nil || selected(named) != of {
			return true
		}
		for _, element := range value.Elts {
			pair, ok := element.(*ast.KeyValueExpr)
			if !ok || fmt.Sprint(pair.Key) != member {
				continue
			}
			if literal, ok := pair.Value.(*ast.BasicLit); ok {
				text, _ = strconv.Unquote(literal.Value)
			}
		}
		return false
	})
	return text
}

func selected(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok {
		return fmt.Sprint(s.X) + "." + s.Sel.Name
	}
	return ""
}
