package check

import (
	"fmt"
	"go/ast"
	"go/types"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ/parser/v2"
	"github.com/a-h/templ/parser/v2/visitor"
	"golang.org/x/tools/go/packages"

	"onlyonce/internal/assert"
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
	must.Thatf(t, err == nil && found >= 10, "found %d templates: %v", found, err)
}

var hiddenLiteral = regexp.MustCompile(`\bField\{.*\bName: "`)

// unescaped matches what writes a text into a page unchanged.
var unescaped = regexp.MustCompile(`\b(templ\.(Raw|FromGoHTML|ComponentFunc|JSUnsafeFuncCall|JSExpression|Safe[A-Z]\w*)|` +
	`template\.(HTML|HTMLAttr|JS|JSStr|CSS|URL|Srcset))\b`)

const escapeIt = " writes a text into the page unchanged, also what a user typed: pass it to a template as { text } or href={ text }, " +
	"which escape it"

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
	for i, line := range strings.Split(text, "\n") {
		if name := unescaped.FindString(line); name != "" {
			found = append(found, fmt.Sprint(i+1, ": ", name, escapeIt))
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
	const guard, inline, literal, escape = "add data-submit-guard", "is inline", "is a literal", "which escape it"
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
		"a text":               {`<p title={ m }>{ m }</p><a href={ m }></a>`, ""},
		"raw text":             {`@templ.Raw(m)`, escape},
		"raw call":             {`<p data-call={ templ.JSUnsafeFuncCall(m) }></p>`, escape},
		"unchecked address":    {`<a href={ templ.SafeURL(m) }></a>`, escape},
		"HTML of a template":   {`{ template.HTML(m) }`, escape},
		"literal hidden field": {`@Hidden([]Field{{Name: m}, {Name: "a", Value: m}})`, literal},
	} {
		wantFound(t, name, unsafeMarkup(t, "package text\n\ntempl page(m string, b bool) {\n\t"+c.markup+"\n}\n"), c.want)
	}
	for _, template := range []string{"script alert() {\n\talert(1)\n}\n", "css red() {\n\tcolor: red;\n}\n"} {
		wantFound(t, template, unsafeMarkup(t, "package text\n\n"+template), inline)
	}
}

// mayWriteAnswers are the functions of pages that write to the http.ResponseWriter.
var mayWriteAnswers = []string{
	"lab/labpages.pages.sendProgress", "lab/labpages.pages.drawRun", // rendered by templates, and sent in other formats
	"lab/labpages.lostAnswer.Write", // passes it on
}

// TestPagesEscapeWhatTheyShow checks the Go code of pages and templates.
func TestPagesEscapeWhatTheyShow(t *testing.T) {
	t.Parallel()
	s := whole(t)
	looked := 0
	for _, p := range s.packages {
		if level := levelOf(room(p.PkgPath)); level == pages || level == kit || room(p.PkgPath) == "templates" {
			looked++
			for _, broken := range s.unescaped(p) {
				t.Error(broken)
			}
		}
	}
	assert.Thatf(t, looked >= 5, "looked at %d packages", looked)
}

// unescaped returns a sentence for each place where a package may write a text into a page unchanged. Generated code is left out: its
// template is checked.
func (s *source) unescaped(p *packages.Package) (found []string) {
	for _, file := range p.Syntax {
		if strings.HasSuffix(p.Fset.Position(file.Pos()).Filename, "_templ.go") {
			continue
		}
		for _, declared := range file.Decls {
			f, isFunc := declared.(*ast.FuncDecl)
			writes := levelOf(room(p.PkgPath)) == kit || isFunc && slices.Contains(mayWriteAnswers, shortName(p.TypesInfo.Defs[f.Name]))
			report := func(n ast.Node, what string) { found = append(found, s.position(n)+": "+what+escapeIt) }
			ast.Inspect(declared, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					object := s.uses[n]
					if object == nil || object.Pkg() == nil {
						return true
					}
					name := object.Pkg().Name() + "." + object.Name()
					from := object.Pkg().Path()
					if unescaped.MatchString(name) && (from == "github.com/a-h/templ" || from == "html/template") {
						report(n, name)
					}
					if fullName(object) == "(net/http.ResponseWriter).Write" && !writes {
						report(n, "Write of the answer")
					}
				case *ast.CallExpr:
					signature, _ := p.TypesInfo.TypeOf(n.Fun).(*types.Signature)
					for i, argument := range n.Args {
						if signature != nil && i < signature.Params().Len() && !writes &&
							types.TypeString(p.TypesInfo.TypeOf(argument), nil) == "net/http.ResponseWriter" &&
							types.TypeString(signature.Params().At(i).Type(), nil) == "io.Writer" {
							report(n, types.ExprString(n.Fun)+" to the answer")
						}
					}
				}
				return true
			})
		}
	}
	return found
}

func TestUnescapedTextIsFound(t *testing.T) {
	t.Parallel()
	const escape = "which escape it"
	s := load(t, "fmt", "html/template", "io", "net/http", "github.com/a-h/templ")
	for name, c := range map[string]struct{ text, want string }{
		"a component":       {`func show(c templ.Component, w http.ResponseWriter) { c.Render(nil, nil); w.WriteHeader(200) }`, ""},
		"raw text":          {`func show(typed string) templ.Component { return templ.Raw(typed) }`, "templ.Raw"},
		"a function":        {`var page = templ.ComponentFunc(nil)`, "templ.ComponentFunc"},
		"unchecked address": {`func show(typed string) any { return templ.SafeURL(typed) }`, "templ.SafeURL"},
		"a script":          {`func show(typed string) any { return templ.JSUnsafeFuncCall(typed) }`, "templ.JSUnsafeFuncCall"},
		"HTML":              {`func show(typed string) any { return template.HTML(typed) }`, "template.HTML"},
		"a write":           {`func show(w http.ResponseWriter) { w.Write(nil) }`, "Write of the answer"},
		"a text":            {`func show(w http.ResponseWriter) { io.WriteString(w, "") }`, "WriteString to the answer"},
		"formatted":         {`func show(w http.ResponseWriter) { fmt.Fprintf(w, "") }`, escape},
		"to another writer": {`func show(w io.Writer) { fmt.Fprintf(w, "") }`, ""},
	} {
		s.parse(t, "internal/customer/customerpages", `import ("fmt"; "html/template"; "io"; "net/http"; "github.com/a-h/templ")
			var (_ fmt.State; _ template.Error; _ io.Reader; _ http.Header; _ templ.CSSClass)
			`+c.text)
		wantFound(t, name, s.unescaped(s.packages[len(s.packages)-1]), c.want)
	}
}
