package site_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"onlyonce/templates"
	"onlyonce/templates/labviews"
)

// asDemo turns on the demo for a server and acme.
func (b *bundle) asDemo(c *config) {
	c.people.Demo = []templates.DemoLogin{{Tenant: b.acme.name, Email: b.acme.email, Password: password}}
	b.exec(`UPDATE tenants SET demo = true WHERE id = $1`, b.acme.id)
}

// TestLoginShowsTheDemoFirst: the demo's logins, and the lab if there is one, come before the form, and the first one has
// the focus.
func TestLoginShowsTheDemoFirst(t *testing.T) {
	b := setup(t, withLab(t))
	for name, c := range map[string]struct {
		at      func(*config)
		buttons string // in the order of the page
		focus   string
	}{
		"without a demo":    {func(*config) {}, "Log in", "email"},
		"a demo":            {func(c *config) { b.asDemo(c); c.pages = nil }, "Log in, Log in", "button"},
		"a demo with a lab": {b.asDemo, "Take the one-minute tour, Try to break it, Log in, Log in", "button"},
	} {
		p := b.page(b.stranger(b.serve(c.at)).get("/login?next=/invoices"))
		main := all(p.root, "main")[0]
		var buttons []string
		for _, button := range all(main, "button") {
			buttons = append(buttons, text(button))
		}
		if got := strings.Join(buttons, ", "); got != c.buttons {
			t.Errorf("%s: the buttons are %q", name, got)
		}
		focused := ""
		for _, control := range all(main, "input", "button") {
			if _, ok := attr(control, "autofocus"); ok {
				id, _ := attr(control, "id")
				focused += id
				if control.Data == "button" {
					focused += "button"
				}
			}
		}
		if focused != c.focus {
			t.Errorf("%s: the focus is on %q", name, focused)
		}
	}
}

// TestLabIsOfferedToTheDemoOnly: empty lists and records of demo tenants lead to the lab. Other tenants have no such pages.
func TestLabIsOfferedToTheDemoOnly(t *testing.T) {
	b := setup(t, withLab(t))
	at := b.serve(b.asDemo)
	visitor, other := b.person(at, b.acme), b.person(at, b.globex)
	form := change(customers().command, "idempotency_key", key)
	for path, offers := range map[string]bool{"/invoices": true, "/customers": true, "/account": false} {
		if said := b.page(visitor.get(path)).text(); strings.Contains(said, "try to break it first") != offers {
			t.Errorf("%s: %s", path, said)
		}
		if said := b.page(other.get(path)).text(); strings.Contains(strings.ToLower(said), "try to break it") {
			t.Errorf("%s, outside of the demo: %s", path, said)
		}
	}
	record := b.page(visitor.get(visitor.submit("/customers", form).location()))
	history := all(record.root, "section")
	if said := text(history[len(history)-1]); !strings.HasSuffix(said, "Try to break it") {
		t.Errorf("below the history: %s", said)
	}
	for _, path := range []string{"/lab/yourself", "/lab/tour/1"} {
		if a := visitor.get(path); a.status != http.StatusOK {
			t.Errorf("%s: %v", path, a)
		}
		for _, a := range []answer{other.get(path), other.submit(path, nil)} {
			if a.status != http.StatusNotFound {
				t.Errorf("%s, outside of the demo: %v", path, a)
			}
		}
	}
	for _, path := range []string{"/lab/tour/0", "/lab/tour/5", "/lab/tour/x"} {
		if a := visitor.get(path); a.status != http.StatusNotFound {
			t.Errorf("%s: %v", path, a)
		}
	}
}

// TestTourNamesWhatIsThere checks that the files have the names that the tour mentions.
func TestTourNamesWhatIsThere(t *testing.T) {
	t.Parallel()
	for _, place := range labviews.TourPlaces() {
		code, err := os.ReadFile("../../" + place.File)
		if err != nil || !strings.Contains(string(code), place.Name) {
			t.Errorf("%s is not in %s: %v", place.Name, place.File, err)
		}
	}
}
