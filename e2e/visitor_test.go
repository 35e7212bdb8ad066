package e2e

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"onlyonce/internal/must"
)

// visitor is a person at a browser in front of any app, behind a wire. It uses only the description of the app.
type visitor struct {
	*session

	app        *target
	wire       *wire
	mark       string                   // a unique word that the visitor types into the form
	before     int                      // forms sent before this one was filled in
	others     int                      // other requests with a body before
	existing   int                      // records that existed before, with count.difference
	told       bool                     // a page has shown that the record exists
	drafts     bool                     // the wire holds what the page sends while the form is filled in
	leftOut    string                   // why the incident did not happen, or ""
	afterLogin string                   // the page that the login led to, for an error; "" without a login in this window
	framed     playwright.Frame         // which has the form, or nil if that is in the page
	frames     map[int]playwright.Frame // by the ids of their controls
}

// visit opens a browser window, logged in.
func visit(t *testing.T, app *target, s *session, w *wire) *visitor {
	t.Helper()
	v := &visitor{session: s, app: app, wire: w, frames: map[int]playwright.Frame{}, mark: s.mark + strings.ToLower(rand.Text()[:8])}
	w.tellf, w.mark = s.tellf, v.mark
	if app.Count.Difference {
		w.mark = "" // each form is one that creates
	}
	w.host = hostOf(s.origin)
	if app.Session != nil {
		w.headers = map[string]string{}
		for name, value := range app.Session.Headers {
			w.headers[name] = expand(value)
		}
	}
	v.logIn()
	return v
}

// openForm opens the form and fills it in, including the pages before it.
func (v *visitor) openForm() {
	v.t.Helper()
	v.open(v.app.Form.Path)
	v.mustBeLoggedIn()
	if status := v.status(); status >= 400 {
		v.t.Fatalf("your app answers %d %s at %s", status, http.StatusText(status), v.app.Form.Path)
	}
	v.closeBanner()
	v.findForm()
	if v.drafts {
		v.wire.hold(beforeTheApp)
	}
	v.fillIn(v.app.Form.Fields)
	if v.framed != nil && !inChromium() && hostOf(v.framed.URL()) != hostOf(v.page.URL()) {
		leaveOut(v.t, "since Firefox takes no clicks over WebDriver BiDi in a frame of another host")
	}
	v.before = v.wire.arrived()
	v.others = len(v.wire.others())
}

// begin opens the form for the first time, and counts the records that there are before it is sent.
func (v *visitor) begin() {
	v.t.Helper()
	v.openForm()
	if v.app.Count.Difference {
		v.existing = v.listed()
	}
}

func hostOf(address string) string {
	at, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return at.Host
}

// place returns the path of an address, with that of its fragment, by which a script may choose the page.
func place(address string) string {
	at, err := url.Parse(address)
	if err != nil {
		return address
	}
	route, _, _ := strings.Cut(at.Fragment, "?")
	return at.Path + "#" + route
}

// findForm goes through the pages before the form.
func (v *visitor) findForm() {
	v.t.Helper()
	v.letScriptsEnd()
	for _, page := range v.app.Form.First {
		v.fillIn(page.Fields)
		v.clickAway(page.Button)
	}
}

// fillInAgain fills in the form on a page that was opened again by its address, which may be that of a page before it.
func (v *visitor) fillInAgain() {
	v.t.Helper()
	v.letScriptsEnd()
	if len(v.app.Form.First) > 0 && !v.formIsThere() {
		v.findForm()
	}
	v.fillIn(v.app.Form.Fields)
}

// letScriptsEnd waits if the form comes from a script, which may replace it until all its requests are answered.
func (v *visitor) letScriptsEnd() {
	v.t.Helper()
	if v.app.NeedsScripts {
		v.settle()
	}
}

// closeBanner closes an overlay over the page, if there is one.
func (v *visitor) closeBanner() {
	v.t.Helper()
	if v.app.Banner == "" {
		return
	}
	v.settle() // a script may add it
	all, err := v.controls(buttons)
	v.check(err, "look for "+v.app.Banner)
	if id, _ := named(all, v.app.Banner); id >= 0 {
		v.tellf(byPerson, "clicks %s", v.app.Banner)
		v.check(v.numbered(id).Click(), "click "+v.app.Banner)
	}
}

// fillIn fills in a form. Only the text of an edit is part of a story.
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
			var same any
			same, err = input.Evaluate("(e, text) => [e.value, e.selectedOptions[0]?.label].includes(text)", text)
			if err != nil || same == true {
				break
			}
			chosen := time.Now()
			if _, err = input.SelectOption(playwright.SelectOptionValues{ValuesOrLabels: &[]string{text}}); err == nil {
				v.until("the choice has had its effect", func() bool { return time.Since(chosen) > quiet })
				v.settle() // it may have brought the form again, with other fields
			}
		case "file":
			err = input.SetInputFiles(v.file(f))
		case "checkbox", "radio":
			err = input.SetChecked(text != "")
		case "password":
			must.Thatf(v.t, variable.MatchString(f.Text),
				"%s is a secret, which has no place in a file: write $NAME and set the variable", f.Label)
			err = input.Fill(text)
		default:
			err = input.Fill(text)
		}
		v.check(err, "fill "+f.Label)
	}
}

// duplicateTab duplicates the tab as browsers do: with the same address and storage, the page as it came, and the typed text. It
// returns nil if the other tab then has no form.
func (v *visitor) duplicateTab() *visitor {
	v.t.Helper()
	if v.framed != nil {
		v.leftOut = "since the form is in a frame"
		return nil
	}
	if v.app.NeedsScripts {
		v.leftOut = "since a script brings the form, so it is empty in a duplicated tab"
		return nil
	}
	v.wire.repeatPage()
	page, err := v.page.ExpectPopup(func() error {
		_, err := v.page.Evaluate("() => { window.open(location.href); }")
		return err
	})
	v.check(err, "duplicate the tab")
	v.check(page.WaitForLoadState(), "load the other tab")
	other := v.in(page)
	if !other.formIsThere() {
		v.leftOut = "since a duplicated tab has no form"
		return nil
	}
	typed, err := v.page.Evaluate(readFields)
	v.check(err, "read the form")
	_, err = page.Evaluate(writeFields, typed)
	v.check(err, "restore the form")
	files, err := other.controls("input[type=file]")
	v.check(err, "look for files")
	for _, f := range v.app.Form.Fields { // which browsers restore, too
		if id, _ := named(files, f.Label); id >= 0 {
			v.check(other.numbered(id).SetInputFiles(v.file(f)), "restore "+f.Label)
		}
	}
	return other
}

func (v *visitor) file(f field) string { return filepath.Join(v.app.directory, v.text(f.Text)) }

// in returns the visitor in another tab.
func (v *visitor) in(page playwright.Page) *visitor {
	other := *v
	other.session = new(*v.session)
	other.page, other.who = page, "in another tab"
	return &other
}

// readFields and writeFields restore the typed text, as browsers do with a form that came with the page. Hidden fields stay.
const (
	readFields = `() => [...document.querySelectorAll("input:not([type=hidden], [type=file]), select, textarea")]
		.map((e) => ({ name: e.name, value: e.value, checked: !!e.checked }))`
	writeFields = `(typed) => document.querySelectorAll("input:not([type=hidden], [type=file]), select, textarea").forEach((e, i) => {
		if (typed[i]?.name !== e.name || typed[i].value === e.value && typed[i].checked === !!e.checked) return;
		if (e.type === "checkbox" || e.type === "radio") e.checked = typed[i].checked;
		else e.value = typed[i].value;
		for (const type of ["input", "change"]) e.dispatchEvent(new Event(type, { bubbles: true }));
	})`
)

// aim moves the mouse over the button that creates.
func (v *visitor) aim() {
	v.t.Helper()
	v.pointAt(v.app.Form.Button)
}

// send presses the button, and waits until the form has been sent.
func (v *visitor) send() {
	v.t.Helper()
	before := v.wire.arrived()
	v.aim()
	v.tap(1)
	v.sent(before + 1)
}

// formIsThere reports whether the page has the form. A script may add or remove it.
func (v *visitor) formIsThere() (there bool) {
	v.t.Helper()
	v.within(time.Second, func() bool {
		all, err := v.controls(fields)
		id, _ := named(all, v.app.Form.Fields[0].Label)
		there = err == nil && id >= 0
		return there && !v.app.NeedsScripts
	})
	return there
}

// resend fills in the form again on a page that was sent before, with some edits, and presses the button. If the form is not there,
// the incident did not happen.
func (v *visitor) resend(edited ...field) {
	v.t.Helper()
	if !v.formIsThere() {
		v.leftOut = "since Back does not lead to the form"
		if !strings.HasPrefix(v.page.URL(), "http") {
			v.leftOut = "since Back leads out of the app"
		}
		return
	}
	v.fillIn(v.app.Form.Fields)
	for _, f := range edited {
		v.tellf(byPerson, "types %q into %s", v.text(f.Text), f.Label)
	}
	v.typeIn(edited)
	v.pressAgain()
	v.settle()
}

// pressAgain presses the button once more, which an app may ignore. If the button's text has changed, it clicks at the same place.
// If a required field is empty there, the incident did not happen.
func (v *visitor) pressAgain() {
	v.t.Helper()
	before := v.wire.arrived()
	v.again(func() {
		all, err := v.controls(buttons)
		v.check(err, "look for "+v.app.Form.Button)
		if id, _ := named(all, v.app.Form.Button); id >= 0 {
			v.aim()
		}
		v.tap(1)
	})
	if v.wire.arrived() > before {
		return
	}
	if why := v.refusal(); strings.HasSuffix(why, missing) {
		v.leftOut = "since the browser does not send the form: " + why
	}
}

// refusal returns the reason why the browser does not send the form, such as "Title is required and empty", or "".
func (v *visitor) refusal() string {
	v.t.Helper()
	pressed, err := v.controls(buttons)
	typed, failed := v.controls(fields)
	if err != nil || failed != nil {
		return "" // another page has just loaded
	}
	button, _ := named(pressed, v.app.Form.Button)
	for _, one := range typed {
		if one.Invalid == "" || len(one.Names) == 0 {
			continue
		}
		if slices.ContainsFunc(pressed, func(c control) bool { return c.ID == button && c.Form == one.Form }) {
			return one.Names[0].Text + " " + one.Invalid
		}
	}
	return ""
}

// create sends the form and waits for the page that it leads to.
func (v *visitor) create() {
	v.t.Helper()
	v.send()
	v.settle()
}

// clickAway presses a button other than the form's, or follows a link if no button has that name. It waits for the page that this leads to,
// or for the fields that a script adds.
func (v *visitor) clickAway(button string) {
	v.t.Helper()
	before := v.wire.moved()
	there, err := v.controls(fields)
	v.check(err, "look at the page")
	v.tellf(byPerson, "clicks %s", button)
	pressed, err := v.controls(buttons)
	v.check(err, "look for "+button)
	selector := buttons
	if id, _ := named(pressed, button); id < 0 {
		selector += ", a[href]"
	}
	v.check(v.find(selector, button).Click(), "click "+button)
	v.until(button+" leads somewhere", func() bool {
		brought, err := v.controls(fields) // on an error, another page has just loaded
		return v.wire.moved().After(before) || err == nil && len(brought) != len(there)
	})
	v.settle()
}

// sent waits until n forms have been sent. A field that the browser refuses, or a request that is taken for another one, shows that the
// description is wrong.
func (v *visitor) sent(n int) {
	v.t.Helper()
	begun, asked := time.Now(), false
	v.until(fmt.Sprintf("%d forms have been sent", n), func() bool {
		posts := v.wire.arrived()
		if others := v.wire.others(); posts < n && len(others) > v.others && time.Since(begun) > longPoll {
			v.t.Fatalf("the page sends %s, without %s in the body or to another path than posted_to, %q",
				others[len(others)-1], v.mark, v.app.PostedTo)
		}
		if posts < n && !asked && time.Since(begun) > quietToRedirect {
			asked = true
			why := v.refusal()
			must.Thatf(v.t, why == "", "the browser does not send the form: %s", why)
		}
		return posts >= n
	})
}

// held waits until n exchanges are held.
func (v *visitor) held(n int) {
	v.t.Helper()
	v.until(fmt.Sprintf("%d exchanges are held", n), func() bool { return v.wire.holding() >= n })
}

// rhythm is the time between two gestures of a quick person. Some apps disable a button several milliseconds after it was pressed.
const rhythm = 100 * time.Millisecond

// again makes a gesture that may send the form once more, and waits until it is sent. An app that holds it back never sends it,
// which can only be found by a timeout.
func (v *visitor) again(gesture func()) {
	v.t.Helper()
	<-time.After(rhythm)
	before := v.wire.arrived()
	gesture()
	v.within(v.app.grace, func() bool { return v.wire.arrived() > before })
}

// settle waits until the browser has nothing more to load. A page whose answer was cut off never completes.
func (v *visitor) settle() {
	v.t.Helper()
	enough := quiet
	if v.app.known && len(v.browser.Pages()) == 1 { // with two tabs, it is unknown which one got the page
		enough = quietIfKnown
	}
	v.until("nothing is under way", func() bool {
		if !v.wire.isQuiet(enough) {
			return false
		}
		state, err := v.arrival()           // on an error, another page has just loaded
		since := time.Since(v.wire.moved()) // a busy machine shows a page late
		shown := state == "complete" || since > quietToRedirect && state != "old" || since > 3*quietToRedirect
		return err == nil && shown && v.wire.isQuiet(enough)
	})
	if v.wire.arrived() > v.before {
		text, err := v.reads(readPage)
		v.told = v.told || err == nil && v.tells(fmt.Sprint(text...))
	}
}

// arrival returns the state of the page that the wire has brought last, which may be in any frame or tab, or "old" if none shows it yet.
func (v *visitor) arrival() (state any, err error) {
	state = "old"
	var frames []playwright.Frame
	for _, page := range v.browser.Pages() {
		frames = append(frames, page.Frames()...)
	}
	for _, frame := range frames {
		if frame != v.page.MainFrame() && frame != v.framed && v.wire.statusOf(frame.URL()) == 0 {
			continue // it did not come through the wire
		}
		one, err := frame.Evaluate(arrived, v.wire.given().UnixMilli())
		if err != nil {
			return nil, err
		}
		if one != "old" {
			state = one
		}
	}
	return state, nil
}

// reads evaluates a script in the page, and in the frame that has the form.
func (v *visitor) reads(script string, arguments ...any) (found []any, err error) {
	in := []playwright.Frame{v.page.MainFrame()}
	if v.framed != nil && !v.framed.IsDetached() && v.framed.Page() == v.page {
		in = append(in, v.framed)
	}
	for _, frame := range in {
		one, err := frame.Evaluate(script, arguments...)
		if err != nil {
			return nil, err
		}
		found = append(found, one)
	}
	return found, nil
}

// mustRead is reads for a page that another one may be about to replace, as on a busy machine.
func (v *visitor) mustRead(script string) (found []any) {
	v.t.Helper()
	v.until("the page can be read", func() bool {
		var err error
		found, err = v.reads(script)
		return err == nil
	})
	return found
}

// isOnBrowsersErrorPage reports whether the browser shows its error page, also in the frame.
func (v *visitor) isOnBrowsersErrorPage() bool {
	found, err := v.reads(isErrorPage)
	return err == nil && slices.Contains(found, any(true)) // on an error, another page has just loaded
}

// readPage returns the visible text of a page, without the typed text.
const readPage = `() => [...document.querySelectorAll("[contenteditable]:not([contenteditable=false]), [role=textbox]")]
	.reduce((text, e) => text.replace(e.innerText, ""), document.body?.innerText ?? "")`

// tells reports whether the text of a page shows that the record exists. It has a success_text or, if the description has none, the mark.
func (v *visitor) tells(text string) bool {
	if len(v.app.SuccessText) == 0 {
		return v.app.Count.Difference || contains(text, v.mark)
	}
	return slices.ContainsFunc(v.app.SuccessText, func(word string) bool { return contains(text, v.text(word)) })
}

// contains ignores case, which style sheets change.
func contains(text, word string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(word))
}

// arrived returns the state of the page, if the page was delivered at a time or later, or "old". The clocks agree within some
// milliseconds.
const arrived = `(given) => {
	if (/^(chrome-error|about):/.test(document.documentURI)) return document.readyState;
	const [loaded] = performance.getEntriesByType("navigation");
	if (loaded && performance.timeOrigin + loaded.responseStart < given - 20) return "old";
	return document.readyState;
}`

// back and forward may show a page that the browser has kept, without a request.
func (v *visitor) back()    { v.travel("back", v.session.back) }
func (v *visitor) forward() { v.travel("forward", v.session.forward) }

func (v *visitor) travel(direction string, unframed func()) {
	v.t.Helper()
	if v.framed == nil {
		unframed()
	} else {
		v.tellf(byPerson, "goes %s", direction)
		v.inFrame("() => { history." + direction + "(); }")
	}
	v.wire.showsAgain()
}

// inFrame runs a script after which the frame shows another page, while the page around it stays.
func (v *visitor) inFrame(script string) {
	v.t.Helper()
	begun, before := time.Now(), v.framed.URL()
	_, err := v.page.Evaluate(script)
	v.check(err, "leave the page of the frame")
	v.until("the frame shows another page", func() bool {
		return v.framed.URL() != before || v.wire.moved().After(begun) || time.Since(begun) > longPoll
	})
}

// sendAndLose sends the form over a connection that breaks, waits until the browser shows it, and restores the connection.
func (v *visitor) sendAndLose(at cut) {
	v.t.Helper()
	begun := time.Now()
	v.wire.cutNext(at)
	v.create()
	if read(v.wire, &v.wire.lost) {
		v.until("the browser says that no answer came", v.isOnBrowsersErrorPage)
	}
	// The browser shows the beginning of an incomplete answer, and a script may hide a failure.
	for end := begun.Add(2 * time.Second); !v.isOnBrowsersErrorPage() && v.wire.given().Before(begun) && time.Now().Before(end); {
		v.settle()
	}
	v.wire.heal()
}

// status returns the status of the page, or 0 where the browser does not know it. WebKit never does, but the wire does.
func (v *visitor) status() int {
	v.t.Helper()
	if inWebKit() {
		return v.wire.statusOf(v.page.URL())
	}
	worst := 0
	for _, status := range v.mustRead("() => performance.getEntriesByType('navigation')[0]?.responseStatus ?? 0") {
		code, _ := status.(int)
		worst = max(worst, code)
	}
	return worst
}

// sawError returns the text on the page that looks like an error, or "", and notes whether the page shows that the record exists.
func (v *visitor) sawError() string {
	v.t.Helper()
	if v.isOnBrowsersErrorPage() {
		return "the browser's error page"
	}
	if status := v.status(); status >= 400 {
		return fmt.Sprint("status ", status)
	}
	text := fmt.Sprint(v.mustRead(readPage)...)
	v.told = v.told || v.tells(text)
	if i := slices.IndexFunc(v.app.ErrorText, func(word string) bool { return contains(text, word) }); i >= 0 {
		return v.app.ErrorText[i]
	}
	return ""
}
