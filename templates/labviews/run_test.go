package labviews_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"onlyonce/internal/must"
)

// TestRunLoadsItselfAgain checks that the page of a run reloads until it is over, if there is no script.
func TestRunLoadsItselfAgain(t *testing.T) {
	t.Parallel()
	const again = `<noscript><meta http-equiv="refresh" content="1"></noscript>`
	for state, want := range map[string]bool{
		"lab run, waiting": true, "lab run, running": true, "lab run, over": false, "lab run, failed": false,
	} {
		if got := strings.Contains(drawn(t, state), again); got != want {
			t.Errorf("%s: it loads itself again: %v", state, got)
		}
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
		if err != nil {
			t.Fatalf("%v in %s", err, picture)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		elements++
		for _, a := range start.Attr {
			if name := a.Name.Local; name == "style" || name == "class" || name == "href" {
				t.Errorf("<%s %s=%q>", start.Name.Local, name, a.Value)
			}
		}
	}
	if elements < 100 {
		t.Errorf("%d elements are not two times fifty lanes", elements)
	}
	if !strings.Contains(picture, "<title>Onlyonce: 50 attempts, 1 invoice. Without the intent: 5 invoices</title>") {
		t.Errorf("no title in %.300s", picture)
	}
}

// drawn returns the HTML of a state.
func drawn(t *testing.T, state string) string {
	t.Helper()
	var html bytes.Buffer
	must.OK(t, states()[state].Render(t.Context(), &html))
	return html.String()
}
