package scenario

import (
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// TestGrades: no grade is better than its rule allows, and a missing verdict never counts as good.
func TestGrades(t *testing.T) {
	t.Parallel()
	for verdicts, want := range map[string]string{
		"left out since it is so":                            "",
		"one record; left out since it is so":                "A",
		"one record; the suite failed":                       "",
		"one record; unstable: duplicates (2), then one":     "",
		"one record; error after success":                    "B",
		"one record; one record, nobody is told":             "B",
		"error after success; the suite failed":              "",
		"one record; one record; duplicates (2)":             "C",
		"one record; the suite failed; lost":                 "D",
		"one record; one record; the suite failed; lost":     "C",
		"error after success; duplicates (2)":                "D",
		"one record; lost (1 of 2); left out since it is so": "D",
	} {
		var all []Result
		for verdict := range strings.SplitSeq(verdicts, "; ") {
			one := Result{Status: Against, Verdict: verdict}
			if verdict == "one record" {
				one.Status = Passed
			}
			all = append(all, one)
		}
		got := tally(all).Grade()
		assert.Thatf(t, got == want, "the grade of %q is %q, want %q", verdicts, got, want)
	}
	if got := collect(t, incidents).Tally().Grade(); got != "" {
		t.Errorf("the grade of a run that was broken off is %q", got)
	}
}

// TestSentences: each verdict that is not as wanted has a sentence.
func TestSentences(t *testing.T) {
	t.Parallel()
	const twice = "If somebody clicks twice, "
	for verdict, want := range map[string]string{
		"duplicates (2)":                             twice + "a second record is created.",
		"duplicates (5): status 500":                 twice + "5 records are created.",
		"lost":                                       twice + "nothing is created.",
		"lost (1 of 2)":                              twice + "1 of 2 records is missing.",
		"error after success: status 409":            twice + "the record is created once, but it looks like a failure (status 409).",
		"one record, nobody is told":                 twice + "what was wanted is created, but no page shows it.",
		"unstable: duplicates (2), then one record":  twice + "the outcome differs from time to time: duplicates (2), then one record.",
		"one record":                                 "",
		"left out since the description has no edit": "",
		"the suite failed: find Title: timeout":      "",
	} {
		one := Result{Test: "TestOtherApp/form/somebody_clicks_twice", Family: "fingers", Verdict: verdict}
		got := one.Sentence()
		assert.Thatf(t, got == want, "%q is told as %q, want %q", verdict, got, want)
	}
}

// TestGradedPage: for readers without the catalogue, the page shows the grades, the worst of each family, and the remedies,
// each with the name of an existing section.
func TestGradedPage(t *testing.T) {
	t.Parallel()
	results := collect(t, `{"Action":"attr","Test":"TestOtherApp/form/the_description","Key":"app","Value":"Ledger, http://127.0.0.1:3000"}
		{"Action":"attr","Test":"TestOtherApp/form/the_description","Key":"family","Value":"description"}
		{"Action":"pass","Test":"TestOtherApp/form/the_description","Elapsed":1}`+
		twice+strings.ReplaceAll(twice, "twice", "five_times")+incidents+differs+broken+ended)
	results.All[1].Marks = []string{"desk7", "desk8"}
	results.All[1].Story = Story{Lock: true, Picture: []byte("jpeg"), Events: []Event{{1200, "picture", "the list afterwards"}}}
	page := pageOf(t, results, "app.json")
	has(t, page,
		"In the app: desk7, then desk8", "Ledger, http://127.0.0.1:3000", "In 1 of 4 incidents", `aria-label="grade D"`,
		"Clicks, taps and keys</a><br>If clicks twice, a second record is created.</th>\n<td>1 of 3</td>",
		"tabs</a><br>The suite failed", "back</a><br>Nothing of this was tried.</th>\n<td>0 of 0</td>", `aria-label="no grade"`,
		`<a href="#remedy-lock">a form that locks itself, and`, `<dt id="remedy-lock">`, Rule,
		`<dt id="remedy-constraint">`, "played a second time", "is a random word", `<span class="failed">duplicates (2)</span>`,
		`<span class="out">left out</span>`, `alt="Picture: the list afterwards"`,
	)
	for text, want := range map[string]int{
		question.Name: 0, `<a href="#remedy-lock">`: 1, `<a href="#remedy-key">`: 2, `<a href="#remedy-constraint">`: 0,
		`<details class="scenario" open>`: 2, // the first one of each family
	} {
		got := strings.Count(page, text)
		assert.Thatf(t, got == want, "the page has %q %d times, want %d", text, got, want)
	}
	has(t, results.Verdicts(), "\n1 as wanted, 2 against the app") // the check is no incident
	for _, one := range []Remedy{formLock, keyInAddress, constraint, question} {
		text, err := os.ReadFile(filepath.Join("../../..", one.File))
		assert.Thatf(t, err == nil && strings.Contains(string(text), "# "+one.Section+"\n"),
			"%s has no section %q: %v", one.File, one.Section, err)
	}
	var drawn struct {
		Role  string `xml:"role,attr"`
		Title string `xml:"title"`
		Rect  struct {
			Fill string `xml:"fill,attr"`
		} `xml:"rect"`
	}
	must.OK(t, xml.Unmarshal([]byte(written(t, func(w io.Writer) error { return Badge(w, results) })), &drawn))
	assert.Thatf(t, drawn.Role == "img" && drawn.Title == "Created once: 1 of 4, grade D" && drawn.Rect.Fill == Color("D"),
		"the badge is %+v", drawn)
}
