package e2e

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
			story: "An answer that is a page, and no redirect, is sent again by F5.",
			play:  refreshAfterwards, lock: true,
		},
		{
			family: "pages", name: "somebody refreshes the browser's error page",
			story: "Dreamwidth issue 2571: the answer was lost, and F5 on the error page posted the comment again.",
			play:  refreshTheErrorPage, plain: true,
		},
		{
			family: "pages", name: "somebody goes back and sends again",
			story: "NHS.UK frontend issue 796: the second time must not look like an error.",
			play:  backAndSend, pageCache: true, plain: true, lock: true,
		},
		{
			family: "pages", name: "somebody goes back and sends again, with no page cache",
			story: "NHS.UK frontend issue 796: the second time must not look like an error.",
			play:  backAndSend,
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
	}
}

func refreshMeanwhile(v *visitor) {
	v.send()
	v.refresh()
	v.fillInAgain()
	v.pressAgain()
}

func refreshAfterwards(v *visitor) {
	v.create()
	v.refresh()
	v.settle()
}

func refreshTheErrorPage(v *visitor) {
	v.sendAndLose(beforeAnswer)
	if !v.isOnBrowsersErrorPage() {
		v.leftOut = "since a script sends the form, so the browser shows no error page"
		return
	}
	v.refresh()
	v.settle()
}

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
