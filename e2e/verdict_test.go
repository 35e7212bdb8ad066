package e2e

import (
	"fmt"
	"strings"
)

// verdict is what an incident came to.
type verdict struct {
	incident incident
	records  int
	saw      string // what looks like an error; "" if nothing does
}

func (v verdict) wanted() int { return max(v.incident.want, 1) }

func (v verdict) good() bool {
	return v.records == v.wanted() && (v.saw == "" || v.incident.mayBeRefused)
}

func (v verdict) String() string {
	switch {
	case v.good() && v.records == 1:
		return "one record"
	case v.good():
		return fmt.Sprint(v.records, " records")
	case v.records == v.wanted():
		return "looks like an error"
	case v.records == 1:
		return "✗ one record"
	default:
		return fmt.Sprintf("✗ %d records", v.records)
	}
}

// judge returns what the incident came to: how many records there are, and what the person sees.
func (v *visitor) judge(of incident) verdict {
	v.t.Helper()
	found := verdict{incident: of}
	for _, page := range v.browser.Pages() {
		tab := *v
		tab.session = new(*v.session)
		tab.page = page
		if saw := tab.sawError(); saw != "" {
			found.saw = saw
		}
	}
	found.records = v.records()
	return found
}

// table shows verdicts in Markdown, one column for each app.
func table(apps []string, found map[string]map[string]verdict) string {
	var text strings.Builder
	fmt.Fprintf(&text, "| family | incident | %s |\n|---|---|%s\n", strings.Join(apps, " | "), strings.Repeat("---|", len(apps)))
	for _, one := range incidents() {
		fmt.Fprintf(&text, "| %s | %s |", one.family, one.name)
		for _, app := range apps {
			cell := "–"
			if v, tried := found[app][one.name]; tried {
				cell = v.String()
			}
			fmt.Fprintf(&text, " %s |", cell)
		}
		text.WriteString("\n")
	}
	return text.String()
}
