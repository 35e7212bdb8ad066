package e2e

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"onlyonce/internal/must"
)

// target describes an app for the incidents, see docs/e2e-other-apps.md. In all its texts {mark} is replaced by a word that no
// other record has, and $NAME by an environment variable.
type target struct {
	Schema    string   `json:"$schema,omitempty"` // for editors
	Name      string   `json:"name"`
	Address   string   `json:"address"`         // such as https://staging.example.com, without a path
	Login     *form    `json:"login,omitempty"` // nil without a login
	Session   *given   `json:"session,omitempty"`
	Form      form     `json:"form"` // creates a record
	Count     count    `json:"count"`
	ErrorText []string `json:"error_text"` // texts that appear only on error pages

	// Texts that appear only if the record exists; without them, the page must have the mark.
	SuccessText []string `json:"success_text,omitempty"`

	Edit        *field   `json:"edit,omitempty"`         // a field to change after a create; without it, those incidents are skipped
	OtherButton string   `json:"other_button,omitempty"` // a second button that creates; may be ""
	Again       string   `json:"again,omitempty"`        // the button after a stop of the browser; "" if it is the form's
	Anyway      string   `json:"anyway,omitempty"`       // the button that confirms an equal record; "" if the app does not ask
	Banner      string   `json:"banner,omitempty"`       // the button that closes an overlay; may be ""
	PostedTo    string   `json:"posted_to,omitempty"`    // the path of the form, if other requests also have the mark; "" for any
	Restart     []string `json:"restart,omitempty"`      // a command that restarts the app; without it, those incidents are skipped
	Break       []string `json:"break,omitempty"`        // a command after which the app fails behind its commit, like Restart
	Mend        []string `json:"mend,omitempty"`         // a command that undoes Break
	CleanUp     []string `json:"clean_up,omitempty"`     // a command that runs after the incidents

	Skip map[string]string `json:"skip,omitempty"` // reasons not to try incidents, by their names

	// Several forms, each with a name and the fields in which it differs from the rest of the description.
	Forms []map[string]json.RawMessage `json:"forms,omitempty"`

	Parallel     bool `json:"parallel,omitempty"`      // four incidents run at a time
	NoScripts    bool `json:"no_scripts,omitempty"`    // the app is the same without JavaScript
	NeedsScripts bool `json:"needs_scripts,omitempty"` // the app does not work without JavaScript

	title     string                           // of one of several forms
	directory string                           // of the description
	state     *playwright.OptionalStorageState // of a browser that has logged in
	grace     time.Duration                    // the longest delay of a repeat
	known     bool                             // its pages start no later requests
	own       *session                         // the session for this module's app
	restart   func() error
	breaks    func() error
	mends     func() error
	counted   func(mark string) int // counts the records without a page; may be nil
	replica   string                // address of a second replica with the same data
}

// form is a page with fields to fill in and a button.
type form struct {
	Path   string     `json:"path"`
	First  []formPage `json:"first,omitempty"` // the earlier pages of a wizard, or the buttons that open it
	Fields []field    `json:"fields"`
	Button string     `json:"button"`
}

type formPage struct {
	Fields []field `json:"fields"`
	Button string  `json:"button"` // leads to the next
}

type field struct {
	Label string `json:"label"` // or its name, placeholder or role
	Text  string `json:"text"`
}

// count defines how to count records: on a page, in JSON, or by a command that prints a number.
type count struct {
	Page    string            `json:"page,omitempty"`
	Record  string            `json:"record,omitempty"` // CSS selector of a record on the page
	JSON    string            `json:"json,omitempty"`
	At      string            `json:"at,omitempty"`      // JSON Pointer to an array of records, or to their number
	Headers map[string]string `json:"headers,omitempty"` // of the request for JSON, besides the browser's cookies
	Command []string          `json:"command,omitempty"`

	// Difference is set if no field can have {mark}, such as in a form with numbers only. Then all records that were created since the
	// form was opened belong to the incident.
	Difference bool `json:"difference,omitempty"`
}

// readTargets reads a description. Each of its forms is a target.
func readTargets(file string) (all []*target, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var common map[string]json.RawMessage
	several := &target{Forms: []map[string]json.RawMessage{{}}}
	if err := cmp.Or(json.Unmarshal(text, &common), json.Unmarshal(text, several)); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	delete(common, "forms")
	for _, own := range several.Forms {
		var title string
		if name, named := own["name"]; named {
			err = json.Unmarshal(name, &title)
			delete(own, "name")
		}
		if len(several.Forms) > 1 && (err != nil || title == "" || strings.Contains(title, "/") ||
			slices.ContainsFunc(all, func(other *target) bool { return other.title == title })) {
			return nil, fmt.Errorf("%s: each of the forms needs another name, without a slash", file)
		}
		described := maps.Clone(common)
		maps.Copy(described, own)
		text, err := json.Marshal(described)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		app, err := readTarget(file, text)
		if err != nil {
			return nil, err
		}
		app.title = title
		all = append(all, app)
	}
	return all, nil
}

// readTarget reads the description of one form.
func readTarget(file string, text []byte) (*target, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	app := &target{grace: 500 * time.Millisecond, directory: filepath.Dir(file)}
	if err := decoder.Decode(app); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	at, err := url.Parse(app.Address)
	switch {
	case err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" || at.Path != "":
		return nil, fmt.Errorf("%s: the address %q is not like http://127.0.0.1:3000", file, app.Address)
	case app.Form.Path == "" || app.Form.Button == "":
		return nil, fmt.Errorf("%s: the form needs a path and a button", file)
	case app.Count.Difference == strings.Contains(fmt.Sprint(app.Form), "{mark}"):
		return nil, fmt.Errorf("%s: the form needs a field with {mark} in its text, or else count.difference", file)
	case app.Count.Difference && app.Parallel:
		return nil, fmt.Errorf("%s: with count.difference, incidents can't be parallel", file)
	case (len(app.Break) == 0) != (len(app.Mend) == 0):
		return nil, fmt.Errorf("%s: break and mend need each other", file)
	case app.Count.Page == "" && app.Count.JSON == "" && len(app.Count.Command) == 0:
		return nil, fmt.Errorf("%s: count needs a page, json or a command", file)
	case app.Count.Page != "" && app.Count.Record == "":
		return nil, fmt.Errorf("%s: count.record has to say what one record is on the page", file)
	}
	for _, name := range variable.FindAllString(string(text), -1) {
		if _, set := os.LookupEnv(name[1:]); !set {
			return nil, fmt.Errorf("%s: the variable %s is not set", file, name)
		}
	}
	for name, value := range app.Count.Headers {
		if secretHeader.MatchString(name) {
			if err := noSecret("header "+name, value); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	for name := range app.Skip {
		if !slices.ContainsFunc(incidents(), func(i incident) bool { return i.name == name }) {
			return nil, fmt.Errorf("%s: skip names no incident: %s", file, name)
		}
	}
	if app.Session != nil {
		if app.state, err = app.Session.storage(app.Address, app.directory); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	app.restart, app.breaks, app.mends = running(app.Restart), running(app.Break), running(app.Mend)
	return app, nil
}

// running returns a function that runs a command, or nil if there is none.
func running(command []string) func() error {
	if len(command) == 0 {
		return nil
	}
	return func() error {
		arguments := make([]string, len(command))
		for i, argument := range command {
			arguments[i] = expand(argument)
		}
		_, err := run(context.Background(), arguments)
		return err
	}
}

// secretHeader matches the names of headers that can have a secret.
var secretHeader = regexp.MustCompile("(?i)auth|cookie|token|key|secret")

// variable matches an environment variable in a text.
var variable = regexp.MustCompile(`\$[A-Z][A-Z0-9_]*`)

// expand replaces environment variables.
func expand(template string) string {
	return variable.ReplaceAllStringFunc(template, func(name string) string { return os.Getenv(name[1:]) })
}

// text replaces the placeholders.
func (v *visitor) text(template string) string {
	v.t.Helper()
	filled := strings.ReplaceAll(expand(template), "{mark}", v.mark)
	return oneTime.ReplaceAllStringFunc(filled, func(of string) string {
		code, err := totp(oneTime.FindStringSubmatch(of)[1], time.Now())
		v.check(err, "make a one-time password")
		return code
	})
}

// records counts the records that the visitor has made.
func (v *visitor) records() int {
	v.t.Helper()
	return v.listed() - v.existing
}

// listed counts the records with the visitor's mark, or all.
func (v *visitor) listed() int {
	v.t.Helper()
	switch where := v.app.Count; {
	case v.app.counted != nil:
		return v.app.counted(v.mark)
	case where.Page != "":
		list := v.tab(v.text(where.Page))
		found := list.page.Locator(where.Record)
		if !where.Difference {
			found = found.Filter(playwright.LocatorFilterOptions{HasText: v.mark})
		}
		n, err := found.Count()
		v.check(err, "count on "+where.Page)
		if n > 1 {
			list.show(found)
		}
		v.check(list.page.Close(), "close the tab")
		v.wire.showsAgain()
		return n
	case where.JSON != "":
		return v.recordsInJSON(where)
	default:
		arguments := make([]string, len(where.Command))
		for i, argument := range where.Command {
			arguments[i] = v.text(argument)
		}
		out, err := run(v.t.Context(), arguments)
		v.check(err, "count the records")
		n, err := strconv.Atoi(strings.TrimSpace(string(out)))
		v.check(err, "read what "+arguments[0]+" says")
		return n
	}
}

func (v *visitor) recordsInJSON(where count) int {
	v.t.Helper()
	address := v.origin + v.text(where.JSON)
	request, err := http.NewRequestWithContext(v.t.Context(), http.MethodGet, address, http.NoBody)
	v.check(err, "ask "+address)
	if v.app.Session != nil {
		for name, text := range v.app.Session.Headers {
			request.Header.Set(name, expand(text))
		}
	}
	for name, text := range where.Headers {
		request.Header.Set(name, v.text(text))
	}
	cookies, err := v.browser.Cookies(address)
	v.check(err, "read the browser's cookies")
	for _, cookie := range cookies {
		request.AddCookie(&http.Cookie{Name: cookie.Name, Value: cookie.Value})
	}
	client := &http.Client{CheckRedirect: func(next *http.Request, _ []*http.Request) error {
		if next.URL.Host != request.URL.Host { // which must not get the headers
			return http.ErrUseLastResponse
		}
		return nil
	}}
	answer, err := client.Do(request)
	v.check(err, "ask "+address)
	defer answer.Body.Close()
	must.Thatf(v.t, answer.StatusCode == http.StatusOK, "%s: %s", address, answer.Status)
	var found any
	v.check(json.NewDecoder(answer.Body).Decode(&found), "read the answer of "+address)
	for name := range strings.SplitSeq(strings.TrimPrefix(where.At, "/"), "/") {
		if members, ok := found.(map[string]any); ok && name != "" {
			found = members[name]
		}
	}
	switch found := found.(type) {
	case []any:
		return len(found)
	case float64:
		return int(found)
	default:
		v.t.Fatalf("%s has neither an array nor a number at %q", address, where.At)
		return 0
	}
}

// run runs a command and returns its output. The error includes its stderr. A command may leave a server running, which
// keeps stdout open.
func run(ctx context.Context, command []string) (output []byte, err error) {
	started := exec.CommandContext(ctx, command[0], command[1:]...)
	started.WaitDelay = time.Second
	output, err = started.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, bytes.TrimSpace(failed.Stderr))
	}
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, fmt.Errorf("%s: %w", strings.Join(command, " "), err)
	}
	return output, nil
}
