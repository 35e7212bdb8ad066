package viewtest

import (
	"testing"
	"time"

	"golang.org/x/net/html"

	"onlyonce/internal/must"
	"onlyonce/templates"
)

// FormTo returns the form of a page that has the action.
func FormTo(t *testing.T, doc *html.Node, action string) *html.Node {
	t.Helper()
	form := Find(doc, func(n *html.Node) bool { return n.Data == "form" && Attr(n, "action") == action })
	must.Thatf(t, form != nil, "no form to %s", action)
	return form
}

// Successful returns the fields that a browser would send for a form without a submitter.
func Successful(n *html.Node) []templates.Field {
	var fields []templates.Field
	for c := range n.ChildNodes() {
		switch c.Data {
		case "template", "button":
		case "input":
			fields = append(fields, templates.Field{Name: Attr(c, "name"), Value: inputValue(c)})
		case "textarea":
			var content string
			if c.FirstChild != nil {
				content = c.FirstChild.Data
			}
			fields = append(fields, templates.Field{Name: Attr(c, "name"), Value: content})
		case "select":
			fields = append(fields, templates.Field{Name: Attr(c, "name"), Value: selected(c)})
		default:
			fields = append(fields, Successful(c)...)
		}
	}
	return fields
}

// inputValue returns the value of an input. It drops a value that a date control cannot hold, as browsers do.
func inputValue(n *html.Node) string {
	value := Attr(n, "value")
	if _, err := time.Parse(time.DateOnly, value); err != nil && Attr(n, "type") == "date" {
		return ""
	}
	return value
}

// selected returns the value of a select: its first option unless one is marked.
func selected(sel *html.Node) string {
	option := Find(sel, func(n *html.Node) bool { return n.Data == "option" && Has(n, "selected") })
	if option == nil {
		option = Find(sel, func(n *html.Node) bool { return n.Data == "option" })
	}
	switch {
	case option == nil:
		return ""
	case Has(option, "value"):
		return Attr(option, "value")
	default:
		return Text(option)
	}
}
