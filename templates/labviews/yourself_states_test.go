package labviews_test

import (
	"github.com/a-h/templ"

	"onlyonce/templates"
	"onlyonce/templates/labviews"
)

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
