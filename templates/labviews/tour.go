package labviews

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"onlyonce/templates"
)

// TourSteps is the number of steps of the lab's tour.
const TourSteps = 4

// Tour is a step of the tour.
type Tour struct {
	Step   int
	Run    *Run   // the visitor's own run of the second step, if it is done
	Repeat string // the absolute URL of the second step's experiment
}

// TourStrip is the state of the tour, on a page that belongs to a step.
type TourStrip struct {
	Step     int
	Place    TourPlace
	NextHref string
	EndHref  string
	// Pressed is the number of presses of the button in the first step, and Sent the number of presses that reached the server.
	Pressed, Sent int
	AgainHref     string // back to the first step, after a single press; "" otherwise
	Counts        bool   // the page counts presses
}

// TourPlace is a page's role in a step of the tour.
type TourPlace int

// The roles of a page.
const (
	TourBefore TourPlace = iota // the visitor has something to do there
	TourBehind                  // the visitor has done it
)

func (v TourStrip) text() string {
	switch text := tourTexts()[v.Step-1]; {
	case v.Place == TourBefore:
		return text.before
	case v.Step == 1:
		return v.counted()
	default:
		return text.behind
	}
}

// counted returns the result of the presses of the first step, in sentences.
func (v TourStrip) counted() string {
	stopped, repeats := v.Pressed-v.Sent, v.Sent-1
	switch {
	case v.Pressed == 1:
		return "You pressed once and got one invoice, so there was nothing to stop. Try again, and press five times."
	case repeats == 0:
		return fmt.Sprintf("You pressed %d times: 1 was sent, %s stopped. You got one invoice.", v.Pressed, were(stopped))
	case stopped == 0:
		return fmt.Sprintf("You pressed %d times: all were sent, and the server recognised %d as repeats. You got one invoice.",
			v.Pressed, repeats)
	default:
		return fmt.Sprintf("You pressed %d times: %d were sent, %s stopped, and the server recognised the repeats. You got one invoice.",
			v.Pressed, v.Sent, were(stopped))
	}
}

func were(n int) string {
	if n == 1 {
		return "1 was"
	}
	return strconv.Itoa(n) + " were"
}

// tourText is the text of a step of the tour.
type tourText struct {
	title, text, button string
	before, behind      string // the text of the strip
}

func tourTexts() [TourSteps]tourText {
	return [TourSteps]tourText{
		{
			title: "Press the button five times", button: "Open the form",
			text: "You get the ordinary invoice form, already filled in, on a slow connection: saving takes 3 seconds. Press " +
				"Create invoice five times, as fast as you can.",
			before: "Saving takes 3 seconds. Press Create invoice five times, as fast as you can.",
		},
		{
			title: "The same without protection", button: "Switch protection off",
			text: "The same five clicks, in a database of your own that is deleted afterwards: once with every layer of protection, " +
				"and once without the form lock and the intent. First guess how many invoices you get with both off.",
			before: "Guess how many invoices you get with both layers off, then run it.",
			behind: "On one side, every layer of protection. On the other, the same clicks without the form lock and the intent.",
		},
		{
			title: "Lose the answer", button: "Open the form",
			text: "The server saves your invoice, then drops the connection instead of answering. You can't tell whether it was saved, " +
				"so you or your browser will send the form again.",
			before: "Press Create invoice once. If your browser shows an error page, reload it and send the form again.",
			behind: "The answer was lost and the form was sent again: there is still only one invoice.",
		},
		{
			title: "One invoice or five", button: "Go to the lab",
			text: "The same five clicks, with and without protection. Share the picture, or see where the code is. Drafts that you " +
				"created in the tour are voided when you leave it.",
		},
	}
}

func tourStepOf(step int) string { return fmt.Sprintf("Step %d of %d", step, TourSteps) }

// Place is a declaration in this repository.
type Place struct{ Layer, Stops, File, Name string }

// TourPlaces returns the code of each layer.
func TourPlaces() []Place {
	return []Place{
		{"The form lock", "a second click", "static/submit-guard.js", "lock"},
		{"The intent", "every repeat of the same request", "internal/idempotency/do.go", "Do"},
		{"Its claim", "two repeats at the same instant", "migrations/00102_intents.sql", "claim_intent"},
		{"The unique number", "two requests for the same thing", "migrations/00107_invoices.sql", "invoices_number_once_per_year"},
	}
}

// Around is the lab's addition to other pages.
type Around struct {
	Href     string     // of the lab
	TourHref string     // of the tour's first step
	Switches *Switches  // above a form that creates something, while a switch is on; nil otherwise
	Script   string     // the URL of lab-tour.js
	Step     *TourStrip // the visitor's step of the tour; nil outside the tour
}

// Switches are the faults that a visitor has switched on for themselves.
type Switches struct {
	Slow, Cut bool
	Form      string // the URL of the form below, with its key
	Href      string // the page that switches them off
}

func (v Switches) text() string {
	const slow, cut = "Saving takes 3 seconds longer.", "The next record is saved, but the connection drops before the answer."
	switch {
	case v.Slow && v.Cut:
		return slow + " " + cut
	case v.Slow:
		return slow
	default:
		return cut
	}
}

// Yourself is the page with the switches.
type Yourself struct {
	Form         string // the URL of an ordinary form with its key
	Slow, Cut    bool
	Until        string // the time when both are switched off, if one is on: "16:45 UTC"
	TourHref     string
	AttemptsHref string // the list of attempts, or ""
}

// Fill sets the slots of a page for the lab.
func Fill(slots *templates.Slots, around *Around) {
	slots.Styles = append(slots.Styles, "lab-yourself.css")
	slots.Above, slots.BelowHistory, slots.EmptyList = labAbove(around), labBelowHistory(around), labInstead(around)
	slots.Login = func(demo []templates.DemoLogin, next string) templ.Component {
		if len(demo) == 0 || strings.HasPrefix(next, around.Href) { // any login leads to the lab
			return nil
		}
		return labAtLogin(around, demo[0])
	}
}
