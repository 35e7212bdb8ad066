package scenario

import (
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

func (k *Kept) verdicts() map[string]string {
	found := map[string]string{}
	for _, one := range k.cases() {
		found[one.Name] = one.Verdict
	}
	return found
}

// Differences returns a line for each incident whose verdict is another than in an earlier run. Incidents that only one run has are
// ignored.
func (k *Kept) Differences(earlier *Kept) (lines []string) {
	before := earlier.verdicts()
	for _, one := range k.cases() {
		if was := before[one.Name]; was != "" && was != one.Verdict {
			lines = append(lines, fmt.Sprintf("%s: %s, before: %s", one.Name, one.Verdict, was))
		}
	}
	return lines
}

// Tally counts the verdicts of an app's incidents, or of a family's.
type Tally struct {
	Name                                        string
	AsWanted, Errors, Untold, Duplicates, Other int // Other is lost or unstable
	Lost                                        int // of the other
	LeftOut, Unknown                            int // Unknown are failures of the suite, which count neither for nor against the app
}

func (t *Tally) add(verdict string) {
	kind, _, _ := parsed(verdict)
	switch kind {
	case "left out":
		t.LeftOut++
	case "duplicates":
		t.Duplicates++
	case "error after success":
		t.Errors++
	case untold:
		t.Untold++
	case "lost":
		t.Lost++
		t.Other++
	case "the suite failed":
		t.Unknown++
	case "unstable":
		t.Other++
	default:
		t.AsWanted++
	}
}

// untold ends the verdict on an app whose pages do not show that the record exists.
const untold = "nobody is told"

// parsed splits a verdict such as "duplicates (2): status 500" into its kind, the number and the rest. A verdict that is as wanted is its
// own kind.
func parsed(verdict string) (kind, number, more string) {
	kind, more, _ = strings.Cut(verdict, ": ")
	kind, number, _ = strings.Cut(strings.TrimSuffix(kind, ")"), " (")
	switch {
	case strings.HasPrefix(kind, "left out"):
		kind = "left out"
	case strings.HasSuffix(kind, untold):
		kind = untold
	}
	return kind, number, more
}

// Tried returns the number of incidents with a verdict or without a stable one.
func (t *Tally) Tried() int { return t.AsWanted + t.Errors + t.Untold + t.Duplicates + t.Other }

// Kept is a run on another app, as in its JUnit file.
type Kept struct {
	XMLName xml.Name `xml:"testsuites"`
	Seconds float64  `xml:"time,attr"`
	Suites  []Suite  `xml:"testsuite"`
}

// Suite is a form of a run.
type Suite struct {
	Name     string  `xml:"name,attr"`
	Tests    int     `xml:"tests,attr"`
	Failures int     `xml:"failures,attr"` // incidents against the app
	Errors   int     `xml:"errors,attr"`   // incidents without a verdict
	Skipped  int     `xml:"skipped,attr"`
	Seconds  float64 `xml:"time,attr"`

	Cases []KeptCase `xml:"testcase"`
}

// KeptCase is an incident of a run.
type KeptCase struct {
	Family  string  `xml:"classname,attr"`
	Name    string  `xml:"name,attr"`
	Seconds float64 `xml:"time,attr"`

	Properties []Property `xml:"properties>property,omitempty"`

	Failure *Why   `xml:"failure"`
	Error   *Why   `xml:"error"`
	Skipped *Why   `xml:"skipped"`
	Verdict string `xml:"system-out"`
}

// Property is a fact about an incident, such as the mark of its records.
type Property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

// Why is the verdict of an incident that did not end as wanted, and its story.
type Why struct {
	Message string `xml:"message,attr"`
	Story   string `xml:",chardata"`
}

// ReadKept reads a JUnit file.
func ReadKept(name string) (*Kept, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read a run: %w", err)
	}
	kept := &Kept{}
	if err := xml.Unmarshal(text, kept); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return kept, nil
}

// cases returns those of all forms.
func (k *Kept) cases() (all []KeptCase) {
	for _, suite := range k.Suites {
		all = append(all, suite.Cases...)
	}
	return all
}

// Tally counts the verdicts of all families together, and of each. The check of the description doesn't count, nor does a second browser.
func (k *Kept) Tally(name string) (all Tally, families []Tally) {
	all.Name = name
	verdicts := k.verdicts()
	for _, one := range k.cases() {
		if incident, _, in := cutBrowser(one.Name); !isIncident(one.Family) || in && verdicts[incident] != "" {
			continue
		}
		at := slices.IndexFunc(families, func(f Tally) bool { return f.Name == one.Family })
		if at < 0 {
			at, families = len(families), append(families, Tally{Name: one.Family})
		}
		all.add(one.Verdict)
		families[at].add(one.Verdict)
	}
	return all, families
}

// isIncident reports whether a case of a family counts: the check of the description does not.
func isIncident(family string) bool { return family != "" && family != "description" }

// cutBrowser cuts the name of an incident before its browser, if that is not Chromium.
func cutBrowser(name string) (incident, browser string, found bool) {
	for _, browser := range []string{"Firefox", "WebKit"} {
		if incident, found := strings.CutSuffix(name, ", in "+browser); found {
			return incident, browser, true
		}
	}
	return name, "", false
}

// triedIn returns a sentence about the browsers besides Chromium, or "".
func triedIn(others []string) string {
	if len(others) == 0 {
		return ""
	}
	return "\nTried in Chromium and " + strings.Join(others, " and ") +
		". A browser without a row for an incident has the verdict of Chromium.\n"
}

// Table returns the verdicts in Markdown, with a row for the incidents of a family that have the same verdict. Incidents of a second
// browser are left out if their verdict is the same.
func (k *Kept) Table() string {
	var rows [][2]string
	var others []string
	incidents := map[[2]string][]string{}
	verdicts := k.verdicts()
	for _, one := range k.cases() {
		if incident, browser, in := cutBrowser(one.Name); in && verdicts[incident] != "" {
			if !slices.Contains(others, browser) {
				others = append(others, browser)
			}
			if verdicts[incident] == one.Verdict {
				continue
			}
		}
		if row := [2]string{one.Family, strings.ReplaceAll(one.Verdict, "|", "\\|")}; isIncident(one.Family) {
			if incidents[row] == nil {
				rows = append(rows, row)
			}
			incidents[row] = append(incidents[row], one.Name)
		}
	}
	var text strings.Builder
	text.WriteString("| family | verdict | incidents |\n|---|---|---|\n")
	for _, row := range rows {
		fmt.Fprintf(&text, "| %s | %s | %s |\n", row[0], row[1], strings.Join(incidents[row], between))
	}
	return text.String() + triedIn(others)
}

// between separates incidents in a table.
const between = " · "

// ReadTable reads the table of a page that [Kept.Table] has written.
func ReadTable(page string) *Kept {
	var kept Suite
	_, table, _ := strings.Cut(page, "\n| family | verdict | incidents |\n|---|---|---|\n")
	for row := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(row, "| \n"), " | ")
		if len(cells) != 3 {
			break
		}
		for name := range strings.SplitSeq(cells[2], between) {
			kept.Cases = append(kept.Cases, KeptCase{Family: cells[0], Verdict: cells[1], Name: name})
		}
	}
	return &Kept{Suites: []Suite{kept}}
}

// Glance returns a table in Markdown, with a row for each tally.
func Glance(head string, rows []Tally) string {
	var text strings.Builder
	fmt.Fprintf(&text, "| %s | tried | as wanted | error after success | nobody is told | duplicates | other | left out |\n", head)
	text.WriteString("|---|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, t := range rows {
		fmt.Fprintf(&text, "| %s | %d | %d | %d | %d | %d | %d | %d |\n",
			t.Name, t.Tried()+t.Unknown, t.AsWanted, t.Errors, t.Untold, t.Duplicates, t.Other+t.Unknown, t.LeftOut)
	}
	return text.String()
}

// Chart draws a bar for each tally, which begins with the incidents that ended as wanted. It is readable on light and on dark
// pages.
func Chart(w io.Writer, rows []Tally) error {
	const left, width, row, top = 250, 520, 34, 44
	var text strings.Builder
	fmt.Fprintf(&text, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="14">`+"\n"+
		"<style>text{fill:#222}.in{fill:#fff!important}@media(prefers-color-scheme:dark){text{fill:#eee}}</style>\n",
		left+width+10, top+row*len(rows))
	parts := []struct {
		label, color string
		of           func(Tally) int
	}{
		{"as wanted", "#2a7a4b", func(t Tally) int { return t.AsWanted }},
		{"error after success", "#8a6100", func(t Tally) int { return t.Errors }},
		{"nobody is told", "#6a4a8c", func(t Tally) int { return t.Untold }},
		{"duplicates", "#b3261e", func(t Tally) int { return t.Duplicates }},
		{"other", "#666666", func(t Tally) int { return t.Other }},
	}
	for i, part := range parts {
		x := 100 + i*130
		if i > 1 {
			x += 50
		}
		fmt.Fprintf(&text, `<rect x="%d" y="8" width="14" height="14" fill="%s"/><text x="%d" y="20">%s</text>`+"\n",
			x, part.color, x+20, part.label)
	}
	for i, t := range rows {
		x, y := left, top+i*row
		fmt.Fprintf(&text, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", left-10, y+18, t.Name)
		for _, part := range parts {
			n := part.of(t)
			if n == 0 {
				continue
			}
			long := width * n / t.Tried()
			fmt.Fprintf(&text, `<rect x="%d" y="%d" width="%d" height="26" fill="%s"/>`, x, y, long, part.color)
			fmt.Fprintf(&text, `<text class="in" x="%d" y="%d">%d</text>`+"\n", x+4, y+18, n)
			x += long
		}
	}
	text.WriteString("</svg>\n")
	if _, err := io.WriteString(w, text.String()); err != nil {
		return fmt.Errorf("write the chart: %w", err)
	}
	return nil
}
