package e2e

import (
	"sync/atomic"
	"time"

	"github.com/playwright-community/playwright-go"
)

// Actions of hands on a form whose answer is slow. The wire holds the first form before it reaches the app, until all have been sent.
func fingers() []incident {
	phone := []option{onPhone}
	return []incident{
		{
			family: "fingers", name: "somebody clicks once",
			story: "No incident: if this fails, the description of the app is wrong.",
			play:  (*visitor).create, plain: true,
		},
		{
			family: "fingers", name: "somebody clicks twice",
			story: "ERPNext issue 12971: a double click on Submit posted a document twice.",
			play:  func(v *visitor) { v.send(); v.again(func() { v.tap(1) }) }, hold: beforeTheApp, plain: true, lock: true,
		},
		{
			family: "fingers", name: "somebody clicks twice before the form is sent",
			story: "CiviForm issue 2469: a double click made two applications. A script that locks late sees both clicks.",
			play:  clickTwiceAtOnce, hold: beforeTheApp,
		},
		{
			family: "fingers", name: "somebody clicks five times while the answer is slow",
			story: "GOV.UK Frontend issue 2498: a lock that opens by itself after a second lets the third click through.",
			play:  clickFiveTimes, hold: beforeTheApp, plain: true, lock: true,
		},
		{
			family: "fingers", name: "somebody presses Enter, then clicks",
			story: "GOV.UK Frontend issue 2498: Enter in a field is no click, and a lock on clicks does not see it.",
			play:  enterThenClick, hold: beforeTheApp, plain: true, lock: true,
		},
		{
			family: "fingers", name: "somebody holds Enter down",
			story: "A keyboard repeats a key that is held down, and each Enter is a submission.",
			play:  holdEnter, hold: beforeTheApp, lock: true,
		},
		{
			family: "fingers", name: "a scanner presses Enter twice before the form is sent",
			story: "Snipe-IT issue 18974: scanners end a code with CR and LF, which are Enter. Strichliste issue 261: one books twice.",
			play:  scan, hold: beforeTheApp,
		},
		{
			family: "fingers", name: "somebody confirms a word of an input method by Enter, then presses Enter",
			story: "Claude Code Chat pull request 196: the Enter that confirms a Japanese word sent the message, too.",
			play:  composeThenEnter, hold: beforeTheApp, chromium: "Playwright has no input method there",
		},
		{
			family: "fingers", name: "somebody holds Space down on the button",
			story: "Blueprint pull request 519: a held key clicked a button again and again. Browsers click once, when Space is released.",
			play:  holdSpace, hold: beforeTheApp, chromium: "beside other windows, Space doesn't always press a button there",
		},
		{
			family: "fingers", name: "somebody presses one button, then the other",
			story: "GOV.UK Frontend issue 2498: a lock on a button leaves the other one open.",
			play:  otherButton, hold: beforeTheApp, needs: "other_button",
		},
		{
			family: "fingers", name: "somebody taps twice on a phone",
			story: "ERPNext issue 12971, a double click on Submit that posted a document twice, with a finger.",
			play:  tapTwice, hold: beforeTheApp, in: phone, lock: true, chromium: noFinger,
		},
		{
			family: "fingers", name: "somebody taps on a phone, and a click follows",
			story: "Some browsers make a click of a tap, and some a second one.",
			play:  tapThenClick, hold: beforeTheApp, in: phone, lock: true, chromium: noFinger,
		},
		{
			family: "fingers", name: "somebody clicks, presses Esc, and clicks again",
			story: "Stopping the browser does not stop the app, and people do not know that.",
			play:  func(v *visitor) { v.send(); v.giveUpAndSend() }, hold: beforeTheApp, plain: true,
		},
		{
			family: "fingers", name: "somebody clicks while the answer arrives",
			story: "The app has answered, the next page is on its way, and the old one still takes clicks.",
			play:  func(v *visitor) { v.send(); v.held(1); v.again(func() { v.tap(1) }) }, hold: afterRedirect, plain: true, lock: true,
		},
		{
			family: "fingers", name: "a script submits the form twice",
			story: "Hotwired Turbo and others submit forms by requestSubmit(), which is no click either.",
			play:  submitTwice, hold: beforeTheApp,
		},
	}
}

// noFinger is the reason to leave out incidents with taps.
const noFinger = "Playwright has no finger there"

func clickFiveTimes(v *visitor) {
	v.send()
	for range 4 {
		v.again(func() { v.tap(1) })
	}
}

// isSent reports whether the form is sent within five seconds.
func (v *visitor) isSent() bool {
	v.t.Helper()
	return v.within(5*time.Second, func() bool { return v.wire.arrived() > v.before })
}

func clickTwiceAtOnce(v *visitor) {
	v.aim()
	v.atOnce(func() {
		v.tellf(byPerson, "presses the mouse twice, at once")
		v.check(v.page.Mouse().Click(v.x, v.y, playwright.MouseClickOptions{ClickCount: new(2)}), "press the mouse")
	}, v.isSent)
}

// atOnce makes two gestures that may send the form twice. If the browser sends it, and the page lets the second one pass, then the browser
// may send one of them or both, by chance: only the first is sent, and the incident is left out.
func (v *visitor) atOnce(gestures func(), isSent func() bool) {
	v.t.Helper()
	notInWebKit(v.t, "WebDriver has no messages of the console")
	var passed atomic.Int32
	v.page.OnConsole(func(m playwright.ConsoleMessage) { // a page that waits for an answer can't be asked
		if m.Text() == formPassed {
			passed.Add(1)
		}
	})
	v.onButton(script("pass_one_form"), formPassed)
	gestures()
	if !isSent() {
		return
	}
	v.within(v.app.grace, func() bool { return v.wire.arrived() > v.before+1 || passed.Load() > 1 })
	if passed.Load() > 1 {
		v.leftOut = "since the browser sends the form, and the second may take the place of the first"
	}
}

const formPassed = "the browser sends a form"

func otherButton(v *visitor) {
	notInWebKit(v.t, "WebDriver doesn't move the mouse while a page loads")
	v.pointAt(v.app.OtherButton)
	x, y := v.x, v.y
	v.send()
	v.x, v.y = x, y
	v.again(func() { v.tap(1) })
}

func tapTwice(v *visitor) {
	v.aim()
	v.touch(1)
	v.sent(v.before + 1)
	v.again(func() { v.touch(1) })
}

func tapThenClick(v *visitor) {
	v.aim()
	v.touch(1)
	v.sent(v.before + 1)
	v.again(func() { v.tap(1) })
}

// giveUpAndSend presses Esc, and then the app's button for another attempt, or else the form's button. Esc stops a page that is loading,
// but not the request of a script. A headless browser does not stop on Esc, so the debugger does.
func (v *visitor) giveUpAndSend() {
	v.t.Helper()
	v.press("Escape")
	if read(v.wire, &v.wire.loading) > 0 {
		v.stop()
	}
	all, err := v.controls(buttons)
	v.check(err, "look for a button")
	again, _ := named(all, v.app.Again)
	button, _ := named(all, v.app.Form.Button)
	switch {
	case v.app.Again != "" && again >= 0:
		v.pointAt(v.app.Again)
	case button >= 0:
		v.aim()
	case !v.formIsThere():
		v.leftOut = "since Esc closes the form"
		return
	}
	v.again(func() { v.tap(1) })
}

func submitTwice(v *visitor) {
	v.aim()
	v.tellf(byBrowser, "a script submits the form, and once more after 0.1 seconds")
	// One script schedules both, because a page that waits for an answer runs no further scripts.
	v.onButton(`(button) => {
		const submit = () => button.form ? button.form.requestSubmit() : button.click();
		submit();
		setTimeout(submit, 100);
	}`, nil)
	if !v.isSent() {
		v.leftOut = "since it is not sent by submitting it, only by its button"
		return
	}
	v.again(func() {})
}
