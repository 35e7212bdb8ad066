package scenario

import (
	"cmp"
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
	const head = "| family | incident | verdict |\n|---|---|---|\n"
	forms := r.forms()
	var others []string
	var first Result // in the first browser
	if len(forms) < 2 {
		text.WriteString(head)
	}
	for i, one := range r.All {
		if begins := i == 0 || r.All[i-1].Form != one.Form; begins && len(forms) > 1 {
			fmt.Fprintf(&text, "\n%s:\n\n%s", one.Form, head)
		}
		again := i > 0 && first.Test == one.Test
		if !again {
			first = one
		} else if !slices.Contains(others, one.Browser) {
			others = append(others, one.Browser)
		}
		if same := again && first.Compared() == one.Compared(); one.Family != "" && !same {
			fmt.Fprintf(&text, "| %s | %s | %s |\n", one.Family, one.Name(), strings.ReplaceAll(one.Compared(), "|", "\\|"))
		}
	}
	text.WriteString(triedIn(others))
	if tried := withoutCheck(r.All); len(tried) > 0 {
		fmt.Fprintf(&text, "\n%d as wanted, %d against the app, %d unstable, %d known, %d left out; the suite failed in %d\n",
			Count(tried, Passed), Count(tried, Against), Count(tried, Unstable), Count(tried, Known), Count(tried, LeftOut),
			Count(tried, Failed))
	}
	for _, one := range r.Worse() {
		form := ""
		if len(forms) > 1 {
			form = one.Form + ", "
		}
		fmt.Fprintf(&text, "worse than the baseline: %s%s: %s\n", form, one.Name(), one.Compared())
	}
	return text.String()
}

// Worse returns the results that are worse than in an earlier run, and the ones tried only there.
func (r *Results) Worse() []Result {
	return slices.DeleteFunc(slices.Clone(r.All), func(one Result) bool { return one.Was == "" })
}

// Compared returns the verdict, and how it compares with an earlier run.
func (r Result) Compared() string {
	switch {
	case r.Status == Known:
		return "known: " + r.Verdict
	case r.Was != "":
		return r.Verdict + ", was " + r.Was
	default:
		return r.Verdict
	}
}

// forms returns the names of the forms, in their order. What belongs to none has the name "".
func (r *Results) forms() (names []string) {
	for _, one := range r.All {
		if !slices.Contains(names, one.Form) {
			names = append(names, one.Form)
		}
	}
	return names
}

func (r *Results) of(form string) []Result {
	return slices.DeleteFunc(slices.Clone(r.All), func(one Result) bool { return one.Form != form })
}

// Kept returns the run in the format of CI systems.
func (r *Results) Kept() *Kept {
	kept := &Kept{Seconds: r.Seconds}
	for _, form := range r.forms() {
		kept.Suites = append(kept.Suites, suite(form, r.of(form)))
	}
	return kept
}

func suite(form string, all []Result) Suite {
	kept := Suite{
		Name: cmp.Or(form, "incidents"), Tests: len(all), Failures: Count(all, Against), Errors: Count(all, Failed) + Count(all, Unstable),
		Skipped: Count(all, LeftOut) + Count(all, Known),
	}
	for _, one := range all {
		kept.Seconds += one.Seconds
		row := KeptCase{Family: one.Family, Name: one.Name(), Seconds: one.Seconds, Verdict: one.Verdict}
		for _, mark := range one.Marks {
			row.Properties = append(row.Properties, Property{"mark", mark})
		}
		switch one.Status {
		case Passed:
		case Against:
			row.Failure = &Why{one.Compared(), one.Story.String()}
		case Known:
			row.Skipped = &Why{one.Compared(), one.Story.String()}
		case LeftOut:
			row.Skipped = &Why{one.Compared(), ""}
		case Unstable, Failed:
			row.Error = &Why{one.Compared(), one.Story.String()}
		}
		kept.Cases = append(kept.Cases, row)
	}
	return kept
}

// compare compares the result with that of an earlier run, unless it is nil. The result is known if it is not as wanted, and no worse. A
// description that does not fit the app is never known, because no incident is tried with it.
func (r *Result) compare(earlier *Kept) {
	if earlier == nil || strings.Count(r.Test, "/") < 2 || !isIncident(r.Family) {
		return
	}
	was := ""
	for _, suite := range earlier.Suites {
		i := slices.IndexFunc(suite.Cases, func(one KeptCase) bool { return one.Name == r.Name() })
		if suite.Name == cmp.Or(r.Form, "incidents") && i >= 0 {
			was = suite.Cases[i].Verdict
		}
	}
	before, now := severity(was), severity(r.Verdict)
	wasTried := was != "" && !strings.HasPrefix(was, "left out") && before != unknown
	switch {
	case now > wanted && now <= before && (now == unknown || before != unknown):
		r.Status = Known
	case now > wanted, r.Status == LeftOut && wasTried:
		r.Was = cmp.Or(was, "not tried")
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
	kind, _, _ := parsed(verdict)
	return map[string]int{
		"error after success": unclear, untold: unclear, "duplicates": wrong, "lost": wrong, "unstable": wrong, "the suite failed": unknown,
	}[kind]
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
