package templates_test

import (
	"github.com/a-h/templ"

	"onlyonce/templates"
)

// yourselfStates are what the visitors of the lab see besides its experiments.
func yourselfStates(page templates.Page) map[string]templ.Component {
	inTour := page
	inTour.Lab = &templates.AroundLab{
		Href: "/lab", TourHref: "/lab/tour/1",
		Switches: &templates.Switches{Slow: true, Cut: true, Form: "/invoices/new?key=k", Href: "/lab/yourself"},
		Step:     &templates.TourStrip{Step: 1, Place: templates.TourBefore, NextHref: "/lab/tour/2", EndHref: "/lab/tour/end"},
	}
	return map[string]templ.Component{
		"do it yourself": templates.YourselfPage(inTour, templates.Yourself{
			Form: "/invoices/new?key=k", Slow: true, Until: "16:45 UTC", TourHref: "/lab/tour/1", AttemptsHref: "/attempts",
		}),
		"tour":            templates.TourPage(page, 1),
		"end of the tour": templates.TourPage(page, templates.TourSteps),
	}
}
