package e2e

import (
	"flag"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"onlyonce/e2e/servers"
	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// TestIncidentsConvict tries incidents on servers with incomplete protection, to prove that the catalogue can fail. The results are
// the table in docs/e2e-other-apps.md.
func TestIncidentsConvict(t *testing.T) {
	onlyHere(t, "it is about the suite itself")
	onlyInChromium(t, "its table and texts are those of Chromium")
	t.Parallel()
	found := map[string]map[string]verdict{}
	var names []string
	t.Run("servers", func(t *testing.T) {
		var mu sync.Mutex
		for _, protection := range servers.All() {
			name := protection.String()
			names = append(names, name)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				came := little(t, protection, servers.Usual).verdicts(t, wantedOf(protection))
				mu.Lock()
				defer mu.Unlock()
				found[name] = came
			})
		}
	})
	if strings.Contains(flag.Lookup("test.run").Value.String(), "/") {
		return // only some were selected, as by RUN=TestIncidents/tabs
	}
	convicted := map[string]bool{}
	for _, verdicts := range found {
		for _, v := range verdicts {
			convicted[v.incident.family] = convicted[v.incident.family] || !v.good()
		}
	}
	for name, v := range found[servers.Button.String()] {
		assert.Thatf(t, v.incident.lock == v.good(), "%s comes to %s where the button is disabled: lock promises otherwise", name, v)
	}
	tellsTheCause(t, found[servers.None.String()])
	for name, v := range found[servers.None.String()] { // whose repeat creates nothing, with any app
		harmless := slices.Contains([]string{
			"somebody clicks once", "somebody goes back and forward", "somebody holds Space down on the button",
			"somebody confirms a word of an input method by Enter, then presses Enter", "somebody wants the same twice",
			"the connection breaks before the request, and somebody sends again",
			"the connection breaks inside the request, and somebody sends again",
		}, name)
		byChance := name == "somebody clicks twice before the form is sent" // so it is left out, as the table has it
		assert.Thatf(t, harmless == v.good() && (harmless || byChance || v.kind() == "duplicates"),
			"%s comes to %s where nothing is protected: the repeat did not happen", name, v)
	}
	for _, one := range incidents() {
		if !convicted[one.family] && one.family != "wishes" { // no server refuses too much
			t.Errorf("nothing of the family %q convicts any server", one.family)
			convicted[one.family] = true // report it once
		}
	}
	text := must.Read(t, "../docs/e2e-other-apps.md")
	if want := table(names, found); !strings.Contains(text, "<!-- begin verdicts -->\n"+want+"<!-- end verdicts -->") {
		t.Errorf("docs/e2e-other-apps.md does not have this table:\n%s", want)
	}
}

// tellsTheCause checks that the stories name the actions on the form, and who took them.
func tellsTheCause(t *testing.T, found map[string]verdict) {
	t.Helper()
	for name, wanted := range map[string][]string{
		"somebody presses Enter, then clicks": {
			"person   presses Enter", "network  holds the form back", "network  lets through what it holds",
		},
		"somebody holds Enter down":                      {"person   keeps Enter down"},
		"somebody clicks, presses Esc, and clicks again": {"person   presses Escape"},
		"a script submits the form twice":                {"browser  a script submits the form, and once more"},
		"somebody goes back and forward":                 {"person   goes forward"},
		"somebody goes back, edits, and sends again":     {"person   fills in Title", `person   types "Chair`},
		"the connection breaks after the commit, and the browser sends again by itself": {
			"network  cuts the connection after the app has answered", "browser  sends the form once more, by itself",
		},
		"somebody gives up waiting when the app is done, and sends again": {"network  holds the app's answer back"},
		"somebody clicks while the answer arrives":                        {"network  holds the next page back"},
		"somebody clicks twice on a slow line":                            {"network  slows down"},
		"a balancer sends the form twice":                                 {"network  a balancer drops the app's answer, and sends"},
		"a balancer sends the form again while the app is at work on it":  {"network  a balancer sends the form, and once more while"},
		"a gateway answers in place of the app, and somebody sends again": {
			"network  a gateway drops the app's answer", "person   goes back",
		},
		"the app restarts before somebody tries again":             {"server   restarts"},
		"the app fails after the commit, and somebody sends again": {"server   a part of it breaks", "server   is mended"},
		"the connection breaks inside the request, and somebody sends again": {
			"network  cuts the connection in the middle of the form", "network  works again",
		},
		"the connection breaks inside the answer, and somebody sends again": {
			"network  cuts the connection in the middle of the answer",
		},
	} {
		for _, line := range wanted {
			assert.Thatf(t, strings.Contains(found[name].story, line), "%s: the story has no %q:%s", name, line, found[name].story)
		}
		assert.Thatf(t, !strings.Contains(found[name].story, "is what has the label"),
			"%s: the story has the way fields were found, which belongs to the check of the description", name)
	}
}

// wantedOf returns the incidents to try on a server: all on the one without protection, which they convict. On the others, those
// that end differently there, and some that no protection of these servers stops. With make e2e APP=... all can be tried on each.
func wantedOf(p servers.Protection) (wanted []incident) {
	const without = ", without JavaScript"
	names := map[servers.Protection][]string{
		servers.Button: { // and those that a lock stops
			"somebody presses one button, then the other", "a script submits the form twice",
			"somebody clicks, presses Esc, and clicks again", "somebody gives up waiting when the app is done, and sends again",
			"somebody clicks twice" + without, "somebody clicks five times while the answer is slow" + without,
			"somebody presses Enter, then clicks" + without, "somebody clicks, presses Esc, and clicks again" + without,
			"the tab is thrown away before the answer, and somebody sends again",
			"somebody clicks while the answer arrives" + without, "somebody goes back and sends again" + without,
			"somebody goes back, edits, and sends again" + without,
		},
		servers.Token: {
			"somebody clicks twice",
			"somebody refreshes before the answer and fills in the form again", "somebody refreshes the browser's error page",
			"somebody goes back and sends again", "somebody goes back and sends again, with no page cache",
			"somebody duplicates the tab and sends both", "somebody sends the form into a new tab, and then in its own",
			"the tab is thrown away before the answer, and somebody sends again",
			"a gateway answers in place of the app, and somebody refreshes its page",
			"the app fails after the commit, and somebody sends again",
		},
		servers.Key: {
			"somebody presses one button, then the other", "a script submits the form twice", "somebody refreshes the browser's error page",
			"somebody goes back and sends again, with no page cache", "somebody duplicates the tab and sends both",
			"the connection breaks after the commit, and the browser sends again by itself", "a balancer sends the form twice",
			"somebody sends the form into a new tab, and then in its own",
			"the tab is thrown away before the answer, and somebody sends again",
			"the app restarts before somebody tries again",
			"the connection breaks before the answer, and somebody sends again",
			"the connection breaks inside the answer, and somebody sends again",
			"a balancer sends the form again while the app is at work on it",
			"a gateway answers in place of the app, and somebody refreshes its page",
			"a gateway answers in place of the app, and somebody sends again", "the app fails after the commit, and somebody sends again",
		},
	}[p]
	ofHabits := []string{ // tried by TestHabitsOfApps
		"somebody leaves the form inside the app, comes back, and clicks",
		"a scanner presses Enter twice before the form is sent", "somebody clicks while the page saves a draft",
		"a gateway answers in place of the app, and the app's script sends again by itself",
		"the connection breaks before the answer, and the app sends again when it is back",
	}
	for _, one := range incidents() {
		if names == nil && !slices.Contains(ofHabits, one.name) || slices.Contains(names, one.name) || p == servers.Button && one.lock {
			wanted = append(wanted, one)
		}
	}
	return wanted
}

// verdicts tries the incidents that fit the app, one after the other, and returns the verdicts by name.
func (app *target) verdicts(t *testing.T, all []incident) map[string]verdict {
	t.Helper()
	found := map[string]verdict{}
	for _, one := range all {
		if one.leftOut(app) == "" {
			t.Run(one.name, func(t *testing.T) {
				found[one.name] = app.meets(t, one)
				t.Log(found[one.name], found[one.name].saw)
			})
		}
	}
	return found
}

// little starts one of the small servers and describes it.
func little(t *testing.T, protection servers.Protection, habit servers.Habit) *target {
	t.Helper()
	described, err := readTargets("apps/little.json")
	must.OK(t, err)
	app := described[0]
	server := servers.New(protection, habit)
	running := httptest.NewServer(server)
	t.Cleanup(running.Close)
	app.Address, app.NoScripts, app.known = running.URL, protection != servers.Button, true
	app.grace = patience // this server never holds a form back
	if protection == servers.Button {
		app.grace = 1500 * time.Millisecond
	}
	switch habit {
	case servers.Wizard:
		app.Form = form{
			Path: "/wizard", First: []formPage{{Fields: app.Form.Fields, Button: "Next"}},
			Fields: []field{{Label: "Note", Text: "Desk {mark}"}}, Button: "Save",
		}
		app.PostedTo = "/expenses"
	case servers.Router, servers.Panel, servers.Listens, servers.Retries, servers.Queues:
		app.Form.Path, app.Form.First, app.NeedsScripts = "/app/", []formPage{{Button: "New expense"}}, true
		app.known, app.SuccessText = false, []string{"Saved."}
	case servers.Replaces, servers.Rebinds, servers.Late, servers.Keys, servers.Drafts:
		app.Form.Path, app.NeedsScripts, app.known, app.SuccessText = "/app/new", true, false, []string{"Saved."}
	case servers.Stays:
		app.Form.Path, app.NeedsScripts, app.known, app.NoScripts = "/app/new", true, false, false
		app.SuccessText, app.OtherButton = []string{"Saved as"}, ""
	case servers.Framed: // a script of the page around it
		app.NeedsScripts = true
	case servers.Banner:
		app.Banner = "accept all"
	case servers.Guarded, servers.Replays:
		app.Login = &form{
			Path: "/login", First: []formPage{{Fields: []field{{Label: "Name", Text: "ada"}}, Button: "Next"}},
			Fields: []field{{Label: "Password", Text: "$E2E_PASSWORD"}, {Label: "Code", Text: "{totp:JBSWY3DPEHPK3PXP}"}}, Button: "Log in",
		}
		if habit == servers.Replays {
			break
		}
		app.Form = form{
			Path: "/expenses", First: []formPage{{Button: "New expense"}}, Button: "Save",
			Fields: []field{{Label: "Kind", Text: "Travel"}, {Label: "Amount", Text: "12"}, {Label: "Receipt", Text: "little.json"}},
		}
		app.Edit, app.Count.Difference = nil, true
	case servers.Usual, servers.Slow, servers.Confirms, servers.Tokens, servers.Warns, servers.Elsewhere, servers.OwnAddress,
		servers.Textarea, servers.Silent, servers.Embedded, servers.Tardy:
	}
	app.restart = func() error { server.Restart(); return nil }
	app.breaks = func() error { server.Break(); return nil }
	app.mends = func() error { server.Mend(); return nil }
	app.counted = server.Count // TestDraftFits covers counting on the page
	if app.Count.Difference {
		app.counted = nil
	}
	return app
}
