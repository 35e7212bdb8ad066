package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"onlyonce/internal/must"
)

// TestDraft writes a first description of the app whose form is at the address DRAFT. If there is a login first, it logs in with
// $APP_USER and $APP_PASSWORD. It does not overwrite an existing description, which may have been corrected.
func TestDraft(t *testing.T) {
	onlyHere(t, "it is about another app")
	t.Parallel()
	if address := os.Getenv("DRAFT"); address != "" {
		t.Attr("family", "description")
		file := filepath.Join(os.Getenv("E2E_OUTPUT"), "app.json")
		text, err := draft(t, address)
		must.OK(t, err)
		made, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		must.OK(t, err)
		_, err = made.WriteString(text)
		must.OK(t, errors.Join(err, made.Close()))
		for line := range strings.Lines(text + "\nThis is " + file + ". Correct it: make describe APP=" + file + " checks it.") {
			t.Attr("says", strings.TrimRight(line, "\n"))
		}
		t.Attr("passed", "a first draft")
	}
}

func draft(t *testing.T, address string) (string, error) {
	t.Helper()
	at, err := url.Parse(address)
	if err != nil || at.Host == "" {
		return "", fmt.Errorf("the address of the form, %q, is not like http://127.0.0.1:3000/expenses/new", address)
	}
	app := &target{
		grace: longPoll, Name: at.Host, Address: at.Scheme + "://" + at.Host, ErrorText: []string{"error"},
		Count: count{Page: path.Dir(at.Path), Record: "tr, li"},
	}
	v := window(t, app, incident{})
	v.open(at.RequestURI())
	v.settle()
	found := v.drafted(at.Path)
	if login := found; login.asksPassword() {
		if os.Getenv("APP_USER") == "" || os.Getenv("APP_PASSWORD") == "" {
			return "", fmt.Errorf("%s needs a login: set APP_USER and APP_PASSWORD", at.RequestURI())
		}
		app.Login = &login
		v.fillIn(login.Fields)
		v.clickAway(login.Button)
		v.open(at.RequestURI())
		v.settle()
		if found = v.drafted(at.Path); found.asksPassword() {
			return "", fmt.Errorf("%s still asks for a password after the login with APP_USER and APP_PASSWORD", at.RequestURI())
		}
	}
	app.Form = found
	app.Form.Path = at.RequestURI()
	scripts, err := v.page.Locator("script").Count()
	v.check(err, "count the scripts")
	app.NoScripts = scripts == 0
	if where := v.list(); where.Page != "" {
		app.Count = where
	} else {
		t.Attr("says", "Where the app lists its records was not found, so count is a guess.")
	}
	text, err := json.MarshalIndent(app, "", "  ")
	return string(text), err
}

// list sends the form once and returns the page that lists the record, if it is found: a page above the form or the record, or one that the
// record's page links to. On the record's own page, a second record would not be seen.
func (v *visitor) list() count {
	v.t.Helper()
	v.openForm()
	v.aim()
	v.again(func() { v.tap(1) })
	v.settle()
	linked, err := v.page.Evaluate(links)
	v.check(err, "read the links")
	at, err := url.Parse(v.page.URL())
	v.check(err, "read the address")
	var pages []string
	for _, of := range []string{v.app.Form.Path, at.Path} {
		for above := path.Dir(of); above != "."; above = path.Dir(above) {
			if pages = append(pages, above); above == "/" {
				break
			}
		}
	}
	for page := range strings.Lines(fmt.Sprint(linked)) {
		pages = append(pages, strings.TrimSpace(page))
	}
	slices.SortStableFunc(pages, func(a, b string) int { return len(b) - len(a) })
	for _, page := range slices.Compact(pages) {
		if page == at.RequestURI() {
			continue
		}
		v.open(page)
		v.settle()
		record, err := v.page.Evaluate(script("record_with"), v.mark)
		v.check(err, "look for the record")
		if selector := fmt.Sprint(record); selector != "" {
			return count{Page: page, Record: selector}
		}
	}
	return count{}
}

// links returns the addresses that a page links to, without those that could change something.
const links = `() => [...document.links].filter((a) => a.origin === location.origin).map((a) => a.pathname + a.search)
	.filter((path) => !/log.?o(ut|ff)|sign.?out|delete|destroy|remove|archive/i.test(path)).slice(0, 10).join("\n")`

func (f form) asksPassword() bool {
	return slices.ContainsFunc(f.Fields, func(f field) bool { return f.Text == "$APP_PASSWORD" })
}

// step matches the path of a login, and of each of its steps.
var step = regexp.MustCompile(`(?i)log.?[io]n|sign.?in|auth|session|account|sso|passw|ident|verif|challenge|factor|2fa|mfa|otp`)

// drafted describes the form with the most fields on the page that a path leads to: those of a login, the required ones, and the first
// text. A step of a login without a password is not described.
func (v *visitor) drafted(of string) form {
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
	marked := false
	for i, one := range typed {
		beforeThePassword := slices.ContainsFunc(typed[i+1:], func(next control) bool { return next.Kind == "password" })
		text := one.draft(beforeThePassword)
		needed := one.Required || beforeThePassword || one.Kind == "password" || !marked && strings.Contains(text, "{mark}")
		if in(one) && text != "" && needed {
			found.Fields = append(found.Fields, field{Label: one.Names[0].Text, Text: text})
			marked = marked || strings.Contains(text, "{mark}")
		}
	}
	for _, one := range pressed {
		if in(one) && one.Kind == "submit" {
			found.Button = one.Names[0].Text
			break
		}
	}
	must.Thatf(v.t, at.Path == of || !step.MatchString(at.Path) || found.asksPassword(),
		"%s leads to %s: describe login, with first if it has several steps, by hand", of, at.Path)
	if len(found.Fields) == 0 || found.Button == "" {
		v.t.Fatalf("%s has no form with a field and a button; its text: %q", v.short(v.page.URL()), v.words())
	}
	return found
}

// draft returns a text for the control; "" leaves the field unchanged.
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
		return ornament.ReplaceAllString(c.Names[0].Text, "") + " {mark}"
	default:
		return ""
	}
}
