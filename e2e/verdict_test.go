package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// verdict is the result of an incident on an app. A failure of the suite is not a verdict.
type verdict struct {
	incident incident
	records  int
	saw      string // the text that looks like an error, or ""
	told     bool   // a page has shown that the record exists
	leftOut  string // why the incident did not happen, or ""
	story    string
}

func (v verdict) wanted() int { return max(v.incident.want, 1) }

func (v verdict) good() bool {
	return v.records == v.wanted() && v.leftOut == "" && v.told && (v.saw == "" || v.incident.mayBeRefused)
}

// kind returns the verdict in up to three words. Different verdicts must not be confused.
func (v verdict) kind() string {
	switch {
	case v.records > v.wanted():
		return "duplicates"
	case v.records < v.wanted():
		return "lost"
	case v.saw != "" && !v.incident.mayBeRefused:
		return "error after success"
	}
	kind := "one record"
	if v.records > 1 {
		kind = fmt.Sprint(v.records, " records")
	}
	if !v.told {
		kind += ", " + untold
	}
	return kind
}

// untold ends the verdict if no page has shown that the record exists, as where the button does nothing any more.
const untold = "nobody is told"

func (v verdict) String() string {
	switch {
	case v.leftOut != "":
		return "left out " + v.leftOut
	case v.records > v.wanted():
		return fmt.Sprintf("%s (%d)", v.kind(), v.records)
	case v.records < v.wanted() && v.records > 0:
		return fmt.Sprintf("%s (%d of %d)", v.kind(), v.wanted()-v.records, v.wanted())
	default:
		return v.kind()
	}
}

// meets plays an incident on the app and returns its verdict.
func (app *target) meets(t *testing.T, one incident) verdict {
	t.Helper()
	v := window(t, app, one)
	if !app.Count.Difference {
		t.Attr("mark", v.mark)
	}
	v.plays(one)
	found := v.judge(one)
	v.keepEnd() // before another attempt
	v.tellf(byRecords, "%s", found)
	found.story = v.story.String()
	return found
}

// judge returns the verdict on an incident: the number of records, and the text on the page.
func (v *visitor) judge(of incident) verdict {
	v.t.Helper()
	found := verdict{incident: of, told: v.told}
	for _, page := range v.browser.Pages() {
		tab := *v
		tab.session = new(*v.session)
		tab.page = page
		if saw := tab.sawError(); saw != "" {
			found.saw = saw
		}
		found.told = found.told || tab.told
	}
	if found.records = v.records(); found.records <= found.wanted() { // a duplicate counts in any case
		found.leftOut = v.leftOut
	}
	return found
}

// table formats verdicts in Markdown, with a column for each app and a row for each incident that was tried on one of them.
func table(apps []string, found map[string]map[string]verdict) string {
	var text strings.Builder
	fmt.Fprintf(&text, "| family | incident | %s |\n|---|---|%s\n", strings.Join(apps, " | "), strings.Repeat("---|", len(apps)))
	for _, one := range incidents() {
		row, tried := fmt.Sprintf("| %s | %s |", one.family, one.name), false
		for _, app := range apps {
			cell := "–"
			if v, ok := found[app][one.name]; ok {
				cell, tried = v.String(), true
			}
			row += " " + cell + " |"
		}
		if tried {
			text.WriteString(row + "\n")
		}
	}
	return text.String()
}
