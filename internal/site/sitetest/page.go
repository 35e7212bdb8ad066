package sitetest

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"onlyonce/internal/must"
)

// Page is an HTML answer with the actions of a person.
type Page struct {
	B    *Bundle
	Root *html.Node
}

// Page parses an HTML answer.
func (b *Bundle) Page(a Answer) Page {
	b.Helper()
	kind := a.Header.Get("Content-Type")
	must.Thatf(b, kind == "text/html; charset=utf-8", "status %d: content type %q of %q", a.Status, kind, a.Body)
	root, err := html.Parse(strings.NewReader(a.Body))
	must.OK(b, err)
	return Page{b, root}
}

// Elements returns the elements with one of the names, in the order of the page, without the contents of templates.
func Elements(under *html.Node, names ...string) []*html.Node {
	var found []*html.Node
	for n := range under.ChildNodes() {
		if n.Type != html.ElementNode || n.Data == "template" {
			continue
		}
		if slices.Contains(names, n.Data) {
			found = append(found, n)
		}
		found = append(found, Elements(n, names...)...)
	}
	return found
}

// Attr returns the value of an attribute, and whether there is one.
func Attr(n *html.Node, name string) (value string, ok bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// Text returns the visible text, with single spaces.
func Text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		switch {
		case d.Type == html.TextNode:
			b.WriteString(d.Data)
		case !slices.Contains([]string{"a", "b", "bdi", "code", "em", "strong"}, d.Data):
			b.WriteString(" ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// Text returns the visible text of the page.
func (p Page) Text() string { return Text(p.Root) }

func (p Page) title() string { return Text(Elements(p.Root, "title")[0]) }

// Excerpt returns the beginning of the page's text for messages, without the navigation if the page has a main part.
func (p Page) Excerpt() string {
	said := p.Text()
	for _, main := range Elements(p.Root, "main") {
		said = Text(main)
	}
	if runes := []rune(said); len(runes) > 600 {
		said = string(runes[:600]) + "…"
	}
	return said
}

// Says checks that the page's text has all words.
func (p Page) Says(words ...string) Page {
	p.B.Helper()
	for _, w := range words {
		if !strings.Contains(p.Text(), w) {
			p.B.Errorf("the page does not say %q:\n%s", w, p.Excerpt())
		}
	}
	return p
}

func (p Page) flash() string {
	for _, n := range Elements(p.Root, "p") {
		if class, _ := Attr(n, "class"); class == "flash" {
			return Text(n)
		}
	}
	return ""
}

// LeadsTo checks that the page has a link to a path.
func (p Page) LeadsTo(path string) {
	p.B.Helper()
	for _, a := range Elements(p.Root, "a") {
		if href, _ := Attr(a, "href"); href == path {
			return
		}
	}
	p.B.Errorf("no link to %s on the page: %s", path, p.Excerpt())
}

// Form returns the form of the main part.
func (p Page) Form() *html.Node {
	p.B.Helper()
	for _, main := range Elements(p.Root, "main") {
		if forms := Elements(main, "form"); len(forms) > 0 {
			return forms[0]
		}
	}
	p.B.Fatalf("no form on the page: %s", p.Excerpt())
	return nil
}

// Typed returns the fields that a browser would post without a button.
func (p Page) Typed() url.Values {
	p.B.Helper()
	return typed(p.Form())
}

func typed(form *html.Node) url.Values {
	values := url.Values{}
	for _, n := range Elements(form, "input", "textarea", "select") {
		name, _ := Attr(n, "name")
		value, _ := Attr(n, "value")
		if !isSent(n) {
			continue
		}
		switch n.Data {
		case "textarea":
			if n.FirstChild != nil {
				value = n.FirstChild.Data
			}
		case "select":
			value = chosen(n)
		}
		values.Add(name, value)
	}
	return values
}

// isSent reports whether a browser sends a control: it needs a name, and is neither disabled, nor a button, nor unchecked.
func isSent(n *html.Node) bool {
	name, _ := Attr(n, "name")
	kind, _ := Attr(n, "type")
	_, disabled := Attr(n, "disabled")
	_, checked := Attr(n, "checked")
	return name != "" && !disabled && !slices.Contains([]string{"submit", "button", "image", "reset"}, kind) &&
		(checked || kind != "checkbox" && kind != "radio")
}

// chosen returns the value of the selected option, or of the first.
func chosen(selection *html.Node) string {
	options := Elements(selection, "option")
	if len(options) == 0 {
		return ""
	}
	option := options[0]
	for _, o := range options {
		if _, selected := Attr(o, "selected"); selected {
			option = o
		}
	}
	if value, ok := Attr(option, "value"); ok {
		return value
	}
	return Text(option)
}

// Press posts the form with the button that has this text, with all fields of the form.
func (c *Client) Press(p Page, button string) Answer {
	p.B.Helper()
	return c.press(p, button, p.Form())
}

// PressAny is press for a button of any form on the page.
func (c *Client) PressAny(p Page, button string) Answer {
	p.B.Helper()
	return c.press(p, button, Elements(p.Root, "form")...)
}

func (c *Client) press(p Page, button string, forms ...*html.Node) Answer {
	p.B.Helper()
	for _, form := range forms {
		for _, n := range Elements(form, "button") {
			if Text(n) != button {
				continue
			}
			values := typed(form)
			c.choose(form, values)
			if name, ok := Attr(n, "name"); ok {
				value, _ := Attr(n, "value")
				values.Add(name, value)
			}
			action, _ := Attr(form, "action")
			if other, ok := Attr(n, "formaction"); ok {
				action = other
			}
			return c.Submit(action, values)
		}
	}
	p.B.Fatalf("no button %q on the page: %s", button, p.Excerpt())
	return Answer{}
}

// SecretOn returns the secret that a page shows, or "".
func (p Page) SecretOn() string {
	for _, n := range Elements(p.Root, "div") {
		if class, _ := Attr(n, "class"); class == "secret" {
			return Text(Elements(n, "code")[0])
		}
	}
	return ""
}

// SecretIn returns the secret of a link, or of a token without its prefix.
func SecretIn(shown string) string {
	if _, link, ok := strings.Cut(shown, "link="); ok {
		return link
	}
	return strings.TrimPrefix(shown, "oo_")
}
