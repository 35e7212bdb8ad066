package scenario

import (
	"bytes"
	"encoding/xml"
	"go/ast"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// run is the go test -json output of some existing tests.
const run = `
{"Action":"run","Test":"TestChangeWithoutTheDatabase"}
{"Action":"output","Test":"TestChangeWithoutTheDatabase","Output":"    sees_test.go:1: it is <broken>\n"}
{"Action":"fail","Test":"TestChangeWithoutTheDatabase","Elapsed":1.5}
{"Action":"run","Test":"TestHabits"}
{"Action":"run","Test":"TestHabits/archive"}
{"Action":"output","Test":"TestHabits/archive","Output":"    buttons_test.go:9: left behind: E2E01-1 (paid, 123.00)\n"}
{"Action":"pass","Test":"TestHabits/archive","Elapsed":2}
{"Action":"pass","Test":"TestHabits","Elapsed":0}
{"Action":"output","Test":"TestPasswordsByMail","Output":"    links_test.go:9: left out against a deployment: for a reason\n"}
{"Action":"skip","Test":"TestPasswordsByMail","Elapsed":0}
`

const ended = `{"Action":"fail","Elapsed":63}`

func collect(t *testing.T, text string) *Results {
	t.Helper()
	return compared(t, text, nil)
}

// compared collects a run after an earlier one.
func compared(t *testing.T, text string, before *Kept) *Results {
	t.Helper()
	results, err := Collect(strings.NewReader(text), io.Discard, before)
	must.OK(t, err)
	return results
}

func chapters(t *testing.T, results *Results) []Chapter {
	t.Helper()
	source, err := Read("../../../e2e")
	must.OK(t, err)
	return source.Chapters(results)
}

func written(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var text strings.Builder
	must.OK(t, write(&text))
	return text.String()
}

func pageOf(t *testing.T, results *Results, where string) string {
	t.Helper()
	return written(t, func(w io.Writer) error { return Page(w, chapters(t, results), results, Run{where, time.Now()}) })
}

func has(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		assert.Thatf(t, strings.Contains(text, part), "there is no %q in\n%s", part, text)
	}
}

// TestPage: the page lists failed and left-out scenarios with the reason, in their families.
func TestPage(t *testing.T) {
	t.Parallel()
	results := collect(t, run+ended)
	results.All[1].Story = Story{About: "Odoo issue 54132", Picture: []byte("jpeg"), Events: []Event{{1200, "person", `types "<b>"`}}}
	page := pageOf(t, results, "https://staging.example.com")
	has(t, page,
		"<title>1 failed", "it is &lt;broken&gt;", "archive", "data:image/jpeg;base64,anBlZw==", "types &#34;&lt;b&gt;&#34;",
		"1.20", "<p>Odoo issue 54132</p>",
		"Left out against a deployment: for a reason", "Against https://staging.example.com", "E2E01-1 (paid, 123.00)",
		"Existing records are edited", // the comment above the family
	)
	for _, outside := range []string{"http://", "src=\"/", "<script", "<link"} {
		assert.Thatf(t, !strings.Contains(page, outside), "the page needs something else: %s", outside)
	}
}

// TestWhatCountsAsPassed: a local run leaves out nothing, and a run that stops in the middle has not passed.
func TestWhatCountsAsPassed(t *testing.T) {
	t.Parallel()
	const passed, out = `{"Action":"pass","Test":"TestHabits"}` + "\n", `{"Action":"skip","Test":"TestPasswordsByMail"}` + "\n"
	for text, why := range map[string]string{
		run + ended: "1 failed", passed: "the tests did not run to their end", ended: "no test has run",
		passed + out + ended: "1 were left out, and here none may be",
	} {
		err := collect(t, text).Err(false)
		assert.Thatf(t, err != nil && err.Error() == why, "%q: %v, want %q", text, err, why)
	}
	if err := collect(t, `{"Action":"output","Output":"browser: Firefox\n"}`+passed+out+ended).Err(false); err != nil {
		t.Error("in Firefox:", err)
	}
	if err := collect(t, passed+out+ended).Err(true); err != nil {
		t.Error(err)
	}
}

// incidents is the go test -json output of a run on another app.
const incidents = `
{"Action":"attr","Test":"TestOtherApp/form/once","Key":"family","Value":"fingers"}
{"Action":"attr","Test":"TestOtherApp/form/once","Key":"passed","Value":"one record"}
{"Action":"pass","Test":"TestOtherApp/form/once","Elapsed":1}
{"Action":"attr","Test":"TestOtherApp/form/left","Key":"family","Value":"pages"}
{"Action":"output","Test":"TestOtherApp/form/left","Output":"    other_app_test.go:9: left out since the description has no edit\n"}
{"Action":"skip","Test":"TestOtherApp/form/left","Elapsed":0}
`

const twice = `
{"Action":"attr","Test":"TestOtherApp/form/clicks_twice","Key":"family","Value":"fingers"}
{"Action":"attr","Test":"TestOtherApp/form/clicks_twice","Key":"against","Value":"duplicates (2)"}
{"Action":"pass","Test":"TestOtherApp/form/clicks_twice","Elapsed":1}
`

const differs = `
{"Action":"attr","Test":"TestOtherApp/form/races","Key":"family","Value":"network"}
{"Action":"attr","Test":"TestOtherApp/form/races","Key":"unstable","Value":"unstable: duplicates (2), then one record"}
{"Action":"pass","Test":"TestOtherApp/form/races","Elapsed":1}
`

const broken = `
{"Action":"attr","Test":"TestOtherApp/form/breaks","Key":"family","Value":"tabs"}
{"Action":"output","Test":"TestOtherApp/form/breaks","Output":"    pages_test.go:9: find Title: timeout\nCall log:\n"}
{"Action":"fail","Test":"TestOtherApp/form/breaks","Elapsed":1}
{"Action":"fail","Test":"TestOtherApp","Elapsed":2}
`

// TestVerdictsAreNotMisread: the table, the JUnit file and the exit code distinguish incidents as wanted, against the app,
// unstable, left out, and failures of the suite.
func TestVerdictsAreNotMisread(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		incidents + ended: AsWanted, incidents + twice + ended: AgainstTheApp, incidents + differs + ended: NoVerdict,
		incidents + twice + broken + ended: NoVerdict, incidents: NoVerdict, ended: NoVerdict,
	} {
		got := collect(t, text).Code()
		assert.Thatf(t, got == want, "exit code %d, want %d: %s", got, want, text)
	}
	results := collect(t, incidents+twice+differs+broken+ended)
	junit := written(t, results.JUnit)
	const failed = "the suite failed: find Title: timeout"
	for _, c := range []struct{ family, name, verdict, element string }{
		{"fingers", "once", "one record", ""}, {"fingers", "clicks twice", "duplicates (2)", "failure"},
		{"pages", "left", "left out since the description has no edit", "skipped"},
		{"network", "races", "unstable: duplicates (2), then one record", "error"}, {"tabs", "breaks", failed, "error"},
	} {
		has(t, results.Verdicts(), "| "+c.family+" | "+c.name+" | "+c.verdict+" |\n")
		_, found, _ := strings.Cut(junit, `classname="`+c.family+`" name="`+c.name+`"`)
		found, _, _ = strings.Cut(found, "<system-out>")
		assert.Thatf(t, (c.element != "" || !strings.Contains(found, "message=")) &&
			(c.element == "" || strings.Contains(found, "<"+c.element+` message="`+c.verdict+`">`)),
			"%s is told to a CI as %s", c.name, found)
	}
	has(t, pageOf(t, results, ""), "<title>1 against the app: 1 the suite failed: ", `<p class="failed">`+failed+"</p>")
}

// TestTwoBrowsers: a row without a browser is for both, and in Firefox scenarios may be left out, but the run must end.
func TestTwoBrowsers(t *testing.T) {
	t.Parallel()
	const inFirefox = `{"Action":"start"}{"Action":"output","Output":"browser: Firefox\n"}`
	passes := strings.NewReplacer("against", "passed", "duplicates (2)", "one record").Replace(twice)
	text := incidents + twice + ended + inFirefox + incidents + passes
	results := collect(t, text+ended)
	rows := "| fingers | once | one record |\n"
	has(t, results.Verdicts(),
		rows+"| pages | left |", "| fingers | clicks twice | duplicates (2) |\n| fingers | clicks twice, in Firefox | one record |\n",
		"\nTried in Chromium and Firefox. ", "\n3 as wanted, 1 against the app, ", " 2 left out;",
	)
	kept := results.Kept().Table()
	for want, found := range map[string]bool{
		"| fingers | one record | once · clicks twice, in Firefox |\n": true, "once, in Firefox": false,
		"\nTried in Chromium and Firefox. ": true,
	} {
		assert.Thatf(t, strings.Contains(kept, want) == found, "the page has %q: %v:\n%s", want, !found, kept)
	}
	all, _ := ReadTable("\n" + kept).Tally("little")
	assert.Thatf(t, all.Tried() == 2 && all.Duplicates == 1 && all.LeftOut == 1, "of the page, %+v is counted", all)
	for text, want := range map[string]int{text + ended: AgainstTheApp, text: NoVerdict, inFirefox + incidents + ended: AsWanted} {
		got := collect(t, text).Code()
		assert.Thatf(t, got == want, "exit code %d, want %d: %s", got, want, text)
	}
	again := compared(t, incidents+twice+ended+inFirefox+incidents+twice+ended, collect(t, incidents+twice+ended).Kept())
	has(t, again.Verdicts(), "| clicks twice, in Firefox | duplicates (2), was not tried |")
	if got, want := results.All[len(results.All)-1].Name(), "clicks twice, in Firefox"; got != want {
		t.Errorf("the incident in Firefox is called %q, want %q", got, want)
	}
}

// TestKnownVerdicts: verdicts of an earlier run are known, of each class, and are skipped in CI, also in the run after. A worse one isn't,
// and is named with the earlier one, as is an incident that is no longer tried.
func TestKnownVerdicts(t *testing.T) {
	t.Parallel()
	kept := func(results *Results) *Kept {
		kept := new(Kept)
		must.OK(t, xml.Unmarshal([]byte(written(t, results.JUnit)), kept))
		return kept
	}
	text := incidents + twice + differs + broken + ended
	before := kept(collect(t, text))
	for range 2 {
		again := compared(t, text, before)
		assert.Thatf(t, again.All[1].Status == LeftOut && Count(again.All, Known) == 3 && again.Code() == AsWanted,
			"the same run again: %d known, exit code %d", Count(again.All, Known), again.Code())
		if text := again.Verdicts(); !strings.Contains(text, "| known: duplicates (2) |") || strings.Contains(text, "worse") {
			t.Errorf("the table of the same run again:\n%s", text)
		}
		before = kept(again)
		suite := before.Suites[0]
		assert.Thatf(t, suite.Failures+suite.Errors <= 0 && suite.Skipped == 4 && suite.Cases[2].Skipped.Message == "known: duplicates (2)",
			"in CI: %+v", before)
	}
	for _, c := range []struct {
		earlier, now string
		want         Status
		was          string
	}{
		{"one record", "duplicates (2)", Against, "one record"},
		{"error after success: 500", "duplicates (2)", Against, "error after success: 500"},
		{"duplicates (2)", "duplicates (3)", Known, ""}, {"duplicates (2)", "error after success: 500", Known, ""},
		{"lost (1 of 2)", "lost", Known, ""}, {"left out since it has no edit", "lost", Against, "left out since it has no edit"},
		{"", "duplicates (2)", Against, "not tried"}, {"unstable: lost, then one record", "lost", Known, ""},
		{"the suite failed: find Title", "duplicates (2)", Against, "the suite failed: find Title"},
	} {
		results := compared(t, strings.Replace(twice, "duplicates (2)", c.now, 1)+ended, earlier("clicks twice", c.earlier))
		got := results.All[0].Status
		assert.Thatf(t, got == c.want, "%q after %q is %s, want %s", c.now, c.earlier, got, c.want)
		worse := "\nworse than the baseline: clicks twice: " + c.now + ", was "
		if _, was, _ := strings.Cut(results.Verdicts(), worse); strings.TrimSuffix(was, "\n") != c.was {
			t.Errorf("%q after %q: was %q, want %q", c.now, c.earlier, was, c.was)
		}
		kept := results.Kept().Suites[0].Cases[0]
		assert.Thatf(t, (kept.Failure == nil || kept.Failure.Message == c.now+", was "+c.was) &&
			kept.Verdict == c.now, "%q after %q, in CI: %+v", c.now, c.earlier, kept.Failure)
	}
	const left = "left out since the description has no edit"
	for was, want := range map[string]string{"one record": left + ", was one record", left: left, "": left, "the suite failed": left} {
		results := compared(t, incidents+ended, earlier("left", was))
		if got := results.Kept().Suites[0].Cases[1].Skipped.Message; got != want || len(results.Worse()) != strings.Count(want, "was") {
			t.Errorf("what is left out now and was %q: %q, want %q, and %v", was, got, want, results.Worse())
		}
	}
	results := compared(t, broken+ended, earlier("breaks", "duplicates (2)"))
	if got := results.All[0].Status; got != Failed {
		t.Errorf("a failure of the suite after a verdict is %s", got)
	}
}

// earlier returns an earlier run of one incident.
func earlier(incident, verdict string) *Kept {
	return &Kept{Suites: []Suite{{Name: "incidents", Cases: []KeptCase{{Name: incident, Verdict: verdict}}}}}
}

// TestSeveralForms: each form has a section, a grade and a suite in CI, and what is known of one is not known of another.
func TestSeveralForms(t *testing.T) {
	t.Parallel()
	of := func(form, events string) string {
		named := `{"Action":"attr","Test":"TestOtherApp/form/clicks_twice","Key":"form","Value":"form"}`
		return strings.NewReplacer("/form/", "/"+form+"/", `"form"}`, `"`+form+`"}`).Replace(named + events)
	}
	passes := strings.NewReplacer("against", "passed", "duplicates (2)", "one record").Replace(twice)
	results := collect(t, of("expense", passes)+of("customer", twice)+ended)
	has(t, results.Verdicts(),
		"\ncustomer:\n\n| family | incident | verdict |\n|---|---|---|\n| fingers | clicks twice | duplicates (2) |\n")
	has(t, written(t, results.JUnit), `<testsuite name="customer" tests="1" failures="1"`)
	has(t, written(t, func(w io.Writer) error { return Badge(w, results) }), "1 of 2")
	has(t, pageOf(t, results, ""),
		`aria-label="grade D" style="background: #b3261e">D</b></td><th scope="row">customer</th>`,
	)
	var progress bytes.Buffer
	again, err := Collect(strings.NewReader(of("expense", twice)+of("customer", twice)+ended), &progress, results.Kept())
	must.OK(t, err)
	assert.Thatf(t, again.All[0].Status == Against && again.All[1].Status == Known, "again: %+v", again.All)
	has(t, progress.String(), "clicks twice: duplicates (2), was one record\n", "clicks twice: known: duplicates (2)\n")
	has(t, again.Verdicts(), "\nworse than the baseline: expense, clicks twice: duplicates (2), was one record\n")
	has(t, pageOf(t, again, ""),
		`<a href="#incident-0-0">expense, clicks twice</a>: <span class="failed">duplicates (2), was one record</span></li>`+"\n</ul>",
		`id="incident-0-0"`, ">known: duplicates (2)</span>",
		`<p class="failed">If clicks twice, a second record is created. In the baseline: one record.</p>`,
		`<p class="out">Known: If clicks twice, a second record is created.</p>`,
	)
}

// TestRunWithoutIncidentsIsNotKnown: a run that fails before its incidents fails again, also if the earlier run failed in the same way.
func TestRunWithoutIncidentsIsNotKnown(t *testing.T) {
	t.Parallel()
	for test, family := range map[string]string{"TestOtherApp/form/the_description": "description", "TestOtherApp/form": "incidents"} {
		text := `{"Action":"attr","Test":"` + test + `","Key":"family","Value":"` + family + `"}
			{"Action":"fail","Test":"` + test + `","Elapsed":1}` + ended
		results := compared(t, text, collect(t, text).Kept())
		got := results.Code()
		assert.Thatf(t, got == NoVerdict, "%s: exit code %d, want %d", family, got, NoVerdict)
	}
}

// TestFoundInCI: CI shows the form, and for each incident the marks of its records and its story.
func TestFoundInCI(t *testing.T) {
	t.Parallel()
	const mark = `{"Action":"attr","Test":"TestOtherApp/form/clicks_twice","Key":"mark","Value":"desk7"}
		{"Action":"attr","Test":"TestOtherApp/form/clicks_twice","Key":"form","Value":"Ledger /expenses/new"}`
	results := collect(t, `{"Action":"attr","Test":"TestOtherApp/form/the_description","Key":"form","Value":"Ledger /expenses/new"}
		{"Action":"pass","Test":"TestOtherApp/form/the_description","Elapsed":1}`+mark+twice+ended)
	results.All[1].Story = Story{Events: []Event{{1200, "person", "clicks Save"}}}
	junit := written(t, results.JUnit)
	has(t, junit,
		`<testsuite name="Ledger /expenses/new"`, `<property name="mark" value="desk7">`,
		`<failure message="duplicates (2)">1.20 s person: clicks Save`,
	)
}

// TestTitles derives titles from the tests' names.
func TestTitles(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"TestTwoTabsOfOneForm":                    "Two tabs of one form",
		"TestFiveClicksOnAnEditWithoutJavaScript": "Five clicks on an edit without JavaScript",
		"TestLooksLikeARepeatThenCreateAnyway":    "Looks like a repeat then create anyway", "TestDownloadPDF": "Download PDF",
		"TestDoubleTapOnAPhone": "Double tap on a phone", "TestVoid": "Void",
	} {
		got := titleOfTest(name)
		assert.Thatf(t, got == want, "%s is %q, want %q", name, got, want)
	}
}

// TestFamiliesAreThere: each family in the table of docs/e2e.md is a file with tests, and most files are in the table.
func TestFamiliesAreThere(t *testing.T) {
	t.Parallel()
	source, err := Read("../../../e2e")
	must.OK(t, err)
	listed, err := families("../../../e2e")
	assert.Thatf(t, err == nil && len(listed) >= 8 && source.Families[0] == listed[0], "%d families have a title: %v", len(listed), err)
	for _, family := range listed {
		assert.Thatf(t, slices.Contains(source.Families, family), "%s has no tests", family.File)
	}
}

// TestStoryBeginsLikeASentence, for each style of comment.
func TestStoryBeginsLikeASentence(t *testing.T) {
	for _, comment := range []string{"TestTwice: the form is sent twice.", "TestTwice the form is sent twice.", "The form is sent twice."} {
		text := &ast.CommentGroup{List: []*ast.Comment{{Text: "// " + comment}}}
		got := plain(text, "TestTwice")
		assert.Thatf(t, got == "The form is sent twice.", "%q became %q", comment, got)
	}
}

// TestVerdictsAtAGlance: a written run is read back unchanged, and each verdict is counted in its column.
func TestVerdictsAtAGlance(t *testing.T) {
	t.Parallel()
	results := collect(t, incidents+twice+differs+broken+ended)
	name := filepath.Join(t.TempDir(), "run.xml")
	must.OK(t, os.WriteFile(name, []byte(written(t, results.JUnit)), 0o600))
	kept, err := ReadKept(name)
	must.OK(t, err)
	all, families := kept.Tally("little")
	if want := (Tally{Name: "little", AsWanted: 1, Duplicates: 1, Other: 1, LeftOut: 1, Unknown: 1}); all != want {
		t.Errorf("counted %+v, want %+v", all, want)
	}
	if want := (Tally{Name: "pages", LeftOut: 1}); len(families) != 4 || families[1] != want {
		t.Errorf("counted %+v, want %+v among them", families, want)
	}
	twice := KeptCase{Family: "fingers", Name: "clicks, then more", Verdict: "duplicates (2)"}
	more := &Kept{Suites: append(kept.Suites, Suite{Cases: []KeptCase{twice}})}
	table := "Words.\n\n" + more.Table()
	has(t, table, "| fingers | duplicates (2) | clicks twice · clicks, then more |\n")
	read, _ := ReadTable(table).Tally("little")
	assert.Thatf(t, read.Duplicates == 2 && read.Tried() == all.Tried()+1 && read.LeftOut == 1, "the table reads as %+v:\n%s", read, table)
	worse := KeptCase{Family: "fingers", Name: "clicks twice", Verdict: "duplicates (3)"}
	again := &Kept{Suites: []Suite{{Cases: []KeptCase{worse, twice, {Name: "new", Verdict: "lost"}}}}}
	if got := again.Differences(ReadTable(table)); !slices.Equal(got, []string{"clicks twice: duplicates (3), before: duplicates (2)"}) {
		t.Errorf("the second run differs in %q", got)
	}
	chart := written(t, func(w io.Writer) error { return Chart(w, append(families, all)) })
	must.OK(t, xml.Unmarshal([]byte(chart), new(struct{})))
}
