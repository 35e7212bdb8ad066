// Package viewtest checks the common rules of the pages of all folders of templates, and parses pages like browsers.
package viewtest

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/net/html"

	"onlyonce/internal/must"
)

// Parse parses a page like a browser.
func Parse(t *testing.T, page templ.Component) *html.Node {
	t.Helper()
	var buf bytes.Buffer
	if err := page.Render(t.Context(), &buf); err != nil {
		t.Fatal(err)
	}
	doc, err := html.Parse(&buf)
	must.OK(t, err)
	return doc
}

// Attr returns the value of an attribute; "" if n does not have it.
func Attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// Has reports whether n has an attribute.
func Has(n *html.Node, key string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
}

// Text returns the text in n, with each run of white space replaced by one space.
func Text(n *html.Node) string {
	var all strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			all.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(all.String()), " ")
}

// Find returns the first node below doc that matches; nil if there is none.
func Find(doc *html.Node, match func(*html.Node) bool) *html.Node {
	for n := range doc.Descendants() {
		if match(n) {
			return n
		}
	}
	return nil
}
