package e2e

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"
)

// visitor is a person at a browser in front of any app, behind a wire. All that is known of the app is its
// description.
type visitor struct {
	*session

	app     *target
	wire    *wire
	mark    string // which the visitor types into the form, and nobody else
	before  int    // forms that were sent before this one was opened, such as that of the login
	leftOut string // why the form cannot meet the incident, or ""
}

// visit opens a browser window, logged in.
func visit(t *testing.T, app *target, s *session, w *wire) *visitor {
	t.Helper()
	v := &visitor{session: s, app: app, wire: w, mark: s.mark + strings.ToLower(rand.Text()[:8])}
	w.tellf = s.tellf
	if app.Login != nil && app.state == nil {
		if app.own != nil && deployed() != nil {
			v.login()
		} else {
			v.open(app.Login.Path)
			v.closeBanner()
			v.fillIn(app.Login.Fields)
			v.clickAway(app.Login.Button)
		}
		state, err := v.browser.StorageState()
		v.check(err, "keep the login")
		app.state = state.ToOptionalStorageState()
	}
	return v
}

// openForm opens the form and fills it in, and each page of it that comes before.
func (v *visitor) openForm() {
	v.t.Helper()
	v.before, _ = v.wire.count()
	v.open(v.app.Form.Path)
	if login := v.app.Login; login != nil && login.Path != v.app.Form.Path && strings.HasSuffix(v.page.URL(), login.Path) {
		v.t.Fatalf("the login did not work: %s leads to %s", v.app.Form.Path, login.Path)
	}
	v.closeBanner()
	v.findForm()
	v.fillIn(v.app.Form.Fields)
}

// findForm goes through the pages that come before the form.
func (v *visitor) findForm() {
	v.t.Helper()
	v.letScriptsEnd()
	for _, page := range v.app.Form.First {
		v.fillIn(page.Fields)
		v.clickAway(page.Button)
	}
}

// fillInAgain fills in the form on a page that was opened once more by its address, which may be that of a page before it.
func (v *visitor) fillInAgain() {
	v.t.Helper()
	v.letScriptsEnd()
	if len(v.app.Form.First) > 0 && !v.formIsThere() {
		v.findForm()
	}
	v.fillIn(v.app.Form.Fields)
}

// letScriptsEnd waits where the form comes from a script, which may replace it until it has all that it has asked for.
func (v *visitor) letScriptsEnd() {
	v.t.Helper()
	if v.app.NeedsScripts {
		v.settle()
	}
}

// closeBanner closes what lies over the page, if it does.
func (v *visitor) closeBanner() {
	v.t.Helper()
	if v.app.Banner == "" {
		return
	}
	v.settle() // a script may bring it
	all, err := v.controls(buttons)
	v.check(err, "look for "+v.app.Banner)
	if id, _ := named(all, v.app.Banner); id >= 0 {
		v.tellf(byPerson, "clicks %s", v.app.Banner)
		v.check(v.numbered(id).Click(), "click "+v.app.Banner)
	}
}

// fillIn fills in a form. What is typed matters to a story only where something is edited.
func (v *visitor) fillIn(typed []field) {
	v.t.Helper()
	if len(typed) > 0 {
		labels := make([]string, len(typed))
		for i, f := range typed {
			labels[i] = f.Label
		}
		v.tellf(byPerson, "fills in %s", strings.Join(labels, ", "))
	}
	v.typeIn(typed)
}

func (v *visitor) typeIn(typed []field) {
	v.t.Helper()
	for _, f := range typed {
		input, text := v.input(f.Label), v.text(f.Text)
		kind, err := input.Evaluate("e => e.localName === 'select' ? 'select' : e.type", nil)
		v.check(err, "find "+f.Label)
		switch kind {
		case "select":
			_, err = input.SelectOption(playwright.SelectOptionValues{ValuesOrLabels: &[]string{text}})
		case "checkbox", "radio":
			err = input.SetChecked(text != "")
		case "password":
			if !variable.MatchString(f.Text) {
				v.t.Fatalf("%s is a secret, which has no place in a file: write $NAME and set the variable", f.Label)
			}
			err = input.Fill(text)
		default:
			err = input.Fill(text)
		}
		v.check(err, "fill "+f.Label)
	}
}

// otherTab opens the address of this tab in another one, as those do who duplicate it.
func (v *visitor) otherTab() *visitor {
	v.t.Helper()
	other := *v
	other.session = v.tab(v.page.URL())
	return &other
}

// aim moves the mouse over the button that creates.
func (v *visitor) aim() {
	v.t.Helper()
	v.pointAt(v.app.Form.Button)
}

// send presses the button, and waits until the form has gone.
func (v *visitor) send() {
	v.t.Helper()
	posts, _ := v.wire.count()
	v.aim()
	v.tap(1)
	v.sent(posts + 1)
}

// formIsThere reports whether the page has the form. A script may bring it, and one that has brought it may take it away.
func (v *visitor) formIsThere() (there bool) {
	v.t.Helper()
	end := time.Now().Add(time.Second)
	v.until("it is known whether the form is there", func() bool {
		all, err := v.controls(fields)
		id, _ := named(all, v.app.Form.Fields[0].Label)
		there = err == nil && id >= 0
		return there && !v.app.NeedsScripts || time.Now().After(end)
	})
	return there
}

// resend is create on a page that was sent before: it is filled in again, with some of it edited. If the form is not there, or
// its button is disabled, there is nothing that people could do.
func (v *visitor) resend(edited ...field) {
	v.t.Helper()
	if !v.formIsThere() {
		return
	}
	v.fillIn(v.app.Form.Fields)
	for _, f := range edited {
		v.tellf(byPerson, "types %q into %s", v.text(f.Text), f.Label)
	}
	v.typeIn(edited)
	disabled, err := v.find(buttons, v.app.Form.Button).IsDisabled()
	v.check(err, "look at the button")
	if !disabled {
		v.create()
	}
}

// create is send, up to the page that it leads to.
func (v *visitor) create() {
	v.t.Helper()
	v.send()
	v.settle()
}

// clickAway presses another button than that of the form, up to the page that it leads to, or to the fields that a script brings.
func (v *visitor) clickAway(button string) {
	v.t.Helper()
	before := v.wire.moved()
	there, err := v.controls(fields)
	v.check(err, "look at the page")
	v.tellf(byPerson, "clicks %s", button)
	v.check(v.find(buttons, button).Click(), "click "+button)
	v.until(button+" leads somewhere", func() bool {
		brought, err := v.controls(fields) // an error: another page has just come
		return v.wire.moved().After(before) || err == nil && len(brought) != len(there)
	})
	v.settle()
}

// sent waits until so many forms have gone.
func (v *visitor) sent(n int) {
	v.t.Helper()
	v.until(fmt.Sprintf("%d forms have been sent", n), func() bool {
		posts, _ := v.wire.count()
		return posts >= n
	})
}

// held waits until so many exchanges are held.
func (v *visitor) held(n int) {
	v.t.Helper()
	v.until(fmt.Sprintf("%d exchanges are held", n), func() bool {
		_, held := v.wire.count()
		return held >= n
	})
}

// again does what may or may not send the form once more, and waits until it has. An app that holds it back never
// does, and of that there is nothing to see.
func (v *visitor) again(gesture func()) {
	v.t.Helper()
	before, _ := v.wire.count()
	gesture()
	end := time.Now().Add(v.app.grace)
	v.until("the form is sent or held back", func() bool {
		posts, _ := v.wire.count()
		return posts > before || time.Now().After(end)
	})
}

// settle waits until the browser has nothing more to load. A page of which the rest was lost is never complete.
func (v *visitor) settle() {
	v.t.Helper()
	enough := quiet
	if v.app.known && len(v.browser.Pages()) == 1 { // which of two tabs was given a page is not known
		enough = quietIfKnown
	}
	v.until("nothing is under way", func() bool {
		if !v.wire.isQuiet(enough) {
			return false
		}
		state, err := v.page.Evaluate(arrived, v.wire.given().UnixMilli()) // an error: another page has just come
		return err == nil && (state == "complete" || time.Since(v.wire.moved()) > quietToRedirect) && v.wire.isQuiet(enough)
	})
}

// arrived is the state of the page, once it is one that was given at a time, or later. The clocks are the same, but for
// some milliseconds.
const arrived = `(given) => {
	if (location.protocol === "chrome-error:") return document.readyState;
	const [loaded] = performance.getEntriesByType("navigation");
	if (loaded && performance.timeOrigin + loaded.responseStart < given - 20) return "old";
	return document.readyState;
}`

// back and forward may show a page that the browser has kept, and for which it asks nobody.
func (v *visitor) back() {
	v.t.Helper()
	v.session.back()
	v.wire.showsAgain()
}

func (v *visitor) forward() {
	v.t.Helper()
	v.session.forward()
	v.wire.showsAgain()
}

// sendAndLose sends the form over a line that breaks, and waits until the browser says so. Then the line is back.
func (v *visitor) sendAndLose(at cut) {
	v.t.Helper()
	begun := time.Now()
	v.wire.cutNext(at)
	v.create()
	if v.wire.lostPage() {
		v.until("the browser says that no answer came", v.isOnBrowsersErrorPage)
	}
	// Of an answer that breaks off the browser shows the beginning, and a script may keep a failure to itself.
	for end := begun.Add(2 * time.Second); !v.isOnBrowsersErrorPage() && v.wire.given().Before(begun) && time.Now().Before(end); {
		v.settle()
	}
	v.wire.heal()
}

func (v *visitor) isOnBrowsersErrorPage() bool {
	return strings.HasPrefix(v.page.URL(), "chrome-error:")
}

// sawError returns what looks like an error on the page, or "".
func (v *visitor) sawError() string {
	v.t.Helper()
	if v.isOnBrowsersErrorPage() {
		return "the browser's error page"
	}
	status, err := v.page.Evaluate("() => performance.getEntriesByType('navigation')[0]?.responseStatus ?? 0")
	v.check(err, "read the status")
	if code, ok := status.(int); ok && code >= 400 {
		return fmt.Sprint("status ", code)
	}
	text, err := v.page.Locator("body").InnerText()
	v.check(err, "read the page")
	for _, word := range v.app.ErrorText {
		if strings.Contains(strings.ToLower(text), strings.ToLower(word)) {
			return word
		}
	}
	return ""
}
