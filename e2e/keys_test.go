package e2e

import "github.com/playwright-community/playwright-go"

func enterThenClick(v *visitor) {
	v.aim()
	if !v.enter() {
		return
	}
	v.again(func() { v.tap(1) })
}

func holdEnter(v *visitor) {
	notInWebKit(v.t, "WebDriver doesn't repeat a key that is held down")
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

// enter holds Enter down in a field of the form, and reports whether this has sent the form.
func (v *visitor) enter() bool {
	v.t.Helper()
	isInput := v.focusField("input")
	v.tellf(byPerson, "presses Enter")
	v.again(func() { v.check(v.page.Keyboard().Down("Enter"), "press Enter") })
	return v.isSentByEnter(isInput)
}

// focusField puts the cursor into a field of the form, and reports whether it is one of the selector. Outside of inputs, Enter may begin
// a new line.
func (v *visitor) focusField(selector string) (fits bool) {
	v.t.Helper()
	for _, f := range v.app.Form.Fields {
		var is any
		v.untilStays(f.Label, func(timeout *float64) (err error) {
			const focus = "(e, selector) => { e.focus(); return e.matches(selector); }"
			is, err = v.input(f.Label).Evaluate(focus, selector, playwright.LocatorEvaluateOptions{Timeout: timeout})
			return err
		})
		if is == true {
			return true
		}
	}
	return false
}

func (v *visitor) isSentByEnter(isInput bool) bool {
	v.t.Helper()
	if v.wire.arrived() > v.before || isInput && v.isSent() {
		return true
	}
	v.leftOut = "since Enter sends the form from none of its fields"
	return false
}

func scan(v *visitor) {
	isInput := v.focusField("input")
	v.atOnce(func() { v.press("Enter", "Enter") }, func() bool { return v.isSentByEnter(isInput) })
}

// composeThenEnter types a word with an input method, as for Japanese or Chinese. The first Enter confirms it.
func composeThenEnter(v *visitor) {
	isInput := v.focusField("input[type=text], input[type=search], input:not([type])")
	if !isInput {
		v.leftOut = "since it has no input for any text"
		return
	}
	keyboard, err := v.browser.NewCDPSession(v.page)
	v.check(err, "open an input method")
	v.tellf(byPerson, "types with an input method, and confirms the word by Enter")
	for _, one := range []struct {
		command string
		with    map[string]any
	}{
		{"Input.imeSetComposition", map[string]any{"text": "ok", "selectionStart": 2, "selectionEnd": 2}},
		// 229 is the code of each key that an input method takes.
		{"Input.dispatchKeyEvent", map[string]any{"type": "rawKeyDown", "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 229}},
		{"Input.insertText", map[string]any{"text": "ok"}},
		{"Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13}},
	} {
		_, err := keyboard.Send(one.command, one.with)
		v.check(err, one.command)
	}
	v.within(quiet, func() bool { return v.wire.arrived() > v.before }) // the word is confirmed
	v.again(func() { v.press("Enter") })
	v.isSentByEnter(isInput)
}

func holdSpace(v *visitor) {
	notInWebKit(v.t, "WebDriver doesn't repeat a key that is held down")
	v.onButton("(button) => button.focus()", nil)
	v.tellf(byPerson, "holds Space down on %s, and the keyboard repeats it", v.app.Form.Button)
	for range 3 {
		v.check(v.page.Keyboard().Down(" "), "hold Space")
	}
	v.check(v.page.Keyboard().Up(" "), "let go of Space")
	if !v.isSent() {
		v.leftOut = "since Space on the button does not send it"
	}
}
