package labviews_test

import (
	"maps"
	"strconv"
	"testing"

	"github.com/a-h/templ"

	"onlyonce/templates"
	"onlyonce/templates/labviews"
	"onlyonce/templates/viewtest"
)

const hostile = viewtest.Hostile

func TestRulesOfPages(t *testing.T) {
	t.Parallel()
	viewtest.Check(t, states())
}

// states returns the pages of the lab, with runs that are waiting, running, over with one side or two, with few lanes or fifty, or
// failed.
func states() map[string]templ.Component {
	page := viewtest.Page()
	takeaway := labviews.Takeaway{
		Scenario: labviews.Code{Place: hostile, Lines: hostile}, Curl: hostile, SQL: hostile,
		Code: []labviews.Code{{Place: hostile, Lines: hostile}},
	}
	run := labviews.Run{
		Title: "Click five times", Milestone: "Waiting: 2 runs of other visitors first.", Events: "/lab/runs/1/events?guess=5",
		Picture: "/lab/runs/1/picture.svg", Again: "/lab/five-clicks", Repeat: hostile, FormLock: true, Takeaway: takeaway,
		Without: []labviews.Without{{Action: "/lab/five-clicks", Text: hostile, Fields: []templates.Field{{Name: "run", Value: "1"}}}},
	}
	running := run
	running.Sides = []labviews.Side{labSide(5, false)}
	running.Sides[0].SQL = ""
	over := run
	over.Over, over.Verdict, over.Right, over.Sides = true, "You said 5. It was 1.", new(false), []labviews.Side{labSide(5, false)}
	compared := over
	compared.Right, compared.Sides = new(true), []labviews.Side{labSide(5, false), labSide(5, true)}
	fifty := over
	fifty.Sides = []labviews.Side{labSide(50, false), labSide(50, true)}
	failed := run
	failed.Over, failed.Problem = true, hostile
	all := map[string]templ.Component{
		"lab": labviews.LabPage(page, labviews.Lab{
			Experiments: []labviews.Card{{Title: hostile, Href: "/lab/x", Story: hostile, Layers: hostile, Featured: true}},
			Links:       []templates.Link{{Text: "Do it yourself", Href: "/lab/yourself"}},
		}),
		"lab experiment": labviews.ExperimentPage(page, labviews.Experiment{
			Title: hostile, Story: hostile, Question: hostile, Guesses: []string{"1", "5"}, Guess: "5", Action: "/lab/x", Run: "1",
			Layers:   []labviews.Layer{{Slug: "form-lock", Name: "The form lock", Removed: hostile, Away: true}},
			FormLock: true, Takeaway: takeaway,
		}),
		"lab run, waiting":      labviews.RunPage(page, run),
		"lab run, running":      labviews.RunPage(page, running),
		"lab run, over":         labviews.RunPage(page, over),
		"lab run, compared":     labviews.RunPage(page, compared),
		"lab run, fifty lanes":  labviews.RunPage(page, fifty),
		"lab run, failed":       labviews.RunPage(page, failed),
		"lab, changing part":    labviews.Progress(compared),
		"lab, picture to share": labviews.Picture(fifty),
	}
	maps.Copy(all, yourselfStates(page, compared))
	return all
}

// labSide returns a side with attempts that end in all ways.
func labSide(attempts int, bad bool) labviews.Side {
	side := labviews.Side{
		Title: "With all layers", Attempts: strconv.Itoa(attempts) + " attempts", Things: "1 invoice", Money: "€123.00",
		Why: "The intent stopped " + hostile, Bad: bad, Gates: []labviews.Gate{{Name: "form lock"}, {Name: hostile, Away: bad}},
		Events: []string{hostile}, SQL: hostile, Columns: []string{"number"}, Rows: [][]string{{hostile}},
	}
	if bad {
		side.Title, side.Things, side.Meant = "Without the intent", "5 invoices", "€123.00"
	}
	ends := []labviews.End{labviews.Made, labviews.Stopped, labviews.Lost, labviews.Running}
	for n := range attempts {
		lane := labviews.Lane{
			Who: "Click " + strconv.Itoa(n+1), Key: hostile, Request: hostile, Answer: "201 created", Took: "18 ms", Says: hostile,
			Gates: []int{0, 1}, End: ends[n%len(ends)],
		}
		if lane.End == labviews.Made {
			lane.Row, lane.Extra = n+1, bad && n > 0
		}
		side.Lanes = append(side.Lanes, lane)
	}
	return side
}

// yourselfStates returns the pages of the lab besides its experiments.
func yourselfStates(page templates.Page, run labviews.Run) map[string]templ.Component {
	inTour := page
	labviews.Fill(&inTour.Slots, &labviews.Around{
		Href: "/lab", TourHref: "/lab/tour/1",
		Switches: &labviews.Switches{Slow: true, Cut: true, Form: "/invoices/new?key=k", Href: "/lab/yourself"},
		Step:     &labviews.TourStrip{Step: 1, Place: labviews.TourBefore, NextHref: "/lab/tour/2", EndHref: "/lab/tour/end"},
	})
	return map[string]templ.Component{
		"do it yourself": labviews.YourselfPage(inTour, labviews.Yourself{
			Form: "/invoices/new?key=k", Slow: true, Until: "16:45 UTC", TourHref: "/lab/tour/1", AttemptsHref: "/attempts",
		}),
		"tour":            labviews.TourPage(page, labviews.Tour{Step: 1}),
		"end of the tour": labviews.TourPage(page, labviews.Tour{Step: labviews.TourSteps, Run: &run, Repeat: hostile}),
	}
}
