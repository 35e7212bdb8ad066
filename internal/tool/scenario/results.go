package scenario

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Status is the outcome of a scenario.
type Status string

// The outcomes of a scenario. On another app a scenario is an incident, and fails only where the suite does.
const (
	Passed   Status = "passed"
	Against  Status = "against" // the verdict is against the app, twice
	Known    Status = "known"   // not as wanted, but no worse than in an earlier run
	Unstable Status = "unstable"
	Failed   Status = "failed"
	LeftOut  Status = "left out"
)

// Result is a scenario, or a variant of a scenario, such as without JavaScript.
type Result struct {
	Test    string // with the variant, such as TestVoid/without_JavaScript
	Browser string // "" for Chromium
	Status  Status
	Seconds float64
	Reason  string   // why it was left out
	Left    []string // the records it left in a deployment
	Output  string   // if it failed

	// Only on another app:
	Family  string   // of the incident
	Verdict string   // "" if there is none
	Was     string   // the verdict of an earlier run, if this one is worse, or if it was left out only now
	Marks   []string // the words by which its records are found, one for each attempt
	App     string   // its name and address; set only by the check of the description
	Form    string   // the names of the app and of the form

	Story Story

	place int // in the order in which the tests began
}

// Results is a run of the suite.
type Results struct {
	All     []Result
	Seconds float64
	browser string // of the current run
	ended   bool
}

// event is a line of go test -json.
type event struct {
	Action  string  `json:"action"`
	Test    string  `json:"test"`
	Output  string  `json:"output"`
	Key     string  `json:"key"`
	Value   string  `json:"value"`
	Elapsed float64 `json:"elapsed"`
}

var (
	leftOut    = regexp.MustCompile(`left out (.+)`)
	leftBehind = regexp.MustCompile(`left behind: (.+)`)
	saidBy     = regexp.MustCompile(`(?m)^ +\w+\.go:\d+: (.+)`)
)

// Collect reads the output of go test -json until it ends, and writes messages of tests and each verdict to progress. The output may be
// that of several runs, each in another browser. Verdicts on another app are compared with those of an earlier run, unless it is nil.
func Collect(r io.Reader, progress io.Writer, before *Kept) (*Results, error) {
	results := &Results{}
	running := map[string]*Result{}
	parents := map[string]bool{}
	places := map[string]int{}
	events := json.NewDecoder(r)
	for {
		var e event
		err := events.Decode(&e)
		if errors.Is(err, io.EOF) {
			slices.SortStableFunc(results.All, func(a, b Result) int { return cmp.Compare(a.place, b.place) })
			return results, nil
		}
		if err != nil {
			return results, fmt.Errorf("read the events: %w", err)
		}
		if e.Test == "" {
			results.takes(e, progress)
			continue
		}
		for parent := path.Dir(e.Test); parent != "."; parent = path.Dir(parent) {
			parents[parent] = true
		}
		one := running[e.Test]
		if one == nil {
			if _, known := places[e.Test]; !known {
				places[e.Test] = len(places)
			}
			one = &Result{Test: e.Test, Browser: results.browser, place: places[e.Test]}
			running[e.Test] = one
		}
		switch e.Action {
		case "output":
			one.Output += e.Output
		case "attr":
			one.hears(e, progress)
		case "pass", "fail", "skip":
			delete(running, e.Test)
			if parents[e.Test] && !results.fails(e) {
				continue // its variants have the result
			}
			one.ends(e)
			one.compare(before)
			results.All = append(results.All, *one)
			if one.Family != "" {
				fmt.Fprintf(progress, "%6.1f s  %s: %s\n", one.Seconds, one.Name(), one.Compared())
			}
		}
	}
}

// takes handles the events that belong to no single test.
func (r *Results) takes(e event, progress io.Writer) {
	switch e.Action {
	case "start":
		r.browser, r.ended = "", false
	case "output":
		if browser, found := strings.CutPrefix(e.Output, "browser: "); found {
			r.browser = strings.TrimSpace(browser)
		}
	case "build-output":
		fmt.Fprint(progress, e.Output)
	case "pass", "fail":
		r.Seconds += e.Elapsed
		r.ended = true
	}
}

// hears stores an attribute of a test.
func (r *Result) hears(e event, progress io.Writer) {
	switch e.Key {
	case "says":
		fmt.Fprintln(progress, e.Value)
	case "family":
		r.Family = e.Value
	case "mark":
		r.Marks = append(r.Marks, e.Value)
	case "app":
		r.App = e.Value
	case "form":
		r.Form = e.Value
	case string(Passed), string(Against), string(Unstable):
		r.Status, r.Verdict = Status(e.Key), e.Value
	}
}

// ends handles the end of a test.
func (r *Result) ends(e event) {
	text := r.Output
	r.Seconds, r.Output = e.Elapsed, ""
	for _, left := range leftBehind.FindAllStringSubmatch(text, -1) {
		r.Left = append(r.Left, left[1])
	}
	switch {
	case e.Action == "fail":
		r.Status, r.Output, r.Verdict = Failed, text, "the suite failed"
		if reason := saidBy.FindStringSubmatch(text); reason != nil {
			r.Verdict += ": " + reason[1]
		}
	case e.Action == "skip":
		r.Status = LeftOut
		if reason := leftOut.FindStringSubmatch(text); reason != nil {
			r.Reason, r.Verdict = reason[1], "left out "+reason[1]
		}
	case r.Status == "":
		r.Status = Passed
	}
	if r.Family == "" {
		r.Verdict = ""
	}
}

// fails reports whether a test with variants fails without a failed variant.
func (r *Results) fails(e event) bool {
	return e.Action == "fail" && !slices.ContainsFunc(r.All, func(variant Result) bool {
		return (variant.Status == Failed || severity(variant.Verdict) == unknown) && variant.Browser == r.browser &&
			strings.HasPrefix(variant.Test, e.Test+"/")
	})
}

// Left returns the records that all scenarios have left in a deployment.
func (r *Results) Left() (left []string) {
	for _, one := range r.All {
		left = append(left, one.Left...)
	}
	return left
}

// Count returns the number of scenarios with a status.
func Count(all []Result, status Status) (n int) {
	for _, one := range all {
		if one.Status == status {
			n++
		}
	}
	return n
}

// Err returns the reason why the run does not count as passed. Unless mayLeaveOut, a scenario that was left out in Chromium is a reason.
func (r *Results) Err(mayLeaveOut bool) error {
	inChromium := slices.DeleteFunc(slices.Clone(r.All), func(one Result) bool { return one.Browser != "" })
	switch failed, out := Count(r.All, Failed), Count(inChromium, LeftOut); {
	case !r.ended:
		return errors.New("the tests did not run to their end")
	case len(r.All) == 0:
		return errors.New("no test has run")
	case failed > 0:
		return fmt.Errorf("%d failed", failed)
	case out > 0 && !mayLeaveOut:
		return fmt.Errorf("%d were left out, and here none may be", out)
	default:
		return nil
	}
}
