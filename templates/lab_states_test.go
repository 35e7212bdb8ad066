package templates_test

import (
	"strconv"

	"github.com/a-h/templ"

	"onlyonce/templates"
)

// labStates are the pages of the lab: a run waits, goes on, is over with one side or with two, with a few lanes or with fifty,
// or has failed.
func labStates(page templates.Page) map[string]templ.Component {
	takeaway := templates.LabTakeaway{
		Scenario: templates.LabCode{Place: hostile, Lines: hostile}, Curl: hostile, SQL: hostile,
		Code: []templates.LabCode{{Place: hostile, Lines: hostile}},
	}
	run := templates.LabRun{
		Title: "Click five times", Milestone: "Waiting: 2 runs of other visitors first.", Events: "/lab/runs/1/events?guess=5",
		Picture: "/lab/runs/1/picture.svg", Again: "/lab/five-clicks", Repeat: hostile, FormLock: true, Takeaway: takeaway,
		Without: []templates.LabWithout{{Action: "/lab/five-clicks", Text: hostile, Fields: []templates.Field{{Name: "run", Value: "1"}}}},
	}
	running := run
	running.Sides = []templates.LabSide{labSide(5, false)}
	running.Sides[0].SQL = ""
	over := run
	over.Over, over.Verdict, over.Right, over.Sides = true, "You said 5. It was 1.", new(false), []templates.LabSide{labSide(5, false)}
	compared := over
	compared.Right, compared.Sides = new(true), []templates.LabSide{labSide(5, false), labSide(5, true)}
	fifty := over
	fifty.Sides = []templates.LabSide{labSide(50, false), labSide(50, true)}
	failed := run
	failed.Over, failed.Problem = true, hostile
	return map[string]templ.Component{
		"lab": templates.LabPage(page, templates.Lab{
			Experiments: []templates.LabCard{{Title: hostile, Href: "/lab/x", Story: hostile, Layers: hostile}},
			Links:       []templates.Link{{Text: "Do it yourself", Href: "/lab/yourself"}},
		}),
		"lab experiment": templates.LabExperimentPage(page, templates.LabExperiment{
			Title: hostile, Story: hostile, Question: hostile, Guesses: []string{"1", "5"}, Guess: "5", Action: "/lab/x", Run: "1",
			Layers:   []templates.LabLayer{{Slug: "form-lock", Name: "The form lock", Removed: hostile, Away: true}},
			FormLock: true, Takeaway: takeaway,
		}),
		"lab run, waiting":      templates.LabRunPage(page, run),
		"lab run, running":      templates.LabRunPage(page, running),
		"lab run, over":         templates.LabRunPage(page, over),
		"lab run, compared":     templates.LabRunPage(page, compared),
		"lab run, fifty lanes":  templates.LabRunPage(page, fifty),
		"lab run, failed":       templates.LabRunPage(page, failed),
		"lab, changing part":    templates.LabProgress(compared),
		"lab, picture to share": templates.LabPicture(fifty),
	}
}

// labSide has attempts that end in all ways.
func labSide(attempts int, bad bool) templates.LabSide {
	side := templates.LabSide{
		Title: "With all layers", Attempts: strconv.Itoa(attempts) + " attempts", Things: "1 invoice", Money: "€123.00",
		Why: "The intent stopped " + hostile, Bad: bad, Gates: []templates.LabGate{{Name: "form lock"}, {Name: hostile, Away: bad}},
		Events: []string{hostile}, SQL: hostile, Columns: []string{"number"}, Rows: [][]string{{hostile}},
	}
	if bad {
		side.Title, side.Things, side.Meant = "Without the intent", "5 invoices", "€123.00"
	}
	ends := []templates.LabEnd{templates.LabMade, templates.LabStopped, templates.LabLost, templates.LabRunning}
	for n := range attempts {
		lane := templates.LabLane{
			Who: "Click " + strconv.Itoa(n+1), Key: hostile, Request: hostile, Answer: "201 created", Took: "18 ms", Says: hostile,
			Gates: []int{0, 1}, End: ends[n%len(ends)],
		}
		if lane.End == templates.LabMade {
			lane.Row, lane.Extra = n+1, bad && n > 0
		}
		side.Lanes = append(side.Lanes, lane)
	}
	return side
}
