package e2e

import (
	"os"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// TestIncidents tries all incidents on this app. Each results in one record and no error. It also checks the outcomes of the
// attempts and the message on the page.
func TestIncidents(t *testing.T) {
	t.Parallel()
	families := map[string][]incident{}
	for _, one := range incidents() {
		families[one.family] = append(families[one.family], one)
	}
	for family, tried := range families {
		t.Run(family, func(t *testing.T) {
			t.Parallel()
			app := thisApp(t)
			for _, one := range tried {
				if one.leftOut(app) == "" {
					t.Run(one.name, func(t *testing.T) { app.clears(t, one) })
				}
			}
		})
	}
}

// clears tries one incident and checks that it had no effect.
func (app *target) clears(t *testing.T, one incident) {
	t.Helper()
	switch strings.TrimSuffix(one.name, ", without JavaScript") {
	case "a gateway answers in place of the app, and somebody refreshes its page":
		notInWebKit(t, "it calls a refreshed form cross-site, so the app refuses it unless PUBLIC_URL is its address")
	case "a gateway answers in place of the app, and somebody sends again":
		notInWebKit(t, "Back from an error asks the app again, which names the created record")
	}
	v := window(t, app, one)
	v.log.forget()
	before := v.session.records.invoices("")
	v.plays(one)
	found := v.judge(one)
	if found.leftOut != "" {
		notInWebKit(t, found.leftOut)
	}
	more := v.session.records.invoices("") - before
	assert.Thatf(t, found.good() && more == found.wanted(), "%s, and %d more in all: %s", found, more, found.saw)
	known := outcomeOf(one.name)
	v.attempts(known.attempts...)
	v.sees(known.says)
}

// outcome has the outcomes of the attempts that arrived, and the message on the page afterwards.
type outcome struct {
	attempts []string
	says     string
}

func outcomeOf(name string) outcome {
	repeated := outcome{[]string{"created", "replayed"}, ignoredDuplicate}
	refused := outcome{[]string{"created", "mismatch"}, changesNotSaved}
	asked := outcome{[]string{"created", "conflict", "created"}, " created"}
	const scriptless = ", without JavaScript"
	known := map[string]outcome{
		// The form lock holds back repeats from one page.
		"somebody clicks twice" + scriptless:                    repeated,
		"somebody presses Enter, then clicks" + scriptless:      repeated,
		"somebody clicks while the answer arrives" + scriptless: repeated,
		"somebody clicks five times while the answer is slow" + scriptless: {
			[]string{"created", "replayed", "replayed", "replayed", "replayed"}, ignoredDuplicate,
		},
		"somebody clicks, presses Esc, and clicks again":                     repeated,
		"somebody refreshes before the answer and fills in the form again":   repeated,
		"somebody refreshes the browser's error page":                        repeated,
		"somebody goes back and sends again":                                 repeated,
		"somebody goes back and sends again, with no page cache":             repeated,
		"somebody goes back, edits, and sends again":                         refused,
		"the tab is thrown away before the answer, and somebody sends again": {repeated.attempts, " created"},
		"somebody duplicates the tab and sends both":                         {repeated.attempts, " created"},
		// A message is shown once, in the first tab that asks.
		"two tabs of one form are sent at the same instant":                             {repeated.attempts, "Invoice "},
		"the connection breaks after the commit, and the browser sends again by itself": repeated,
		"the connection breaks before the answer, and somebody sends again":             repeated,
		"the connection breaks inside the answer, and somebody sends again":             repeated,
		"somebody gives up waiting when the app is done, and sends again":               repeated,
		"a balancer sends the form twice":                                               repeated,
		"a balancer sends the form again while the app is at work on it":                {repeated.attempts, " created"},
		"a gateway answers in place of the app, and somebody refreshes its page":        repeated,
		"a gateway answers in place of the app, and somebody sends again":               repeated,
		"the app fails after the commit, and somebody sends again":                      repeated,
		"somebody wants the same twice":                                                 asked,
	}
	for _, called := range []string{name, strings.TrimSuffix(name, scriptless)} {
		if o, found := known[called]; found {
			return o
		}
	}
	return outcome{[]string{"created"}, ""}
}

// thisApp starts the app with its demo data, and a replica; or it returns the deployment.
func thisApp(t *testing.T) *target {
	t.Helper()
	described, err := readTargets("apps/this_app.json")
	must.OK(t, err)
	app := described[0]
	s := newSession(t)
	s.findApp()
	app.own, app.Address, app.known = s, s.origin, true
	app.Count.Headers = map[string]string{"Authorization": "Bearer " + s.token}
	if s.db != nil {
		app.replica = s.startApp(patience).URL()
		app.breaks, app.mends = s.runsSQL("apps/onlyonce/break.sql"), s.runsSQL("apps/onlyonce/mend.sql")
	} else {
		app.Skip["the login expires, and somebody logs in and sends again"] = "a deployment limits logins"
	}
	return app
}

// runsSQL returns a function that runs a file of SQL on the database.
func (s *session) runsSQL(file string) func() error {
	return func() error {
		text, err := os.ReadFile(file)
		if err == nil {
			_, err = s.db.Exec(s.t.Context(), string(text))
		}
		return err
	}
}
