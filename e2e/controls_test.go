package e2e

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"onlyonce/internal/must"
)

// control is a visible field or button, with all its possible names.
type control struct {
	Kind  string `json:"kind"` // its type, or its tag
	ID    int    `json:"id"`   // it stays the same when other controls come or go
	Form  int    `json:"form"` // number of its form
	Names []struct {
		By   string `json:"by"`
		Text string `json:"text"`
	} `json:"names"` // the best first
	Required bool     `json:"required"`
	Invalid  string   `json:"invalid"` // why the browser does not send it, or ""
	Options  []string `json:"options"` // of a selection
}

// CSS selectors of controls.
const (
	fields = `input:not([type=hidden], [type=submit], [type=button], [type=image], [type=reset]), select, textarea,
		[contenteditable]:not([contenteditable=false]), [role=textbox]`
	buttons = `button, input[type=submit], input[type=button], input[type=image], [role=button]`
)

// missing ends the reason of a field without its value, as in scripts/controls.js.
const missing = "is required and empty"

// controls lists the controls that people see on the page and in its frames, in their order.
func (v *visitor) controls(selector string) (found []control, err error) {
	for i, frame := range v.page.Frames() {
		listed, err := frame.Locator(selector).EvaluateAll(script("controls"))
		if i > 0 && err != nil {
			continue // the frame is gone, or loading
		}
		text, none := json.Marshal(listed)
		var here []control
		if err := cmp.Or(err, none, json.Unmarshal(text, &here)); err != nil {
			return nil, err
		}
		for _, one := range here {
			v.frames[one.ID] = frame
			one.Form += i * 1000 // each frame has other forms
			found = append(found, one)
		}
	}
	return found, nil
}

// ornament matches the punctuation around labels.
var ornament = regexp.MustCompile(`^[\s*:]+|[\s*:]+$`)

func plainName(name string) string { return strings.ToLower(ornament.ReplaceAllString(name, "")) }

func (v *visitor) numbered(id int) playwright.Locator {
	return v.frames[id].Locator(fmt.Sprintf("[data-control='%d']", id))
}

// named returns the id of the control with a name, and the kind of that name. An exact label is preferred to one that differs in
// case, colon or asterisk, and a label to a name, a placeholder or a role.
func named(all []control, name string) (id int, by string) {
	for _, same := range []func(text string) bool{
		func(text string) bool { return text == name },
		func(text string) bool { return plainName(text) == plainName(name) },
	} {
		for _, by := range []string{"label", "name", "placeholder", "id", "title", "role"} {
			for _, one := range all {
				for _, n := range one.Names {
					if n.By == by && same(n.Text) {
						return one.ID, fmt.Sprintf("%s %q", by, n.Text)
					}
				}
			}
		}
	}
	return -1, ""
}

// nearest lists the control names that are most similar to a name.
func nearest(all []control, name string) string {
	var names []string
	for _, one := range all {
		if len(one.Names) > 0 {
			names = append(names, one.Names[0].Text)
		}
	}
	if len(names) == 0 {
		return "there is none"
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(distance(plainName(a), plainName(name)), distance(plainName(b), plainName(name)))
	})
	return fmt.Sprintf("the nearest are %q", names[:min(len(names), 4)])
}

// distance returns the Levenshtein distance.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			swapped := before
			if a[i] != b[j] {
				swapped++
			}
			before, row[j+1] = row[j+1], min(swapped, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// find returns the control with a name. Scripts may add it some time after the page has loaded.
func (v *visitor) find(selector, name string) playwright.Locator {
	v.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(5 * time.Second); ; <-tick.C {
		all, err := v.controls(selector) // on an error, another page has just loaded
		if id, by := named(all, name); id >= 0 {
			if v.frames[id] != v.page.MainFrame() {
				v.framed = v.frames[id]
			}
			if v.story.aloud {
				v.tellf(byBrowser, "%s is what has the %s", name, by)
			}
			return v.numbered(id)
		}
		if time.Now().After(deadline) {
			v.check(err, "look for "+name)
			v.t.Fatalf("nothing on %s is called %q: %s", v.short(v.page.URL()), name, nearest(all, name))
		}
	}
}

func (v *visitor) input(name string) playwright.Locator { return v.find(fields, name) }

// untilStays calls use until it succeeds, since scripts may replace a control between finding and using it. The timeout in milliseconds
// doubles with each call: on a busy machine, each step may take seconds.
func (v *visitor) untilStays(name string, use func(timeout *float64) error) {
	v.t.Helper()
	wait := 500.0
	v.until(name+" stays", func() bool {
		wait *= 2
		err := use(new(wait))
		if err != nil {
			v.t.Logf("use %s: %v", name, err)
		}
		return err == nil
	})
}

// onButton calls a JavaScript function with the form's button and arg.
func (v *visitor) onButton(function string, arg any) {
	v.t.Helper()
	v.untilStays(v.app.Form.Button, func(timeout *float64) error {
		button := v.find(buttons, v.app.Form.Button)
		_, err := button.Evaluate(function, arg, playwright.LocatorEvaluateOptions{Timeout: timeout})
		return err
	})
}

// pointAt moves the mouse over a button. An element above it would get the click, which is the app's intention once the form has
// been sent.
func (v *visitor) pointAt(name string) {
	v.t.Helper()
	var over any
	v.untilStays(name, func(timeout *float64) error {
		button := v.find(buttons, name)
		err := button.ScrollIntoViewIfNeeded(playwright.LocatorScrollIntoViewIfNeededOptions{Timeout: timeout})
		if err != nil {
			return err
		}
		box, err := button.BoundingBox(playwright.LocatorBoundingBoxOptions{Timeout: timeout})
		if err != nil {
			return err
		}
		if box == nil {
			return errors.New("it has no box")
		}
		v.x, v.y = box.X+box.Width/2, box.Y+box.Height/2
		over, err = button.Evaluate(`(e) => {
			const box = e.getBoundingClientRect();
			const top = e.getRootNode().elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
			return !top || e.contains(top) || top.contains(e) || top.closest("label")?.contains(e) ? "" :
				"<" + top.localName + (top.id && " id=" + top.id) + "> " + (top.innerText ?? "").trim().replace(/\s+/g, " ").slice(0, 80);
		}`, nil, playwright.LocatorEvaluateOptions{Timeout: timeout})
		return err
	})
	v.tellf(byPerson, "points at %s", name)
	if inWebKit() { // its mouse doesn't move while a page loads
		v.check(v.page.Mouse().Move(v.x, v.y), "move the mouse")
	}
	must.Thatf(v.t, over == "" || v.wire.arrived() != v.before,
		"over the button %s lies %v: if people have to close it first, name the button for it in banner", name, over)
}
