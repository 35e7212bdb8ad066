package scenario

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Chapter is a family with the results of its scenarios.
type Chapter struct {
	Family

	Form      string // if there are several
	Begins    *Tally // of the form, at its first chapter
	About     string
	Scenarios []Scenario
}

// Scenario is a test with its variants.
type Scenario struct {
	Test, Title, About string
	Variants           []Result
}

// Chapters sorts the results by families and tests.
func (s *Source) Chapters(r *Results) (chapters []Chapter) {
	sorted, forms := slices.Clone(r.All), r.forms()
	slices.SortStableFunc(sorted, func(a, b Result) int {
		if a.Family != "" && b.Family != "" {
			return 0 // they are in the order of the catalogue
		}
		return cmp.Or(cmp.Compare(s.familyOf(a.Name()), s.familyOf(b.Name())),
			cmp.Compare(s.tests[a.Name()].place, s.tests[b.Name()].place), strings.Compare(a.Test, b.Test))
	})
	for _, one := range sorted {
		family := Family{Title: "Others"}
		if i := s.familyOf(one.Name()); one.Family != "" {
			family = Family{Title: one.Family}
		} else if i >= 0 {
			family = s.Families[i]
		}
		form := ""
		if len(forms) > 1 {
			form = one.Form
		}
		if n := len(chapters); n == 0 || chapters[n-1].Family != family || chapters[n-1].Form != form {
			chapters = append(chapters, Chapter{Family: family, Form: form, About: s.about[family.File]})
			if form != "" && (n == 0 || chapters[n-1].Form != form) {
				chapters[n].Begins = tally(r.of(form))
			}
		}
		chapter := &chapters[len(chapters)-1]
		if n := len(chapter.Scenarios); n == 0 || chapter.Scenarios[n-1].Test != one.Name() {
			title := titleOfTest(one.Name())
			if one.Family != "" {
				title = one.Name()
			}
			chapter.Scenarios = append(chapter.Scenarios, Scenario{Test: one.Name(), Title: title, About: s.tests[one.Name()].story})
		}
		scenario := &chapter.Scenarios[len(chapter.Scenarios)-1]
		scenario.Variants = append(scenario.Variants, one)
	}
	return chapters
}

// Name returns the test without its variant, or the incident on another app, with its browser.
func (r Result) Name() string {
	if r.Family != "" {
		return strings.ReplaceAll(path.Base(r.Test), "_", " ") + r.in()
	}
	name, _, _ := strings.Cut(r.Test, "/")
	return name
}

// in returns the browser unless it is Chromium, such as ", in Firefox".
func (r Result) in() string {
	if r.Browser == "" {
		return ""
	}
	return ", in " + r.Browser
}

// Variant returns the variant, such as "without JavaScript, in Firefox", or "".
func (r Result) Variant() string {
	if r.Family != "" {
		return ""
	}
	_, variant, _ := strings.Cut(r.Test, "/")
	return strings.TrimPrefix(strings.NewReplacer("_", " ", "/", ", ").Replace(variant)+r.in(), ", ")
}

// Kind returns the verdict without its details.
func (r Result) Kind() string {
	if r.Status == LeftOut {
		return "left out"
	}
	kind, _, _ := strings.Cut(r.Verdict, ": ")
	if r.Status == Known {
		return "known: " + kind
	}
	return kind
}

// Took returns the duration in seconds.
func (r Result) Took() string { return fmt.Sprintf("%.1f s", r.Seconds) }

// All returns the results of all scenarios.
func (c Chapter) All() (all []Result) {
	for _, s := range c.Scenarios {
		all = append(all, s.Variants...)
	}
	return all
}

// Opens reports whether a scenario is expanded in the page: each failed one or, on another app, the first.
func (c Chapter) Opens(i int) bool {
	bad := func(s Scenario) bool { return s.Status() == Failed || s.Status() == Against }
	return bad(c.Scenarios[i]) && (c.Scenarios[i].Variants[0].Family == "" || slices.IndexFunc(c.Scenarios, bad) == i)
}

// Count returns the number of results with a status, such as "passed".
func (c Chapter) Count(status Status) int { return Count(c.All(), status) }

// Status returns the worst status of the variants.
func (s Scenario) Status() Status {
	for _, status := range []Status{Failed, Against, Unstable, Known, LeftOut} {
		if Count(s.Variants, status) > 0 {
			return status
		}
	}
	return Passed
}
