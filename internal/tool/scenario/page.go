package scenario

import (
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"time"
)

var (
	//go:embed page.html
	page string
	//go:embed graded.html
	graded string
)

// Run is the target and the time of a run.
type Run struct {
	Where string // the address of the deployment, or another app's description; empty for a new app for each test
	When  time.Time
}

type column struct {
	Status Status
	Label  string
}

func columns(r *Results) []column {
	if r.HaveVerdicts() {
		return []column{
			{Passed, "as wanted"}, {Against, "against the app"}, {Unstable, "unstable"}, {Known, "known"},
			{Failed, "the suite failed"}, {LeftOut, "left out"},
		}
	}
	return []column{{Passed, "passed"}, {Failed, "failed"}, {LeftOut, "left out"}}
}

func mark(status Status) string {
	return map[Status]string{Passed: "✓", Against: "✗", Unstable: "≈", Known: "∼", Failed: "!", LeftOut: "–"}[status]
}

// Page writes the report as one self-contained HTML page.
func Page(w io.Writer, chapters []Chapter, r *Results, run Run) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"picture": func(jpeg []byte) template.URL {
			return template.URL("data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(jpeg)) //nolint:gosec // it contains no text
		},
		"class": func(s Status) string {
			return map[Status]string{
				Passed: "passed", Against: "failed", Unstable: "out", Known: "out", Failed: "failed", LeftOut: "out",
			}[s]
		},
		"mark": mark, "count": func(s Status) int { return Count(withoutCheck(r.All), s) },
		"color": func(grade string) template.CSS { return template.CSS(Color(grade)) }, //nolint:gosec // it contains no text
	}).Parse(graded)
	if err == nil {
		t, err = t.Parse(page)
	}
	if err != nil {
		return fmt.Errorf("read the template: %w", err)
	}
	app := run.Where
	if i := slices.IndexFunc(r.All, func(one Result) bool { return one.App != "" }); i >= 0 {
		app = r.All[i].App
	}
	err = t.Execute(w, map[string]any{
		"App": app, "Graded": r.HaveVerdicts() && r.Tally().Tried() > 0, "All": r.Tally(), "Rule": Rule, "Remedies": remediesOf(r),
		"Chapters": chapters, "Run": run, "Left": r.Left(), "Worse": r.Worse(),
		"When":    run.When.UTC().Format("2 January 2006, 15:04 UTC"),
		"Took":    time.Duration(r.Seconds * float64(time.Second)).Round(time.Second).String(),
		"Columns": columns(r),
	})
	if err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}
