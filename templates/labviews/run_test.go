package labviews_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/templates"
	"onlyonce/templates/labviews"
)

// TestRunLoadsItselfAgain checks that the page of a run reloads until it is over, if there is no script.
func TestRunLoadsItselfAgain(t *testing.T) {
	t.Parallel()
	const again = `<noscript><meta http-equiv="refresh" content="1"></noscript>`
	for state, want := range map[string]bool{
		"lab run, waiting": true, "lab run, running": true, "lab run, over": false, "lab run, failed": false,
	} {
		got := strings.Contains(drawn(t, state), again)
		assert.Thatf(t, got == want, "%s: it loads itself again: %v", state, got)
	}
}

// TestPictureStandsAlone checks that the picture is well-formed XML that needs no other file and no style sheet.
func TestPictureStandsAlone(t *testing.T) {
	t.Parallel()
	picture := drawn(t, "lab, picture to share")
	decoder := xml.NewDecoder(strings.NewReader(picture))
	elements := 0
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		must.Thatf(t, err == nil, "%v in %s", err, picture)
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		elements++
		for _, a := range start.Attr {
			name := a.Name.Local
			assert.Thatf(t, name != "style" && name != "class" && name != "href", "<%s %s=%q>", start.Name.Local, name, a.Value)
		}
	}
	assert.Thatf(t, elements >= 100, "%d elements are not two times fifty lanes", elements)
	const title = "<title>Onlyonce: 50 attempts, 1 invoice. Without the intent: 5 invoices</title>"
	assert.Thatf(t, strings.Contains(picture, title), "no title in %.300s", picture)
}

// drawn returns the HTML of a state.
func drawn(t *testing.T, state string) string {
	t.Helper()
	var html bytes.Buffer
	must.OK(t, states()[state].Render(t.Context(), &html))
	return html.String()
}

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
		assert.Thatf(t, err == nil && strings.Contains(string(html), want), "no %q in %s: %v", want, html, err)
	}
}
