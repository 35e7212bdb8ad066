package scaffold

import (
	"fmt"
	"go/token"
	"go/types"
	"regexp"
	"slices"
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
