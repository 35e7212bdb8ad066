package e2e

// What browsers do with pages: they show them again, send them again, and keep them.
func pages() []incident {
	canEdit := func(app *target) bool { return app.Edit != nil }
	return []incident{
		{family: "pages", name: "somebody refreshes before the answer and fills in the form again", play: refreshMeanwhile, plain: true},
		{family: "pages", name: "somebody refreshes the page after a create", play: refreshAfterwards},
		{family: "pages", name: "somebody refreshes the browser's error page", play: refreshTheErrorPage, plain: true},
		{family: "pages", name: "somebody goes back and sends again", play: backAndSend, pageCache: true, plain: true},
		{family: "pages", name: "somebody goes back and sends again, with no page cache", play: backAndSend},
		{family: "pages", name: "somebody goes back and forward", play: backAndForward, pageCache: true, plain: true},
		{
			family: "pages", name: "somebody goes back, edits, and sends again", play: backAndEdit, pageCache: true, plain: true,
			needs: canEdit, mayBeRefused: true,
		},
	}
}

// The form was sent, and the page that F5 brings is empty.
func refreshMeanwhile(v *visitor) {
	v.openForm()
	v.wire.hold(beforeTheApp)
	v.send()
	v.refresh()
	v.fillIn(v.app.Form.Fields)
	v.send()
	v.wire.release()
	v.settle()
}

// An answer that is a page, and no redirect, is sent again by F5.
func refreshAfterwards(v *visitor) {
	v.openForm()
	v.create()
	v.refresh()
	v.settle()
}

// Dreamwidth issue 2571: the answer was lost, and F5 on the error page posted the comment again.
func refreshTheErrorPage(v *visitor) {
	v.openForm()
	v.sendAndLose(beforeAnswer)
	v.refresh()
	v.settle()
}

// NHS.UK frontend issue 796: the second time must not look like an error.
func backAndSend(v *visitor) {
	v.openForm()
	v.create()
	v.back()
	v.settle()
	v.resend()
}

// Forward to an answer that was no redirect asks whether to send again.
func backAndForward(v *visitor) {
	v.openForm()
	v.create()
	v.back()
	v.settle()
	v.forward()
	v.settle()
}

// Whoever goes back to correct something wants one record, and must hear whether it has been corrected.
func backAndEdit(v *visitor) {
	v.openForm()
	v.create()
	v.back()
	v.settle()
	v.resend(*v.app.Edit)
}
