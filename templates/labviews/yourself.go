package labviews

import (
	"strings"

	"github.com/a-h/templ"

	"onlyonce/templates"
)

// Around is what the pages outside of the lab say of it.
type Around struct {
	// Href is the lab, and TourHref the beginning of the tour.
	Href     string
	TourHref string
	// Switches stand above a form that creates something, while one of them is on; nil otherwise.
	Switches *Switches
	// Script is the address of lab-tour.js.
	Script string
	// Step is where somebody is in the tour; nil outside of it.
	Step *TourStrip
}

// Switches are what a visitor has made worse for themselves.
type Switches struct {
	Slow bool
	Cut  bool
	// Form is the address of the form below, with its key, and Href where they are switched off.
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
	// Form is the address of an ordinary form with its key.
	Form string
	Slow bool
	Cut  bool
	// Until is when both go off by themselves, if one is on: "16:45 UTC".
	Until    string
	TourHref string
	// AttemptsHref is the list of attempts, or "".
	AttemptsHref string
}

// Fill puts what pages say of the lab into their slots.
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
