package e2e

import (
	"strings"
	"time"
)

// What browsers do with pages: show them again, send them again, and keep them.
func pages() []incident {
	return []incident{
		{
			family: "pages", name: "somebody refreshes before the answer and fills in the form again",
			story: "The form was sent, and the page that F5 brings is empty.",
			play:  refreshMeanwhile, hold: beforeTheApp, plain: true,
		},
		{
			family: "pages", name: "somebody refreshes the page after a create",
			story: "An answer that is a page, and no redirect, is sent again by F5, and on iPhones by coming back to its tab: " +
				"collective.easyform issue 395.",
			play: func(v *visitor) { v.create(); v.refresh(); v.settle() }, lock: true,
		},
		{
			family: "pages", name: "somebody refreshes the browser's error page",
			story: "Dreamwidth issue 2571: the answer was lost, and F5 on the error page posted the comment again.",
			play: func(v *visitor) {
				v.sendAndLose(beforeAnswer)
				v.refreshInPlace("error page", v.isOnBrowsersErrorPage())
			}, plain: true,
		},
		{
			family: "pages", name: "somebody goes back and sends again",
			story: "NHS.UK frontend issue 796: the second time must not look like an error.",
			play:  backAndSend, pageCache: true, plain: true, lock: true,
		},
		{
			family: "pages", name: "somebody goes back and sends again, with no page cache",
			story: "NHS.UK frontend issue 796: the second time must not look like an error.",
			play:  func(v *visitor) { notInWebKit(v.t, "without its page cache, Back asks the app again"); backAndSend(v) },
		},
		{
			family: "pages", name: "somebody goes back and forward",
			story: "Forward to an answer that was no redirect asks whether to send again.",
			play:  backAndForward, pageCache: true, plain: true,
		},
		{
			family: "pages", name: "somebody goes back, edits, and sends again",
			story: "People who go back to correct something want one record, and must be told whether it has been corrected.",
			play:  backAndEdit, pageCache: true, plain: true, lock: true,
			needs: "edit", mayBeRefused: true,
		},
		{
			family: "pages", name: "somebody clicks while the page saves a draft",
			story: "OpenCompany pull request 641: the page did not know the record of its first draft, and each save made another one.",
			play:  clickDuringDraft, hold: beforeTheApp, drafts: true,
		},
		{
			family: "pages", name: "the login expires, and somebody logs in and sends again",
			story: "Analog.Cafe issue 1014: a login that expired while people typed, and that they renewed, left a duplicate.",
			play:  expiredLogin, needs: "login",
		},
		{
			family: "pages", name: "somebody leaves the form inside the app, comes back, and clicks",
			story: "Turbolinks Classic issue 180: a script that was bound again at each visit sent one form up to eight times.",
			play:  leaveAndComeBack,
		},
	}
}

func refreshMeanwhile(v *visitor) {
	v.send()
	v.refresh()
	v.fillInAgain()
	v.pressAgain()
}

// refreshInPlace refreshes the page that is in place of the answer, if the browser shows it.
func (v *visitor) refreshInPlace(page string, shown bool) {
	v.t.Helper()
	switch {
	case !shown:
		v.leftOut = "since a script sends the form, so the browser shows no " + page
		return
	case v.framed != nil:
		v.leftOut = reframed
		return
	}
	v.refresh()
	v.settle()
	if v.wire.arrived() == v.before+1 {
		v.leftOut = "since the browser does not send the form again"
	}
}

// reframed is the reason to leave out incidents that refresh a page in a frame.
const reframed = "since F5 opens the frame of the form anew"

func backAndSend(v *visitor) {
	v.create()
	v.back()
	v.settle()
	v.resend()
}

func backAndForward(v *visitor) {
	v.create()
	v.back()
	v.settle()
	v.forward()
	v.settle()
}

func backAndEdit(v *visitor) {
	v.create()
	v.back()
	v.settle()
	v.resend(*v.app.Edit)
}

// clickDuringDraft clicks when the first draft has been sent, and before its answer.
func clickDuringDraft(v *visitor) {
	held := func() bool { return v.wire.holding() > 0 }
	v.within(quietToRedirect, func() bool { return held() || v.app.known })
	if !held() {
		v.leftOut = "since the page saves no draft within three seconds"
		return
	}
	v.tellf(byBrowser, "saves a draft, by a script")
	v.pressAgain()
}

// leaveAndComeBack leaves the form and comes back while its document lives, and sends it once. Only then can a script be bound twice.
func leaveAndComeBack(v *visitor) {
	v.leaveMark()
	before := v.page.URL()
	left, err := v.page.Evaluate(script("follow_link_up"))
	v.check(err, "look for a link")
	switch {
	case left == true:
		v.tellf(byPerson, "follows a link")
		if !v.within(5*time.Second, func() bool { return v.page.URL() != before }) {
			v.leftOut = "since its link leads nowhere from a form that is filled in"
			return
		}
	case len(v.app.Form.First) > 0:
		v.back()
	}
	v.settle()
	switch lives, err := v.page.Evaluate("() => window.mark === true"); {
	case !strings.HasPrefix(v.page.URL(), "http") || v.page.URL() == before:
		v.leftOut = "since no link leads up, and Back leads out of the app"
		return
	case err != nil || lives != true:
		v.leftOut = "since its pages are loaded anew"
		return
	}
	if left == true {
		v.back()
		v.settle()
	}
	if len(v.app.Form.First) == 0 && !v.formIsThere() {
		v.leftOut = "since Back does not lead to the form"
		return
	}
	v.fillInAgain()
	v.create()
}
