package e2e

import "time"

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
			play:  clickTwice, hold: beforeTheApp, plain: true, lock: true,
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
			play:  escapeThenClick, hold: beforeTheApp, plain: true,
		},
		{
			family: "fingers", name: "somebody clicks while the answer arrives",
			story: "The app has answered, the next page is on its way, and the old one still takes clicks.",
			play:  clickIntoTheAnswer, hold: afterRedirect, plain: true, lock: true,
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

func clickTwice(v *visitor) {
	v.send()
	v.again(func() { v.tap(1) })
}

func clickFiveTimes(v *visitor) {
	v.send()
	for range 4 {
		v.again(func() { v.tap(1) })
	}
}

func enterThenClick(v *visitor) {
	v.aim()
	if !v.enter() {
		return
	}
	v.again(func() { v.tap(1) })
}

func holdEnter(v *visitor) {
	if !v.enter() {
		return
	}
	for range 2 {
		v.again(func() {
			v.tellf(byPerson, "keeps Enter down, and the keyboard repeats it")
			v.check(v.page.Keyboard().Down("Enter"), "hold Enter")
		})
	}
	v.check(v.page.Keyboard().Up("Enter"), "let go of Enter")
}

// enter holds Enter down in a field of the form, an input if possible, and reports whether this has sent the form. In other fields
// Enter may begin a new line.
func (v *visitor) enter() bool {
	v.t.Helper()
	var isInput any
	for _, f := range v.app.Form.Fields {
		input := v.input(f.Label)
		var err error
		isInput, err = input.Evaluate("e => { e.focus(); return e.localName === 'input'; }", nil)
		v.check(err, "put the cursor into "+f.Label)
		if isInput == true {
			break
		}
	}
	v.tellf(byPerson, "presses Enter")
	v.again(func() { v.check(v.page.Keyboard().Down("Enter"), "press Enter") })
	if isInput == true {
		v.sent(v.before + 1)
	}
	posts, _ := v.wire.count()
	if posts == v.before {
		v.leftOut = "since Enter sends the form from none of its fields"
	}
	return posts > v.before
}

func otherButton(v *visitor) {
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

func escapeThenClick(v *visitor) {
	v.send()
	v.giveUpAndSend()
}

// giveUpAndSend presses Esc, and then the app's button for another attempt, or else the form's button. Esc stops a page that is loading,
// but not the request of a script. A headless browser does not stop on Esc, so the debugger does.
func (v *visitor) giveUpAndSend() {
	v.t.Helper()
	v.press("Escape")
	if v.wire.isLoading() {
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

func clickIntoTheAnswer(v *visitor) {
	v.send()
	v.held(1)
	v.again(func() { v.tap(1) })
}

func submitTwice(v *visitor) {
	v.aim()
	v.tellf(byBrowser, "a script submits the form, and once more after 0.1 seconds")
	// One script schedules both, because a page that waits for an answer runs no further scripts.
	_, err := v.page.Evaluate(`([x, y]) => {
		const button = document.elementFromPoint(x, y).closest("button, input, [role=button]");
		const submit = () => button.form ? button.form.requestSubmit() : button.click();
		submit();
		setTimeout(submit, 100);
	}`, []float64{v.x, v.y})
	v.check(err, "submit by script")
	end := time.Now().Add(5 * time.Second)
	v.until("the form is sent, or cannot be sent in this way", func() bool {
		posts, _ := v.wire.count()
		return posts > v.before || time.Now().After(end)
	})
	if posts, _ := v.wire.count(); posts == v.before {
		v.leftOut = "since it is not sent by submitting it, only by its button"
		return
	}
	v.again(func() {})
}
