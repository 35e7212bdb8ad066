package e2e

import (
	"slices"
	"testing"

	"onlyonce/e2e/servers"
	"onlyonce/internal/assert"
)

// TestHabitsOfApps checks that the incidents work with dialogs, wizards, scripts that post, and the like, on small servers. All
// have a script that disables the button, so that some incidents are against each and others are not, or else a key. For each habit, it
// tries the incidents that the habit could disturb.
func TestHabitsOfApps(t *testing.T) {
	onlyHere(t, "it is about the suite itself")
	onlyInChromium(t, "it is about the suite itself")
	t.Parallel()
	const (
		once, twice    = "somebody clicks once", "somebody clicks twice"
		enter, hold    = "somebody presses Enter, then clicks", "somebody holds Enter down"
		slowLine       = "somebody clicks twice on a slow line"
		escape         = "somebody clicks, presses Esc, and clicks again"
		duplicate      = "somebody duplicates the tab and sends both"
		byBrowser      = "the connection breaks after the commit, and the browser sends again by itself"
		impatient      = "somebody gives up waiting when the app is done, and sends again"
		restart        = "the app restarts before somebody tries again"
		inTheAnswer    = "the connection breaks inside the answer, and somebody sends again"
		script, tabs   = "a script submits the form twice", "two tabs of one form are sent at the same instant"
		meanwhile      = "somebody refreshes before the answer and fills in the form again"
		afterwards     = "somebody refreshes the page after a create"
		errorPage      = "somebody refreshes the browser's error page"
		back           = "somebody goes back and sends again, with no page cache"
		beforeTheCut   = "the connection breaks before the request, and somebody sends again"
		inTheRequest   = "the connection breaks inside the request, and somebody sends again"
		hasty, scan    = "somebody clicks twice before the form is sent", "a scanner presses Enter twice before the form is sent"
		compose        = "somebody confirms a word of an input method by Enter, then presses Enter"
		space          = "somebody holds Space down on the button"
		draft          = "somebody clicks while the page saves a draft"
		expired        = "the login expires, and somebody logs in and sends again"
		leave          = "somebody leaves the form inside the app, comes back, and clicks"
		beforeAnAnswer = "the connection breaks before the answer, and somebody sends again"
		balancer       = "a balancer sends the form twice"
		atOnce         = "a balancer sends the form again while the app is at work on it"
		gatewaysPage   = "a gateway answers in place of the app, and somebody refreshes its page"
		gateway        = "a gateway answers in place of the app, and somebody sends again"
		byScript       = "a gateway answers in place of the app, and the app's script sends again by itself"
		whenOnline     = "the connection breaks before the answer, and the app sends again when it is back"
		cached         = "somebody goes back and sends again"
		broken         = "the app fails after the commit, and somebody sends again"
		wish           = "somebody wants the same twice"
		newTab         = "somebody sends the form into a new tab, and then in its own"
	)
	const one, two = "one record", "duplicates (2)"
	const noPage = "left out since a script sends the form, so the browser shows no page of the gateway"
	const noDraft = "left out since the page saves no draft within three seconds"
	const noDocument = "left out since its pages are loaded anew"
	const byNone = "left out since Enter sends the form from none of its fields"
	const fromScript = "left out since a script brings the form, so it is empty in a duplicated tab"
	const reframed = "left out " + reframed
	try := func(protection servers.Protection, habit servers.Habit, want map[string]string) {
		t.Run(protection.String()+", "+habit.String(), func(t *testing.T) {
			t.Parallel()
			app := little(t, protection, habit)
			var tried []incident
			for _, i := range incidents() {
				if want[i.name] != "" {
					tried = append(tried, i)
				}
			}
			for name, v := range app.verdicts(t, tried) {
				assert.Thatf(t, v.String() == want[name], "%s: %s %s, want %s", name, v, v.saw, want[name])
			}
		})
	}
	for habit, want := range map[servers.Habit]map[string]string{
		servers.Slow:     {twice: one, beforeAnAnswer: two},
		servers.Confirms: {twice: one, script: two, errorPage: two},
		servers.Wizard:   {once: one, meanwhile: two, beforeAnAnswer: two, draft: noDraft, leave: noDocument},
		servers.Router: {
			hasty: one, scan: one, twice: one, escape: one, script: two, leave: one, afterwards: one, back: two, beforeTheCut: one,
			beforeAnAnswer: two, gateway: two, gatewaysPage: noPage, broken: two,
			byScript:   "left out since the app's script does not send it again by itself",
			whenOnline: "left out since the app does not send it again by itself",
		},
		servers.Tardy:      {twice: one, enter: one, hold: one, slowLine: one},
		servers.Late:       {twice: one, hasty: two, scan: two},
		servers.Keys:       {compose: two, space: "duplicates (3)"},
		servers.Drafts:     {draft: two},
		servers.Rebinds:    {leave: two},
		servers.Retries:    {byScript: two},
		servers.Queues:     {whenOnline: two},
		servers.Tokens:     {twice: one, tabs: "error after success", back: "error after success"},
		servers.Banner:     {twice: one, meanwhile: two},
		servers.Warns:      {once: one, meanwhile: two, back: two},
		servers.Elsewhere:  {twice: one, back: two, beforeAnAnswer: two},
		servers.OwnAddress: {beforeTheCut: one, inTheRequest: one, beforeAnAnswer: two, gateway: two, gatewaysPage: two},
		servers.Panel:      {meanwhile: two, tabs: fromScript},
		servers.Listens:    {once: one},
		servers.Replaces:   {twice: one, meanwhile: two, script: "left out since it is not sent by submitting it, only by its button"},
		servers.Stays: { // it prevents nothing
			meanwhile: two, leave: "left out since no link leads up, and Back leads out of the app",
			errorPage: "left out since a script sends the form, so the browser shows no error page",
			duplicate: fromScript, byBrowser: two, impatient: two, restart: two,
			beforeAnAnswer: two, inTheAnswer: two,
		},
		servers.Replays: {expired: two},
		servers.Guarded: {
			once: one, expired: one, inTheRequest: one, twice: one, back: two, beforeAnAnswer: two, duplicate: two, tabs: two,
			wish: "2 records",
		},
		servers.Silent: {
			once: "one record, nobody is told", byScript: "left out since the browser sends the form, and no script",
			newTab: "left out since the browser does not send the form: Title is required and empty",
		},
		servers.Textarea: {twice: one, enter: byNone, scan: byNone},
		servers.Framed:   {enter: one, duplicate: "left out since the form is in a frame", beforeAnAnswer: two},
		servers.Embedded: {enter: one, script: two, back: two, errorPage: reframed, gatewaysPage: reframed},
	} {
		try(servers.Button, habit, want)
	}
	for habit, want := range map[servers.Habit]map[string]string{ // some servers with a key are no better
		servers.Slow:      {balancer: one, atOnce: two},
		servers.Retries:   {byScript: one},
		servers.Drafts:    {draft: one},
		servers.Queues:    {whenOnline: one},
		servers.Elsewhere: {back: one, cached: one},
	} {
		try(servers.Key, habit, want)
	}
}

// TestBackLeadsOutOfTheApp checks that a tab has an empty page before the first one, as people's tabs have, in each browser.
func TestBackLeadsOutOfTheApp(t *testing.T) {
	onlyHere(t, "it is about the suite itself")
	t.Parallel()
	back := func(i incident) bool { return i.name != "somebody goes back and sends again, with no page cache" }
	app := little(t, servers.Button, servers.Stays)
	for name, v := range app.verdicts(t, slices.DeleteFunc(incidents(), back)) {
		assert.Thatf(t, v.String() == "left out since Back leads out of the app", "%s: %s", name, v)
	}
}

// TestPagesArrive checks that a page has arrived when its frame has, also before the form was looked for, and when another tab has or had
// it.
func TestPagesArrive(t *testing.T) {
	onlyHere(t, "it is about the suite itself")
	onlyInChromium(t, "it is about the suite itself")
	t.Parallel()
	app := little(t, servers.None, servers.Framed)
	v := window(t, app, incident{})
	v.open(app.Form.Path)
	v.until("the form is there", v.formIsThere)
	before := v.wire.given()
	_, err := v.page.Evaluate("() => { frames[0].location.reload(); }")
	v.check(err, "load the frame again")
	v.until("the frame has arrived again", func() bool {
		state, err := v.arrival()
		return v.wire.given().After(before) && err == nil && state == "complete"
	})
	arrives := func(in string) {
		t.Helper()
		state, err := v.arrival()
		assert.Thatf(t, err == nil && state == "complete", "%s: %v, %v", in, state, err)
	}
	v.tab(app.Count.Page)
	arrives("another tab")
	app.counted = nil
	v.listed()
	arrives("a tab that was closed")
}
