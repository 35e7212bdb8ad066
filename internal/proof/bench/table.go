package bench

import (
	"fmt"
	"strings"
)

// Table is the report for people, in Markdown: a line about the run, then a row for each figure.
func (r Report) Table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Commit %s, %s, %s, PostgreSQL %s, %s in %s. Ratios are medians over the rounds, with the least and the most.\n\n",
		r.Commit, r.Began.Format("2006-01-02 15:04 UTC"), r.Machine, r.PostgreSQL, r.Setting, r.Took)
	b.WriteString("| figure | ours | baseline | ratio | target | |\n|---|---|---|---|---|---|\n")
	for _, f := range r.Figures {
		name := f.Name
		if f.Note != "" {
			name += " (" + f.Note + ")"
		}
		if f.Commit != "" {
			name += ", at " + f.Commit
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", name, f.ours(), f.base(), f.ratio(), f.target(), f.verdict())
	}
	return b.String()
}

// summary is a figure in one line, for the log.
func (f Figure) summary() string {
	return strings.Join(strings.Fields(strings.Join([]string{f.ours(), f.Note, f.base(), f.ratio(), f.target(), f.verdict()}, " ")), " ")
}

func (f Figure) ours() string { return amount(f.Ours.Median) + " " + f.Unit }

func (f Figure) base() string {
	if f.Baseline == "" {
		return ""
	}
	return fmt.Sprintf("%s: %s %s", f.Baseline, amount(f.Base.Median), f.Unit)
}

func (f Figure) ratio() string {
	if f.Baseline == "" {
		return ""
	}
	return fmt.Sprintf("%.2f (%.2f to %.2f)", f.Ratio.Median, f.Ratio.Min, f.Ratio.Max)
}

func (f Figure) target() string {
	switch {
	case f.AtLeast > 0:
		return fmt.Sprintf("≥ %g", f.AtLeast)
	case f.AtMost > 0:
		return fmt.Sprintf("≤ %g", f.AtMost)
	default:
		return ""
	}
}

func (f Figure) verdict() string {
	switch {
	case f.target() == "":
		return ""
	case f.Missed():
		return "**missed**"
	default:
		return "met"
	}
}

// amount writes three digits at least, and no more decimals than that takes.
func amount(v float64) string {
	switch {
	case v >= 100:
		return thousands(int(v + 0.5))
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.2f", v)
	}
}
