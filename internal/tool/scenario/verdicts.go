package scenario

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Exit codes of a run on another app.
const (
	AsWanted      = 0
	AgainstTheApp = 1
	NoVerdict     = 2 // some incident has no verdict: the suite failed, or the outcome varies
)

// HaveVerdicts reports whether the scenarios are incidents on another app.
func (r *Results) HaveVerdicts() bool {
	return slices.ContainsFunc(r.All, func(one Result) bool { return one.Family != "" })
}

// Code returns the exit code of a run on another app.
func (r *Results) Code() int {
	switch {
	case r.Err(true) != nil || Count(r.All, Unstable) > 0:
		return NoVerdict
	case Count(r.All, Against) > 0:
		return AgainstTheApp
	default:
		return AsWanted
	}
}

// Verdicts returns a table in Markdown, and the number of incidents with each verdict.
func (r *Results) Verdicts() string {
	var text strings.Builder
	text.WriteString("| family | incident | verdict |\n|---|---|---|\n")
	note := ""
	for i, one := range r.All {
		inBoth := i > 0 && r.All[i-1].Test == one.Test
		if inBoth {
			note = "\nTried in Chromium and Firefox. Where Firefox has no row, its verdict is the same.\n"
		}
		if same := inBoth && r.All[i-1].Verdict == one.Verdict; one.Family != "" && !same {
			fmt.Fprintf(&text, "| %s | %s | %s |\n", one.Family, one.Name(), strings.ReplaceAll(one.Verdict, "|", "\\|"))
		}
	}
	text.WriteString(note)
	if tried := withoutCheck(r.All); len(tried) > 0 {
		fmt.Fprintf(&text, "\n%d as wanted, %d against the app, %d unstable, %d known, %d left out; the suite failed in %d\n",
			Count(tried, Passed), Count(tried, Against), Count(tried, Unstable), Count(tried, Known), Count(tried, LeftOut),
			Count(tried, Failed))
	}
	return text.String()
}

// Kept returns the run in the format of CI systems. The suite has the name of the form, so that the runs of several forms can be told
// apart.
func (r *Results) Kept() *Kept {
	kept := &Kept{
		Name: "incidents", Tests: len(r.All), Failures: Count(r.All, Against), Errors: Count(r.All, Failed) + Count(r.All, Unstable),
		Skipped: Count(r.All, LeftOut) + Count(r.All, Known), Seconds: r.Seconds,
	}
	for _, one := range r.All {
		if one.Form != "" {
			kept.Name = one.Form
		}
		row := KeptCase{Family: one.Family, Name: one.Name(), Seconds: one.Seconds, Verdict: one.Verdict}
		for _, mark := range one.Marks {
			row.Properties = append(row.Properties, Property{"mark", mark})
		}
		switch one.Status {
		case Passed:
		case Against:
			row.Failure = &Why{one.Verdict, one.Story.String()}
		case Known:
			row.Skipped = &Why{"known: " + one.Verdict, one.Story.String()}
		case LeftOut:
			row.Skipped = &Why{one.Verdict, ""}
		case Unstable, Failed:
			row.Error = &Why{one.Verdict, one.Story.String()}
		}
		kept.Cases = append(kept.Cases, row)
	}
	return kept
}

// Expect marks the incidents as known whose verdict is not as wanted, and no worse than in an earlier run. A description that does not fit
// the app is never known, because no incident is tried with it.
func (r *Results) Expect(before *Kept) {
	earlier := map[string]int{}
	for _, one := range before.Cases {
		earlier[one.Name] = severity(one.Verdict)
	}
	for i, one := range r.All {
		if !strings.Contains(one.Test, "/") || !isIncident(one.Family) {
			continue
		}
		before, now := earlier[one.Name()], severity(one.Verdict)
		if now > wanted && now <= before && (now == unknown || before != unknown) {
			r.All[i].Status = Known
		}
	}
}

// The severities of verdicts.
const (
	wanted  = iota
	unclear // the record exists once, but it looks like a failure
	wrong   // duplicates, a loss, or sometimes one of them
	unknown // the suite failed
)

func severity(verdict string) int {
	kind, _, _ := strings.Cut(strings.ReplaceAll(verdict, " (", ": "), ": ")
	switch {
	case kind == "error after success", strings.HasSuffix(kind, untold):
		return unclear
	case kind == "duplicates", kind == "lost", kind == "unstable":
		return wrong
	case kind == "the suite failed":
		return unknown
	default:
		return wanted
	}
}

// JUnit writes the run.
func (r *Results) JUnit(w io.Writer) error {
	out := xml.NewEncoder(w)
	out.Indent("", "\t")
	if err := out.Encode(r.Kept()); err != nil {
		return fmt.Errorf("write the verdicts: %w", err)
	}
	return nil
}
