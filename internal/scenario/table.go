package scenario

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Table says what became of the families and their scenarios, for a terminal.
func Table(chapters []Chapter, r *Results) string {
	var text strings.Builder
	for _, chapter := range chapters {
		fmt.Fprintf(&text, "\n%s%s\n", pad(chapter.Title, 52), counts(chapter.All()))
		for _, s := range chapter.Scenarios {
			line := "  " + mark(s.Status()) + " " + pad(s.Title, 56)
			if n := len(s.Variants); n > 1 {
				line += fmt.Sprintf("%d variants", n)
			}
			text.WriteString(strings.TrimRight(line, " ") + "\n")
			for _, v := range s.Variants {
				if v.Reason != "" {
					fmt.Fprintf(&text, "      left out %s\n", v.Reason)
				}
				for _, left := range v.Left {
					fmt.Fprintf(&text, "      left behind: %s\n", left)
				}
			}
		}
	}
	took := time.Duration(r.Seconds * float64(time.Second)).Round(time.Second)
	fmt.Fprintf(&text, "\n%s, in %s\n", counts(r.All), took)
	return text.String()
}

// Line says what became of one scenario, at once.
func Line(one Result) string {
	title := titleOfTest(one.Name())
	if one.Variant() != "" {
		title += ", " + one.Variant()
	}
	return fmt.Sprintf("%s %s%s\n%s", mark(one.Status), pad(title, 72), one.Took(), one.Output)
}

func mark(status Status) string {
	return map[Status]string{Passed: "✓", Failed: "✗", LeftOut: "–"}[status]
}

func counts(all []Result) string {
	var parts []string
	for _, status := range []Status{Passed, Failed, LeftOut} {
		if n := Count(all, status); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	return strings.Join(parts, ", ")
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(2, width-utf8.RuneCountInString(text)))
}
