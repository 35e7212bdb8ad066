package e2e

import (
	"errors"

	"github.com/playwright-community/playwright-go"
)

// One form in two tabs.
func tabs() []incident {
	return []incident{
		{
			family: "tabs", name: "somebody duplicates the tab and sends both",
			story: "Crater issue 1032 and siwapp issue 279: two forms that were opened before either was sent made the same " +
				"invoice twice. A duplicated tab is the same form, and so the same wish.",
			play: bothTabs,
		},
		{
			family: "tabs", name: "two tabs of one form are sent at the same instant",
			story: "Crater issue 1032 and siwapp issue 279, with both forms at the app at the same instant.",
			play:  bothTabsAtOnce,
		},
		{
			family: "tabs", name: "somebody sends the form into a new tab, and then in its own",
			story: "WebPageTest issue 1607: a click with Ctrl sends a form into a new tab, and the form stays where it was.",
			play:  newTabThenOwn, lock: true, chromium: "a click with Ctrl sends the form in its own tab there",
		},
		{
			family: "tabs", name: "the tab is thrown away before the answer, and somebody sends again",
			story: "collective.easyform issue 395: phones load a tab again when people come back to it. If it waited for an answer, it " +
				"has the form again, with what was typed, and no lock.",
			play: thrownAway, hold: beforeTheApp,
		},
	}
}

func bothTabs(v *visitor) {
	v.tellf(byPerson, "duplicates the tab")
	other := v.duplicateTab()
	if other == nil {
		return
	}
	v.create()
	other.pressAgain()
	v.leftOut = other.leftOut
	other.settle()
}

func bothTabsAtOnce(v *visitor) {
	v.tellf(byPerson, "duplicates the tab")
	other := v.duplicateTab()
	if other == nil {
		return
	}
	v.wire.hold(beforeTheApp)
	v.send()
	other.pressAgain()
	v.leftOut = other.leftOut
	v.wire.releaseAtOnce()
	v.settle()
}

func newTabThenOwn(v *visitor) {
	v.aim()
	v.tellf(byPerson, "clicks with Ctrl")
	page, err := v.browser.ExpectPage(func() error {
		return errors.Join(v.page.Keyboard().Down("ControlOrMeta"), v.page.Mouse().Click(v.x, v.y), v.page.Keyboard().Up("ControlOrMeta"))
	}, playwright.BrowserContextExpectPageOptions{Timeout: new(float64(longPoll.Milliseconds()))})
	if errors.Is(err, playwright.ErrTimeout) {
		v.settle()
		v.leftOut = "since a click with Ctrl opens no new tab"
		return
	}
	v.check(err, "click with Ctrl")
	other := v.in(page)
	other.sent(v.before + 1)
	other.settle()
	v.wire.showsAgain()
	v.pressAgain()
	v.settle()
}

// thrownAway sends the form in a tab that is then gone, and again in its restored copy, which is opened before since a page that waits for
// an answer can't be asked.
func thrownAway(v *visitor) {
	restored := v.duplicateTab()
	if restored == nil {
		return
	}
	v.send()
	v.tellf(byBrowser, "throws the tab away, and restores it")
	v.check(v.page.Close(), "throw the tab away")
	v.page = restored.page
	v.pressAgain()
}
