package labviews

import (
	"strings"

	"github.com/a-h/templ"

	"onlyonce/templates"
)

// Around is the lab's addition to other pages.
type Around struct {
	// Href is the URL of the lab, and TourHref that of the tour's first step.
	Href     string
	TourHref string
	// Switches are shown above a form that creates something, while a switch is on; nil otherwise.
	Switches *Switches
	// Script is the URL of lab-tour.js.
	Script string
	// Step is the visitor's step of the tour; nil outside the tour.
	Step *TourStrip
}

// Switches are the faults that a visitor has switched on for themselves.
type Switches struct {
	Slow bool
	Cut  bool
	// Form is the URL of the form below, with its key, and Href the page that switches them off.
	Form string
	Href string
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
	// Form is the URL of an ordinary form with its key.
	Form string
	Slow bool
	Cut  bool
	// Until is the time when both are switched off, if one is on: "16:45 UTC".
	Until    string
	TourHref string
	// AttemptsHref is the list of attempts, or "".
	AttemptsHref string
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
