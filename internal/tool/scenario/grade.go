package scenario

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
)

// Rule explains the grades of families to readers of the report.
const Rule = "A: every incident ended as wanted. B: never a duplicate and nothing lost, but what was created can look like a failure, or " +
	"like nothing. " +
	"C: duplicates or losses in fewer than half of the incidents. D: in half of them, or more. Where it is not known how an incident " +
	"ended, a dash stands in place of A or B."

// Grade is a letter by the [Rule], or "" if there is none.
func (t *Tally) Grade() string {
	bad := t.Duplicates + t.Lost
	switch {
	case bad > 0 && 2*bad >= t.Tried():
		return "D"
	case bad > 0:
		return "C"
	case t.Other > 0 || t.Unknown > 0 || t.Tried() == 0:
		return ""
	case t.Errors+t.Untold > 0:
		return "B"
	default:
		return "A"
	}
}

// Once returns in how many of the tried incidents each intent made one record, such as "3 of 4", independent of what the pages showed.
func (t *Tally) Once() string {
	if t.Tried() == 0 {
		return "not tried"
	}
	return fmt.Sprintf("%d of %d", t.AsWanted+t.Errors+t.Untold, t.Tried())
}

// withoutCheck returns the results without the check of the description, which is no incident.
func withoutCheck(all []Result) []Result {
	return slices.DeleteFunc(slices.Clone(all), func(one Result) bool { return one.Family == "description" })
}

func tally(all []Result) *Tally {
	t := &Tally{}
	for _, one := range withoutCheck(all) {
		t.add(one.Verdict)
	}
	return t
}

// Tally counts the verdicts of the family.
func (c Chapter) Tally() *Tally { return tally(c.All()) }

// Tally counts all verdicts. In an interrupted run one is unknown.
func (r *Results) Tally() *Tally {
	t := tally(r.All)
	if !r.ended {
		t.Unknown++
	}
	return t
}

// Heading returns the title for readers who don't know the catalogue.
func (c Chapter) Heading() string {
	plain, known := map[string]string{
		"description": "The form, sent once", "fingers": "Clicks, taps and keys", "pages": "Refreshing and going back", "tabs": "Two tabs",
		"network": "Connections that break, and servers that try again", "wishes": "The same twice, on purpose",
		"no JavaScript": "Without JavaScript",
	}[c.Title]
	if !known {
		return c.Title
	}
	return plain
}

// Worst returns a sentence about the worst verdict of the family: the first incident with it, because the first ones are the
// most ordinary.
func (c Chapter) Worst() string {
	for _, kind := range []string{"duplicates", "lost", "error after success", untold, "unstable"} {
		for _, one := range c.All() {
			if strings.Contains(one.Kind(), kind) {
				return one.Sentence()
			}
		}
	}
	switch t := c.Tally(); {
	case t.Unknown > 0:
		return "The suite failed, so not everything is known."
	case t.Tried() == 0:
		return "Nothing of this was tried."
	default:
		return "Everything ended as wanted."
	}
}

// Sentence returns the result of an incident in a sentence if it is not as wanted, or "", and how it compares with an earlier run.
func (r Result) Sentence() string {
	text := r.sentence()
	switch {
	case text != "" && r.Status == Known:
		return "Known: " + text
	case text != "" && r.Was != "":
		return text + " In the baseline: " + r.Was + "."
	default:
		return text
	}
}

func (r Result) sentence() string {
	kind, number, more := parsed(r.Verdict)
	switch kind {
	case "duplicates":
		if number == "2" {
			return "If " + r.Name() + ", a second record is created."
		}
		return "If " + r.Name() + ", " + number + " records are created."
	case "lost":
		if number == "" {
			return "If " + r.Name() + ", nothing is created."
		}
		return "If " + r.Name() + ", " + number + " records is missing."
	case "error after success":
		return "If " + r.Name() + ", the record is created once, but it looks like a failure (" + more + ")."
	case untold:
		return "If " + r.Name() + ", what was wanted is created, but no page shows it."
	case "unstable":
		return "If " + r.Name() + ", the outcome differs from time to time: " + more + "."
	default:
		return ""
	}
}

// Remedy is a measure that prevents incidents, and its place in the documents.
type Remedy struct{ ID, Name, Does, File, Section string }

var (
	formLock = Remedy{
		"lock", "a form that locks itself, and is answered with a redirect",
		"A script sends the form once, and ignores clicks and keys until there is an answer. With Back, browsers show the locked page " +
			"again, and after a redirect a refresh has nothing to send. But a page that is loaded anew is not locked, and no " +
			"script sees a server that tries again.",
		"README.md", "Three layers, because none is enough",
	}
	keyInAddress = Remedy{
		"key", "an idempotency key that the form keeps in its URL",
		"An idempotency key is a random word that the form carries, by which the app knows the same form again. The app keeps it in the " +
			"transaction that creates the record, and answers each repeat with that record instead of an error. A refreshed page, a " +
			"duplicated tab and Back have the same URL, and so the same key.",
		"docs/idempotency.md", "Every case and its answer",
	}
	constraint = Remedy{
		"constraint", "a unique constraint",
		"Where the record has something that may not be there twice, such as a number, the database refuses a second one with it, " +
			"whatever was sent. The page must not make a failure of that.",
		"docs/idempotency.md", "The rules: the same thing is never created twice",
	}
	question = Remedy{
		"question", "a question instead of a refusal",
		"Two equal records can both be wanted. The app shows the first, asks, and continues with one click.",
		"docs/idempotency.md", "Likely repeats",
	}
)

// Remedies returns the measures that would have prevented an incident on any app.
func (r Result) Remedies() (all []Remedy) {
	kind, _, _ := parsed(r.Verdict)
	repeated := kind == "duplicates" || kind == "error after success"
	if kind == "lost" && r.Family == "wishes" {
		all = append(all, question)
	}
	if repeated && r.Story.Lock {
		all = append(all, formLock)
	}
	if repeated {
		all = append(all, keyInAddress)
	}
	return all
}

//go:embed badge.svg
var badge string

// Badge draws the share of [Tally.Once], in the color of the grade.
func Badge(w io.Writer, r *Results) error {
	all := r.Tally()
	err := template.Must(template.New("badge").Parse(badge)).Execute(w, map[string]string{
		"Once": all.Once(), "Grade": all.Grade(), "Color": Color(all.Grade()),
	})
	if err != nil {
		return fmt.Errorf("write the badge: %w", err)
	}
	return nil
}

// Color returns the background color of a grade, for white text.
func Color(grade string) string {
	return map[string]string{"A": "#2a7a4b", "B": "#8a6100", "C": "#a8480f", "D": "#b3261e", "": "#666666"}[grade]
}

// remediesOf returns each remedy that would have prevented an incident of the run, or could have.
func remediesOf(r *Results) (all []Remedy) {
	for _, one := range []Remedy{formLock, keyInAddress, constraint, question} {
		if slices.ContainsFunc(r.All, func(result Result) bool { return slices.Contains(result.Remedies(), one) }) ||
			one == constraint && r.Tally().Duplicates > 0 {
			all = append(all, one)
		}
	}
	return all
}
