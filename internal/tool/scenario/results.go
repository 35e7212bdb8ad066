package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// Status is what became of a scenario.
type Status string

// What can become of one.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"
	LeftOut Status = "left out"
)

// Result is one scenario, or one variant of it, such as that without JavaScript.
type Result struct {
	Test    string // with the variant, such as TestVoid/without_JavaScript
	Status  Status
	Seconds float64
	Reason  string   // why it was left out
	Left    []string // what it has left in a deployment
	Output  string   // if it failed

	Story Story
}

// Results is one run of the suite.
type Results struct {
	All     []Result
	Seconds float64
	ended   bool
}

// event is a line of go test -json.
type event struct {
	Action  string  `json:"action"`
	Test    string  `json:"test"`
	Output  string  `json:"output"`
	Elapsed float64 `json:"elapsed"`
}

var (
	leftOut    = regexp.MustCompile(`left out (.+)`)
	leftBehind = regexp.MustCompile(`left behind: (.+)`)
)

// Collect reads what go test -json prints, until it ends.
func Collect(r io.Reader) (*Results, error) {
	results := &Results{}
	output := map[string]string{}
	parents := map[string]bool{}
	events := json.NewDecoder(r)
	for {
		var e event
		err := events.Decode(&e)
		if errors.Is(err, io.EOF) {
			return results, nil
		}
		if err != nil {
			return results, fmt.Errorf("read the events: %w", err)
		}
		results.take(e, output, parents)
	}
}

func (r *Results) take(e event, output map[string]string, parents map[string]bool) {
	if e.Test == "" {
		if e.Action == "pass" || e.Action == "fail" {
			r.Seconds, r.ended = e.Elapsed, true
		}
		return
	}
	if parent, _, is := strings.Cut(e.Test, "/"); is {
		parents[parent] = true
	}
	switch e.Action {
	case "output":
		output[e.Test] += e.Output
	case "pass", "fail", "skip":
		text := output[e.Test]
		delete(output, e.Test)
		if parents[e.Test] && !r.fails(e) {
			return // its variants say it
		}
		status := map[string]Status{"pass": Passed, "fail": Failed, "skip": LeftOut}[e.Action]
		one := Result{Test: e.Test, Seconds: e.Elapsed, Status: status}
		if reason := leftOut.FindStringSubmatch(text); one.Status == LeftOut && reason != nil {
			one.Reason = reason[1]
		}
		for _, left := range leftBehind.FindAllStringSubmatch(text, -1) {
			one.Left = append(one.Left, left[1])
		}
		if one.Status == Failed {
			one.Output = text
		}
		r.All = append(r.All, one)
	}
}

// fails reports whether a test with variants fails by itself.
func (r *Results) fails(e event) bool {
	return e.Action == "fail" && !slices.ContainsFunc(r.All, func(variant Result) bool {
		return variant.Status == Failed && strings.HasPrefix(variant.Test, e.Test+"/")
	})
}

// Left returns what all scenarios have left in a deployment.
func (r *Results) Left() (left []string) {
	for _, one := range r.All {
		left = append(left, one.Left...)
	}
	return left
}

// Count returns how many scenarios have a status.
func Count(all []Result, status Status) (n int) {
	for _, one := range all {
		if one.Status == status {
			n++
		}
	}
	return n
}

// Err returns why the run does not count as passed. Where nothing may be left out, that is a reason too.
func (r *Results) Err(mayLeaveOut bool) error {
	switch failed, out := Count(r.All, Failed), Count(r.All, LeftOut); {
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
