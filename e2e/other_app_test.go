package e2e

import (
	"cmp"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"onlyonce/e2e/servers"
	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// TestOtherApp tries all incidents on the app that the file in APP describes, if it is set. It fails only if the suite itself
// fails. The verdicts are attributes of the tests, which internal/tool/scenario reads.
func TestOtherApp(t *testing.T) {
	onlyHere(t, "it is about another app")
	t.Parallel()
	file := os.Getenv("APP")
	if file == "" {
		return
	}
	apps, err := readTargets(file)
	if err != nil {
		t.Run("the description", func(t *testing.T) {
			t.Attr("family", "description")
			t.Fatal(err)
		})
	}
	tried := false
	for _, app := range apps {
		t.Run(cmp.Or(app.title, "form"), func(t *testing.T) {
			tried = true
			app.tried(t)
		})
	}
	if err == nil && !tried {
		t.Attr("family", "forms")
		t.Fatalf("no form has a name that matches %q", os.Getenv("RUN"))
	}
}

// tried checks the description of a form, and tries the incidents on it.
func (app *target) tried(t *testing.T) {
	t.Helper()
	form := cmp.Or(app.Name, app.Address)
	if app.title == "" {
		form += " " + app.Form.Path
	} else {
		form += ", " + app.title
	}
	t.Attr("form", form)
	fits := t.Run("the description", func(t *testing.T) {
		t.Attr("family", "description")
		t.Attr("form", form)
		app.fits(t)
	})
	if !fits {
		return
	}
	if len(app.CleanUp) > 0 {
		t.Cleanup(func() {
			err := running(app.CleanUp)()
			assert.Thatf(t, err == nil, "%v", err)
		})
	}
	tried := false
	for _, one := range incidents() {
		t.Run(one.name, func(t *testing.T) {
			tried = true
			t.Attr("family", one.family)
			t.Attr("form", form)
			if why := one.leftOut(app); why != "" {
				leaveOut(t, why)
			}
			if app.Parallel && one.needs != "restart" && one.needs != "break" { // those that stop the app run before the others
				t.Parallel()
			}
			came, verdict := app.convicts(t, one)
			t.Attr(came, verdict)
		})
	}
	if pattern := os.Getenv("RUN"); pattern != "" && !tried {
		t.Attr("family", "incidents")
		t.Fatalf("no incident has a name that matches %q", pattern)
	}
}

// fits creates one record as described, prints the story, and keeps a picture of the end.
func (app *target) fits(t *testing.T) {
	t.Helper()
	t.Attr("app", strings.TrimPrefix(app.Name+", "+app.Address, ", "))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, app.Address, http.NoBody)
	if err == nil {
		var response *http.Response
		if response, err = http.DefaultClient.Do(request); err == nil {
			err = response.Body.Close()
		}
	}
	must.Thatf(t, err == nil, "nothing answers at %s: %v", app.Address, err)
	v := window(t, app, incident{story: "One record is created and counted, before anything is tried.", aloud: true})
	v.begin()
	v.create()
	came := v.judge(incident{})
	if where := app.Count; came.records == 0 && where.Page != "" {
		v.t.Fatalf("after one click %q selects nothing with the text %q on %s; the text of %s: %q",
			where.Record, v.mark, where.Page, v.short(v.page.URL()), v.words())
	}
	if !came.good() && !strings.HasSuffix(came.kind(), untold) {
		v.t.Fatalf("one click came to %s %s; the text of %s: %q", came, came.saw, v.short(v.page.URL()), v.words())
	}
	if !came.told {
		t.Attr("says", fmt.Sprintf("%s shows neither %q nor a success_text; its text: %q", v.short(v.page.URL()), v.mark, v.words()))
	}
	t.Attr("passed", "it fits: "+came.String())
}

// words returns the first words on the page.
func (v *visitor) words() string {
	v.t.Helper()
	text, err := v.page.Locator("body").InnerText()
	v.check(err, "read the page")
	all := strings.Fields(text)
	return strings.Join(all[:min(len(all), 40)], " ")
}

// convicts tries an incident, and again if its verdict is against the app. If the second verdict differs, neither counts against
// the app.
func (app *target) convicts(t *testing.T, one incident) (came, verdict string) {
	t.Helper()
	first := app.meets(t, one)
	if first.leftOut != "" {
		leaveOut(t, first.leftOut)
	}
	if first.good() {
		return "passed", first.String()
	}
	t.Attr("first", first.String()+" "+first.saw) // not logged, because the log would be taken for the reason if the second fails
	second := app.meets(t, one)
	if first.kind() != second.kind() {
		return "unstable", fmt.Sprintf("unstable: %s, then %s", first, second)
	}
	if first.saw != "" {
		return "against", fmt.Sprintf("%s: %s", first, first.saw)
	}
	return "against", first.String()
}

// TestPictureOfTheFirstAttempt checks that the report has the story of the first attempt, with a picture taken before the second.
func TestPictureOfTheFirstAttempt(t *testing.T) {
	onlyHere(t, "it is about the suite itself")
	onlyInChromium(t, "it is about the suite itself")
	directory := t.TempDir()
	t.Setenv("E2E_REPORT", directory)
	t.Run("twice", func(t *testing.T) {
		app, counted := little(t, servers.None, servers.Usual), 1
		app.counted = func(string) int { counted++; return counted }
		app.convicts(t, incidents()[0])
	})
	var kept struct {
		Picture []byte      `json:"picture"`
		Events  []storyLine `json:"events"`
	}
	must.OK(t, json.Unmarshal([]byte(must.Read(t, filepath.Join(directory, t.Name()+"-twice.json"))), &kept))
	last := kept.Events[len(kept.Events)-1]
	assert.Thatf(t, len(kept.Picture) != 0 && last.By == byRecords && last.Text == "duplicates (2)",
		"a picture of %d bytes, and a story that ends with %v", len(kept.Picture), last)
}

// TestMakeTriesAnotherApp runs make e2e APP=... against a small server with a self-signed certificate and HTTP/2, over which the wire has
// to carry, cut and repeat the form. This program replaces go test for make, so that nothing is built twice.
func TestMakeTriesAnotherApp(t *testing.T) {
	onlyHere(t, "it is about the suite itself")
	onlyInChromium(t, "it is about the suite itself")
	t.Parallel()
	app := servers.New(servers.Button, servers.Usual)
	// The form names its own address with its scheme, and is taken from this address only.
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.Header.Get("Origin") != "https://"+r.Host {
			http.Error(w, "error: this is not the origin", http.StatusForbidden)
			return
		}
		page := httptest.NewRecorder()
		app.ServeHTTP(page, r)
		maps.Copy(w.Header(), page.Header())
		w.WriteHeader(page.Code)
		fmt.Fprint(w, strings.Replace(page.Body.String(), `action="/`, `action="https://`+r.Host+`/`, 1))
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	directory := t.TempDir()
	program, err := exec.LookPath("go")
	must.OK(t, err)
	little := must.Read(t, "apps/little.json")
	block := pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}
	for name, text := range map[string]string{
		"app.json": strings.NewReplacer("http://127.0.0.1:8090", server.URL,
			`"form":`, `"forms": [{"name": "expense"}, {"name": "another"}], "form":`).Replace(little),
		"certificate.pem": string(pem.EncodeToMemory(&block)),
		"baseline.xml": `<testsuites><testsuite name="one of the little servers, expense">
			<testcase name="the connection breaks inside the answer, and somebody sends again">
			<system-out>duplicates (2)</system-out></testcase>
			</testsuite></testsuites>`,
		"go": `#!/bin/sh
[ "$1" = test ] || exec '` + program + `' "$@"
while [ "$1" != -run ]; do shift; done
cd e2e && '` + os.Args[0] + `' -test.v=test2json -test.run "$2" | '` + program + `' tool test2json
`,
	} {
		must.OK(t, os.WriteFile(filepath.Join(directory, name), []byte(text), 0o700))
	}
	suite := exec.CommandContext(t.Context(), "make", "e2e", "APP="+directory+"/app.json",
		"RUN=expense/twice, without|two tabs|restarts|breaks inside the|breaks after the",
		"BASE_URL=https://staging.example.com") // BASE_URL must be ignored
	suite.Dir = ".."
	suite.Env = append(os.Environ(), "PATH="+directory+":"+os.Getenv("PATH"), "SSL_CERT_FILE="+directory+"/certificate.pem",
		"MAKEFLAGS=", "E2E_OUTPUT="+directory+"/report", "BASELINE="+directory+"/baseline.xml")
	output, err := suite.CombinedOutput()
	assert.Thatf(t, err != nil, "a server that creates twice passes")
	written, err := os.ReadDir(directory + "/report")
	if len(written) != 5 || err != nil { // badge.svg, description-expense.png, index.html, junit.xml and stories
		t.Errorf("the report has %v: %v", written, err)
	}
	for _, want := range []string{
		"| network | the connection breaks inside the request, and somebody sends again | one record |",
		"| network | the connection breaks inside the answer, and somebody sends again | known: duplicates (2) |",
		"and the browser sends again by itself | duplicates (2), was not tried |",
		"| no JavaScript | somebody clicks twice, without JavaScript | duplicates (2), was not tried |",
		"| network | the app restarts before somebody tries again | left out since the description has no restart |",
		"1 as wanted, 3 against the app", "1 known", "Error 1",
		"\nworse than the baseline: somebody clicks twice, without JavaScript: duplicates (2), was not tried\n",
	} {
		assert.Thatf(t, strings.Contains(string(output), want), "the output of make has no %q:\n%s", want, output)
	}
}

func TestDescriptionsAreChecked(t *testing.T) {
	onlyHere(t, "it is about the suite itself")
	t.Parallel()
	const form = `"form": {"path": "/new", "fields": [{"label": "Title", "text": "Desk {mark}"}], "button": "Save"}`
	const list = `"count": {"page": "/", "record": "li"}`
	const complete = `"address": "http://localhost", ` + form + `, ` + list + `}`
	const forms = `{"address": "http://localhost", ` + list + `, "forms": [{"name": "a", ` + form + `}, {`
	const numbers = `"address": "http://localhost", "form": {"path": "/new", "button": "Pay"}, "count": {"json": "/n"`
	for name, c := range map[string]struct{ text, want string }{
		"complete":         {`{"address": "http://localhost:80", ` + form + `, ` + list + `}`, ""},
		"an unknown field": {`{"url": "http://localhost"}`, "url"},
		"HTTPS":            {`{"address": "https://localhost", ` + form + `, ` + list + `}`, ""},
		"no HTTP":          {`{"address": "ftp://localhost", ` + form + `, ` + list + `}`, "address"},
		"a path":           {`{"address": "http://localhost/app", ` + form + `, ` + list + `}`, "address"},
		"no mark":          {`{"address": "http://localhost", "form": {"path": "/new", "button": "Save"}, ` + list + `}`, "{mark}"},
		"nothing to count": {`{"address": "http://localhost", ` + form + `}`, "count"},
		"nothing to find":  {`{` + numbers + `}}`, "count.difference"},
		"a difference":     {`{` + numbers + `, "difference": true}}`, ""},
		"all at once":      {`{"parallel": true, ` + numbers + `, "difference": true}}`, "can't be parallel"},
		"one at a time": {
			`{"parallel": true, "address": "http://localhost", ` + list + `, "forms": [{"name": "a", ` + form + `}, {"name": "b",
				"parallel": false, "form": {"path": "/new", "button": "Pay"}, "count": {"json": "/n", "difference": true}}]}`, "",
		},
		"broken for good":    {`{"break": ["stop-mail"], ` + complete, "break and mend need each other"},
		"a skipped incident": {`{"skip": {"clicks": "slow"}, ` + complete, "skip names no incident: clicks"},
		"a header in clear":  {`{"session": {"headers": {"X-User": "secret"}}, ` + complete, "the header X-User is a secret"},
		"a token in clear": {
			`{` + numbers + `, "difference": true, "headers": {"X-Api-Token": "1"}}}`, "the header X-Api-Token is a secret",
		},
		"a cookie in clear":     {`{"session": {"cookies": {"sso": "secret"}}, ` + complete, "the cookie sso is a secret"},
		"no state":              {`{"session": {"state": "none.json"}, ` + complete, "read session.state"},
		"several forms":         {forms + `"name": "b", ` + form + `}]}`, ""},
		"a form without a name": {forms + form + `}]}`, "another name"},
		"a form with a slip":    {forms + `"name": "b", "from": {}}]}`, "from"},
		"no record on pages":    {`{"address": "http://localhost", ` + form + `, "count": {"page": "/"}}`, "count.record"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "app.json")
			must.OK(t, os.WriteFile(file, []byte(c.text), 0o600))
			_, err := readTargets(file)
			assert.Thatf(t, (c.want == "") == (err == nil) && (err == nil || strings.Contains(err.Error(), c.want)),
				"got %v, want %q", err, c.want)
		})
	}
}
