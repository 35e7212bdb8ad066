package fork

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	gomodule "golang.org/x/mod/module"
)

// Names are the names of the app.
type Names struct {
	Module  string // the path of the Go module
	Product string // for people: titles, the banner, the documentation of the API, the README
	// Slug is used where only lower case letters and digits are allowed: the database and its role, settings, cookies, metrics,
	// mail domains, directories. In upper case it begins environment variables.
	Slug  string
	Token string // the prefix of API tokens
}

// Now returns the names of this tree. [Rename] changes them here as everywhere else.
func Now() Names {
	return Names{Module: "onlyonce", Product: "Onlyonce", Slug: "onlyonce", Token: "oo_"}
}

// Renamed reports whether the app was renamed: its original module path has no dot, so Go can't download it.
func (n Names) Renamed() bool { return strings.Contains(n.Module, ".") }

var (
	productForm = regexp.MustCompile(`^\p{L}[\p{L}\p{N}]*([ -][\p{L}\p{N}]+)*$`)
	slugForm    = regexp.MustCompile(`^[a-z][a-z0-9]{2,19}$`)
)

// reserved cannot be slugs: the words reserved by PostgreSQL in place of a role's name, and prefixes that metrics, settings and
// databases already use.
const reserved = `all analyse analyze and any array asc asymmetric authorization binary both case cast check collate
	collation column concurrently constraint create cross default deferrable desc distinct else end except false fetch
	for foreign freeze from full grant group having ilike initially inner intersect into isnull join lateral leading
	left like limit localtime localtimestamp natural not notnull null offset only order outer overlaps placing primary
	references returning right select similar some symmetric table tablesample then trailing true union unique user
	using variadic verbose when where window with
	none postgres process public river`

// NewNames checks names. The default slug is the letters and digits of the product's name: acmeledger for "Acme Ledger". Tokens
// begin with the initials of the product's words, here al_, or with the first two letters of a single word. The error names the
// unusable name and the reason.
func NewNames(module, product, slug string) (Names, error) {
	if err := gomodule.CheckPath(module); err != nil {
		return Names{}, fmt.Errorf("the module must be a path where Go will find it, such as example.com/acme/ledger: %w", err)
	}
	if !productForm.MatchString(product) || len([]rune(product)) > 40 {
		return Names{}, fmt.Errorf("the name %q cannot be used: it must be words of letters and digits with one blank or hyphen "+
			"between them, begin with a letter, and have at most 40 characters", product)
	}
	words := strings.FieldsFunc(strings.ToLower(product), func(r rune) bool { return r == ' ' || r == '-' })
	if slug == "" {
		slug = strings.Join(words, "")
	}
	if !slugForm.MatchString(slug) || strings.HasPrefix(slug, "pg") {
		return Names{}, fmt.Errorf("%q cannot name the database, cookies and metrics: choose 3 to 20 letters from a to z and digits, "+
			"beginning with a letter and not with pg, and give them as slug=", slug)
	}
	if slices.Contains(strings.Fields(reserved), slug) {
		return Names{}, fmt.Errorf("%q cannot name the database and metrics, because it has a meaning there: "+
			"choose another short name, and give it as slug=", slug)
	}
	return Names{Module: module, Product: product, Slug: slug, Token: tokenPrefix(words, slug)}, nil
}

func tokenPrefix(words []string, slug string) string {
	var initials strings.Builder
	for _, word := range words {
		initials.WriteString(word[:1])
	}
	if prefix := initials.String(); len(words) > 1 && regexp.MustCompile(`^[a-z0-9]+$`).MatchString(prefix) {
		return prefix + "_"
	}
	return slug[:2] + "_"
}
