package check

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ/parser/v2"
	"github.com/a-h/templ/parser/v2/visitor"

	"onlyonce/internal/must"
)

// TestFormsAreGuardedAndNothingIsInline also checks the names of buttons and hidden fields. It reads the templates themselves, so it
// covers pages that no other test requests.
func TestFormsAreGuardedAndNothingIsInline(t *testing.T) {
	t.Parallel()
	root := os.DirFS("../../../templates")
	found := 0
	err := fs.WalkDir(root, ".", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(file) != ".templ" {
			return err
		}
		found++
		text, err := fs.ReadFile(root, file)
		if err != nil {
			return err
		}
		for _, broken := range unsafeMarkup(t, string(text)) {
			t.Errorf("templates/%s:%s", file, broken)
		}
		return nil
	})
	if err != nil || found < 10 {
		t.Fatalf("found %d templates: %v", found, err)
	}
}

// hiddenLiteral matches a hidden field with a literal name.
var hiddenLiteral = regexp.MustCompile(`\bField\{.*\bName: "`)

// unsafeMarkup returns a sentence for each fault in the markup of a template, beginning with the line.
func unsafeMarkup(t *testing.T, text string) (found []string) {
	t.Helper()
	file, err := parser.ParseString(text)
	must.OK(t, err)
	report := func(at parser.Range, format string, args ...any) {
		found = append(found, fmt.Sprintf("%d: ", at.From.Line+1)+fmt.Sprintf(format, args...))
	}
	inline := func(at parser.Range, what string) {
		report(at, "%s is inline, and the Content-Security-Policy refuses it: put it into a file in static/", what)
	}
	const literal = "the name of this field is a literal: share a constant with the code that reads it"
	check := func(at parser.Range, element string, attributes []parser.Attribute) {
		values := valuesOf(attributes)
		for name := range values {
			if name == "style" || strings.HasPrefix(name, "on") {
				inline(at, name)
			}
		}
		if name, named := values["name"]; named && name != "unknown" &&
			(element == "button" || slices.Contains([]string{"hidden", "checkbox", "radio"}, values["type"])) {
			report(at, literal)
		}
		method, posts := values["method"]
		if _, guarded := values["data-submit-guard"]; element == "form" && posts && !strings.EqualFold(method, "get") && !guarded {
			report(at, "this form is not locked while it is sent: add data-submit-guard to it")
		}
	}
	v := visitor.New()
	element, raw, called := v.Element, v.RawElement, v.TemplElementExpression
	v.TemplElementExpression = func(n *parser.TemplElementExpression) error {
		if hiddenLiteral.MatchString(n.Expression.Value) {
			report(n.Range, literal)
		}
		return called(n)
	}
	v.Element = func(n *parser.Element) error {
		check(n.Range, n.Name, n.Attributes)
		return element(n)
	}
	v.RawElement = func(n *parser.RawElement) error {
		inline(n.Range, "<"+n.Name+">")
		return raw(n)
	}
	v.ScriptElement = func(n *parser.ScriptElement) error {
		check(n.Range, "script", n.Attributes)
		if _, ok := valuesOf(n.Attributes)["src"]; !ok || len(n.Contents) > 0 {
			inline(n.Range, "<script>")
		}
		return nil
	}
	v.ScriptTemplate = func(n *parser.ScriptTemplate) error {
		inline(n.Range, "script "+n.Name.Value)
		return nil
	}
	v.CSSTemplate = func(n *parser.CSSTemplate) error {
		inline(n.Range, "css "+n.Name)
		return nil
	}
	must.OK(t, file.Visit(v))
	return found
}

// valuesOf returns the attributes that an element always has, by name. A computed value is unknown.
func valuesOf(attributes []parser.Attribute) map[string]string {
	values := map[string]string{}
	for _, a := range attributes {
		switch a := a.(type) {
		case *parser.ConstantAttribute:
			values[strings.ToLower(a.Key.String())] = a.Value
		case *parser.BoolConstantAttribute:
			values[strings.ToLower(a.Key.String())] = ""
		case *parser.ExpressionAttribute:
			values[strings.ToLower(a.Key.String())] = "unknown"
		}
	}
	return values
}

func TestUnsafeMarkupIsFound(t *testing.T) {
	t.Parallel()
	const guard, inline, literal = "add data-submit-guard", "is inline", "is a literal"
	for name, c := range map[string]struct{ markup, want string }{
		"guarded":              {`<form method="post" data-submit-guard></form>`, ""},
		"a search":             {`<form method="GET"></form><form></form>`, ""},
		"no guard":             {`<form method="post"></form>`, guard},
		"in capitals":          {`<form METHOD="POST"></form>`, guard},
		"computed method":      {`<form method={ m }></form>`, guard},
		"guarded at times":     {`<form method="post" data-submit-guard?={ b }></form>`, guard},
		"guarded under if":     {"<form method=\"post\"\nif b {\ndata-submit-guard\n}\n></form>", guard},
		"deep inside":          {"<div>\nif b {\n<p><form method=\"post\"></form></p>\n}\n</div>", guard},
		"script of a file":     {`<script type="module" src={ m }></script>`, ""},
		"inline script":        {`<script>alert(1)</script>`, inline},
		"script without a src": {`<script type="module"></script>`, inline},
		"script with both":     {`<script src="/x">alert(1)</script>`, inline},
		"style element":        {`<style>p {}</style>`, inline},
		"style attribute":      {`<p style="color: red"></p>`, inline},
		"event handler":        {`<p onclick="alert(1)"></p>`, inline},
		"field of a record":    {`<input type="text" name="email"/>`, ""},
		"named button":         {`<button name={ m }></button>`, ""},
		"literal button":       {`<button name="send"></button>`, literal},
		"literal checkbox":     {`<input type="checkbox" name="keep"/>`, literal},
		"hidden field":         {`@Hidden([]Field{{Name: m, Value: "a"}})`, ""},
		"literal hidden field": {`@Hidden([]Field{{Name: m}, {Name: "a", Value: m}})`, literal},
	} {
		wantFound(t, name, unsafeMarkup(t, "package text\n\ntempl page(m string, b bool) {\n\t"+c.markup+"\n}\n"), c.want)
	}
	for _, template := range []string{"script alert() {\n\talert(1)\n}\n", "css red() {\n\tcolor: red;\n}\n"} {
		wantFound(t, template, unsafeMarkup(t, "package text\n\n"+template), inline)
	}
}
