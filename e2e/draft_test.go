package e2e

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestDraft writes a first description of the app whose form is at the address DRAFT. If a login comes first, it logs in with
// $APP_USER and $APP_PASSWORD.
func TestDraft(t *testing.T) {
	onlyHere(t, "it is about another app")
	t.Parallel()
	if address := os.Getenv("DRAFT"); address != "" {
		t.Attr("family", "description")
		file := filepath.Join(os.Getenv("E2E_OUTPUT"), "app.json")
		text := draft(t, address)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(text + "\nThis is " + file + ". Correct it, above all how records are counted.") {
			t.Attr("says", strings.TrimRight(line, "\n"))
		}
		t.Attr("passed", "a first draft")
	}
}

func draft(t *testing.T, address string) string {
	t.Helper()
	at, err := url.Parse(address)
	if err != nil || at.Host == "" {
		t.Fatalf("the address of the form, %q, is not like http://127.0.0.1:3000/expenses/new", address)
	}
	app := &target{
		Name: at.Host, Address: at.Scheme + "://" + at.Host, ErrorText: []string{"error"},
		Count: count{Page: path.Dir(at.Path), Record: "tr, li"},
	}
	v := window(t, app, incident{})
	v.open(at.RequestURI())
	v.settle()
	found := v.drafted()
	if slices.ContainsFunc(found.Fields, func(f field) bool { return f.Text == "$APP_PASSWORD" }) {
		app.Login = &found
		v.fillIn(found.Fields)
		v.clickAway(found.Button)
		v.open(at.RequestURI())
		v.settle()
		found = v.drafted()
	}
	app.Form = found
	app.Form.Path = at.RequestURI()
	text, err := json.MarshalIndent(app, "", "  ")
	v.check(err, "write the description")
	return string(text)
}

// drafted describes the form on the page that has the most fields.
func (v *visitor) drafted() form {
	v.t.Helper()
	typed, err := v.controls(fields)
	v.check(err, "look for fields")
	pressed, err := v.controls(buttons)
	v.check(err, "look for buttons")
	size := map[int]int{}
	for _, one := range typed {
		size[one.Form]++
	}
	in := func(one control) bool {
		return !slices.ContainsFunc(typed, func(other control) bool { return size[other.Form] > size[one.Form] })
	}
	at, err := url.Parse(v.page.URL())
	v.check(err, "read the address")
	found := form{Path: at.RequestURI()}
	for i, one := range typed {
		beforeThePassword := slices.ContainsFunc(typed[i+1:], func(next control) bool { return next.Kind == "password" })
		if text := one.draft(beforeThePassword); in(one) && text != "" {
			found.Fields = append(found.Fields, field{Label: one.Names[0].Text, Text: text})
		}
	}
	for _, one := range pressed {
		if in(one) && one.Kind == "submit" {
			found.Button = one.Names[0].Text
			break
		}
	}
	if len(found.Fields) == 0 || found.Button == "" {
		v.t.Fatalf("%s has no form with a field and a button; it says: %q", v.short(v.page.URL()), v.words())
	}
	return found
}

// draft is what could be typed; "" leaves the field as it is.
func (c control) draft(beforeThePassword bool) string {
	switch {
	case c.Kind == "password":
		return "$APP_PASSWORD"
	case beforeThePassword:
		return "$APP_USER"
	case c.Kind == "email":
		return "{mark}@example.test"
	case c.Kind == "number":
		return "1"
	case c.Kind == "date":
		return time.Now().Format(time.DateOnly)
	case c.Kind == "select-one" && len(c.Options) > 0:
		return c.Options[0]
	case (c.Kind == "checkbox" || c.Kind == "radio") && c.Required:
		return "yes"
	case slices.Contains([]string{"text", "search", "textarea"}, c.Kind):
		return fmt.Sprintf("%s {mark}", c.Names[0].Text)
	default:
		return ""
	}
}
