package labviews_test

import (
	"strings"
	"testing"

	"github.com/a-h/templ"

	"onlyonce/templates"
	"onlyonce/templates/labviews"
)

// TestTourCounts checks that the first step shows how many presses were sent and stopped.
func TestTourCounts(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]labviews.TourStrip{
		"You pressed once and got one invoice, so there was nothing to stop.": {Pressed: 1, Sent: 1, AgainHref: "/lab/tour/1"},
		"You pressed 5 times: 1 was sent, 4 were stopped.":                    {Pressed: 5, Sent: 1},
		"You pressed 2 times: 1 was sent, 1 was stopped.":                     {Pressed: 2, Sent: 1},
		"all were sent, and the server recognised 4 as repeats.":              {Pressed: 5, Sent: 5},
		"3 were sent, 2 were stopped, and the server recognised the repeats.": {Pressed: 5, Sent: 3},
	} {
		v.Step, v.Place = 1, labviews.TourBehind
		var slots templates.Slots
		labviews.Fill(&slots, &labviews.Around{Step: &v})
		html, err := templ.ToGoHTML(t.Context(), slots.Above)
		if err != nil || !strings.Contains(string(html), want) {
			t.Errorf("no %q in %s: %v", want, html, err)
		}
	}
}
