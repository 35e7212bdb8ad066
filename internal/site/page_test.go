package site_test

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// page is an HTML answer with the actions of a person.
type page struct {
	b    *bundle
	root *html.Node
}

func (b *bundle) page(a answer) page {
	b.Helper()
	if kind := a.header.Get("Content-Type"); kind != "text/html; charset=utf-8" {
		b.Fatalf("status %d: content type %q of %q", a.status, kind, a.body)
	}
	root, err := html.Parse(strings.NewReader(a.body))
	if err != nil {
		b.Fatal(err)
	}
	return page{b, root}
}

// all returns the elements with one of the names, in the order of the page, without the contents of templates.
func all(under *html.Node, names ...string) []*html.Node {
	var found []*html.Node
	for n := range under.ChildNodes() {
		if n.Type != html.ElementNode || n.Data == "template" {
			continue
		}
		if slices.Contains(names, n.Data) {
			found = append(found, n)
		}
		found = append(found, all(n, names...)...)
	}
	return found
}

func attr(n *html.Node, name string) (value string, ok bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// text returns the visible text, with single spaces.
func text(n *html.Node) string {
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

func (p page) text() string  { return text(p.root) }
func (p page) title() string { return text(all(p.root, "title")[0]) }

// excerpt returns the beginning of the page's text for messages, without the navigation if the page has a main part.
func (p page) excerpt() string {
	said := p.text()
	for _, main := range all(p.root, "main") {
		said = text(main)
	}
	if runes := []rune(said); len(runes) > 600 {
		said = string(runes[:600]) + "…"
	}
	return said
}

// Checks that the page's text has all words.
func (p page) says(words ...string) page {
	p.b.Helper()
	for _, w := range words {
		if !strings.Contains(p.text(), w) {
			p.b.Errorf("the page does not say %q:\n%s", w, p.excerpt())
		}
	}
	return p
}

// flash returns the flash message.
func (p page) flash() string {
	for _, n := range all(p.root, "p") {
		if class, _ := attr(n, "class"); class == "flash" {
			return text(n)
		}
	}
	return ""
}

// leadsTo checks that the page has a link to a path.
func (p page) leadsTo(path string) {
	p.b.Helper()
	for _, a := range all(p.root, "a") {
		if href, _ := attr(a, "href"); href == path {
			return
		}
	}
	p.b.Errorf("no link to %s on the page: %s", path, p.excerpt())
}

// form returns the form of the main part.
func (p page) form() *html.Node {
	p.b.Helper()
	for _, main := range all(p.root, "main") {
		if forms := all(main, "form"); len(forms) > 0 {
			return forms[0]
		}
	}
	p.b.Fatalf("no form on the page: %s", p.excerpt())
	return nil
}

// typed returns the fields that a browser would post without a button.
func (p page) typed() url.Values {
	p.b.Helper()
	values := url.Values{}
	for _, n := range all(p.form(), "input", "textarea", "select") {
		name, _ := attr(n, "name")
		value, _ := attr(n, "value")
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
	name, _ := attr(n, "name")
	kind, _ := attr(n, "type")
	_, disabled := attr(n, "disabled")
	_, checked := attr(n, "checked")
	return name != "" && !disabled && !slices.Contains([]string{"submit", "button", "image", "reset"}, kind) &&
		(checked || kind != "checkbox" && kind != "radio")
}

// chosen returns the value of the selected option, or of the first.
func chosen(selection *html.Node) string {
	options := all(selection, "option")
	if len(options) == 0 {
		return ""
	}
	option := options[0]
	for _, o := range options {
		if _, selected := attr(o, "selected"); selected {
			option = o
		}
	}
	if value, ok := attr(option, "value"); ok {
		return value
	}
	return text(option)
}

// press posts the form with the button that has this text, with all fields of the form.
func (c *client) press(p page, button string) answer {
	p.b.Helper()
	form, values := p.form(), p.typed()
	action, _ := attr(form, "action")
	for _, n := range all(form, "button") {
		if text(n) == button {
			if name, ok := attr(n, "name"); ok {
				value, _ := attr(n, "value")
				values.Add(name, value)
			}
			if other, ok := attr(n, "formaction"); ok {
				action = other
			}
			return c.submit(action, values)
		}
	}
	p.b.Fatalf("no button %q on the page: %s", button, p.excerpt())
	return answer{}
}

// pressAny is press for a button of any form on the page.
func (c *client) pressAny(p page, button string) answer {
	p.b.Helper()
	for _, form := range all(p.root, "form") {
		for _, n := range all(form, "button") {
			if text(n) != button {
				continue
			}
			values := url.Values{}
			for _, hidden := range all(form, "input") {
				name, _ := attr(hidden, "name")
				value, _ := attr(hidden, "value")
				values.Add(name, value)
			}
			action, _ := attr(form, "action")
			return c.submit(action, values)
		}
	}
	p.b.Fatalf("no button %q on the page: %s", button, p.excerpt())
	return answer{}
}
