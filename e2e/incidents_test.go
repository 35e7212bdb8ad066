package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"onlyonce/internal/assert"
)

// incident is a situation that has created duplicates in real systems. It is written once and tried on any app with a form.
type incident struct {
	family string
	name   string         // a sentence
	story  string         // where it happened, or its cause
	play   func(*visitor) // on the open form, after it was filled in

	hold         stage    // the stage at which the wire holds exchanges meanwhile
	drafts       bool     // they are held from the first text on, and all requests with the mark count as the form
	in           []option // circumstances
	pageCache    bool     // in a browser that keeps pages for Back, which takes a process for each page
	needs        string   // an optional field of the description
	chromium     string   // why only Chromium can play it, or ""
	plain        bool     // worth trying without JavaScript, too
	want         int      // records; one if 0
	mayBeRefused bool     // an error page is acceptable
	lock         bool     // results in one record if the form locks itself and its answer is a redirect, as on servers.Button
	aloud        bool     // print the story at the end
}

// incidents returns the catalogue. Incidents that scripts may prevent are repeated without JavaScript.
func incidents() []incident {
	var all, again []incident
	for _, family := range [][]incident{fingers(), pages(), tabs(), interruptions(), behind(), wishes()} {
		all = append(all, family...)
	}
	for _, one := range all {
		if one.plain {
			one.family, one.name = scriptless, one.name+", without JavaScript"
			one.in, one.lock = []option{withoutJavaScript}, false
			again = append(again, one)
		}
	}
	return append(all, again...)
}

const scriptless = "no JavaScript"

// leftOut returns the reason why an incident cannot be tried on an app, or "".
func (i incident) leftOut(app *target) string {
	switch {
	case i.family == scriptless && app.NoScripts:
		return "since it is the same without JavaScript, as no_scripts says"
	case i.family == scriptless && app.NeedsScripts:
		return "since nothing works without JavaScript, as needs_scripts says"
	case app.Skip[i.name] != "":
		return "since the description skips it: " + app.Skip[i.name]
	case i.needs == "edit" && app.Edit == nil,
		i.needs == "other_button" && app.OtherButton == "",
		i.needs == "break" && app.breaks == nil,
		i.needs == "login" && app.Login == nil,
		i.needs == "restart" && app.restart == nil:
		return "since the description has no " + i.needs
	default:
		return ""
	}
}

// window opens a browser window behind a wire. Unlike for this module's app, it keeps no screenshots of failures and does not watch
// the console, since other apps may log errors.
func window(t *testing.T, app *target, of incident) *visitor {
	t.Helper()
	if of.chromium != "" {
		onlyInChromium(t, of.chromium)
	}
	path := app.PostedTo
	if of.drafts {
		path = ""
	}
	w := newWire(t, path)
	if strings.HasPrefix(app.Address, "https:") {
		w.overTLS(t)
	}
	w.scriptless = of.family == scriptless && !inChromium()
	options := append(slices.Clone(of.in), func(o *circumstances) {
		if of.pageCache || inWebKit() {
			o.launch = withPageCache
		}
		o.Proxy, o.StorageState = &playwright.Proxy{Server: w.addr}, app.state // with the first window's login
		o.IgnoreHttpsErrors = new(w.inside != "")                              // the certificate of the wire
	})
	if app.own != nil {
		s := *app.own
		s.t, s.form, s.story = t, &formLog{}, newStory()
		w.came = s.posted
		s.story.about, s.story.lock = of.story, of.lock
		s.openBrowser(options...)
		return visit(t, app, &s, w)
	}
	s := newSession(t)
	s.story.about, s.story.aloud, s.story.lock = of.story, of.aloud, of.lock
	s.origin = app.Address
	s.openWindow(options...)
	s.browser.OnDialog(func(d playwright.Dialog) {
		s.tellf(byPerson, "agrees to %q", d.Message())
		go func() { _ = d.Accept() }() // the page may be gone meanwhile
	})
	s.openFirstTab()
	if of.aloud {
		t.Cleanup(func() { s.tellAloud(app.title) })
	}
	return visit(t, app, s, w)
}

// plays opens the form and plays an incident on it, while the wire holds exchanges at the incident's stage.
func (v *visitor) plays(one incident) {
	v.t.Helper()
	v.drafts = one.drafts
	v.begin()
	if one.hold == nowhere {
		one.play(v)
		return
	}
	if !one.drafts {
		v.wire.hold(one.hold)
	}
	one.play(v)
	v.wire.release()
	v.settle()
}

// TestEveryIncidentHasItsStory checks that each incident has a story, which the report shows for any app.
func TestEveryIncidentHasItsStory(t *testing.T) {
	t.Parallel()
	for _, one := range incidents() {
		assert.Thatf(t, one.story != "", "%s: no story", one.name)
	}
}

// Protection that goes too far: two equal records, both wanted.
func wishes() []incident {
	return []incident{
		{
			family: "wishes", name: "somebody wants the same twice",
			story: "Two forms that were opened for two wishes. A question in between is fine.",
			play:  wantTwo, want: 2,
		},
	}
}

func wantTwo(v *visitor) {
	v.create()
	v.openForm()
	v.pressAgain()
	v.settle()
	if v.app.Anyway == "" {
		return
	}
	all, err := v.controls(buttons)
	v.check(err, "look for a question")
	if asked, _ := named(all, v.app.Anyway); asked >= 0 {
		v.clickAway(v.app.Anyway)
	}
}
