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
	for _, one := range r.All {
		if one.Family != "" {
			fmt.Fprintf(&text, "| %s | %s | %s |\n", one.Family, one.Name(), strings.ReplaceAll(one.Verdict, "|", "\\|"))
		}
	}
	if tried := withoutCheck(r.All); len(tried) > 0 {
		fmt.Fprintf(&text, "\n%d as wanted, %d against the app, %d unstable, %d left out; the suite failed in %d\n", Count(tried, Passed),
			Count(tried, Against), Count(tried, Unstable), Count(tried, LeftOut), Count(tried, Failed))
	}
	return text.String()
}

// JUnit writes the verdicts in the format of CI systems. An incident against the app is a failure there, and a missing verdict
// an error.
func (r *Results) JUnit(w io.Writer) error {
	type why struct {
		Message string `xml:"message,attr"`
	}
	type testcase struct {
		Family  string  `xml:"classname,attr"`
		Name    string  `xml:"name,attr"`
		Seconds float64 `xml:"time,attr"`
		Failure *why    `xml:"failure"`
		Error   *why    `xml:"error"`
		Skipped *why    `xml:"skipped"`
		Verdict string  `xml:"system-out"`
	}
	suite := struct {
		XMLName  xml.Name   `xml:"testsuite"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Skipped  int        `xml:"skipped,attr"`
		Seconds  float64    `xml:"time,attr"`
		Cases    []testcase `xml:"testcase"`
	}{
		Name: "incidents", Tests: len(r.All), Failures: Count(r.All, Against), Errors: Count(r.All, Failed) + Count(r.All, Unstable),
		Skipped: Count(r.All, LeftOut), Seconds: r.Seconds,
	}
	for _, one := range r.All {
		row := testcase{Family: one.Family, Name: one.Name(), Seconds: one.Seconds, Verdict: one.Verdict}
		switch one.Status {
		case Passed:
		case Against:
			row.Failure = &why{one.Verdict}
		case LeftOut:
			row.Skipped = &why{one.Verdict}
		case Unstable, Failed:
			row.Error = &why{one.Verdict}
		}
		suite.Cases = append(suite.Cases, row)
	}
	out := xml.NewEncoder(w)
	out.Indent("", "\t")
	if err := out.Encode(suite); err != nil {
		return fmt.Errorf("write the verdicts: %w", err)
	}
	return nil
}
