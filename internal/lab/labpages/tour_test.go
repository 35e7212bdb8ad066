package labpages_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/lab/labcases"
	"onlyonce/internal/site/sitetest"
	"onlyonce/templates"
	"onlyonce/templates/labviews"
)

func asDemo(b *sitetest.Bundle) func(*sitetest.Config) {
	return func(c *sitetest.Config) {
		c.People.Demo = []templates.DemoLogin{{Tenant: b.Acme.Name, Email: b.Acme.Email, Password: sitetest.Password}}
		b.Exec(`UPDATE tenants SET demo = true WHERE id = $1`, b.Acme.ID)
	}
}

// TestLoginShowsTheDemoFirst: the demo's logins, and the lab if there is one, come before the form, and the first one has
// the focus.
func TestLoginShowsTheDemoFirst(t *testing.T) {
	b := sitetest.Setup(t, labcases.WithLab(t))
	for name, c := range map[string]struct {
		at      func(*sitetest.Config)
		buttons string // in the order of the page
		focus   string
	}{
		"without a demo":    {func(*sitetest.Config) {}, "Log in", "email"},
		"a demo":            {func(c *sitetest.Config) { asDemo(b)(c); c.Pages = nil }, "Log in, Log in", "button"},
		"a demo with a lab": {asDemo(b), "Take the one-minute tour, Try to break it, Log in, Log in", "button"},
	} {
		p := b.Page(b.Stranger(b.Serve(c.at)).Get("/login?next=/invoices"))
		main := sitetest.Elements(p.Root, "main")[0]
		var buttons []string
		for _, button := range sitetest.Elements(main, "button") {
			buttons = append(buttons, sitetest.Text(button))
		}
		got := strings.Join(buttons, ", ")
		assert.Thatf(t, got == c.buttons, "%s: the buttons are %q", name, got)
		focused := ""
		for _, control := range sitetest.Elements(main, "input", "button") {
			if _, ok := sitetest.Attr(control, "autofocus"); ok {
				id, _ := sitetest.Attr(control, "id")
				focused += id
				if control.Data == "button" {
					focused += "button"
				}
			}
		}
		assert.Thatf(t, focused == c.focus, "%s: the focus is on %q", name, focused)
	}
}

// TestLabIsOfferedToTheDemoOnly: empty lists and records of demo tenants lead to the lab. Other tenants have no such pages.
func TestLabIsOfferedToTheDemoOnly(t *testing.T) {
	b := sitetest.Setup(t, labcases.WithLab(t))
	at := b.Serve(asDemo(b))
	visitor, other := b.Person(at, b.Acme), b.Person(at, b.Globex)
	form := sitetest.Change(customercases.Customers().Command, "idempotency_key", sitetest.Key)
	for path, offers := range map[string]bool{"/invoices": true, "/customers": true, "/account": false} {
		if said := b.Page(visitor.Get(path)).Text(); strings.Contains(said, "try to break it first") != offers {
			t.Errorf("%s: %s", path, said)
		}
		if said := b.Page(other.Get(path)).Text(); strings.Contains(strings.ToLower(said), "try to break it") {
			t.Errorf("%s, outside of the demo: %s", path, said)
		}
	}
	record := b.Page(visitor.Get(visitor.Submit("/customers", form).Location()))
	history := sitetest.Elements(record.Root, "section")
	if said := sitetest.Text(history[len(history)-1]); !strings.HasSuffix(said, "Try to break it") {
		t.Errorf("below the history: %s", said)
	}
	for _, path := range []string{"/lab/yourself", "/lab/tour/1"} {
		if a := visitor.Get(path); a.Status != http.StatusOK {
			t.Errorf("%s: %v", path, a)
		}
		for _, a := range []sitetest.Answer{other.Get(path), other.Submit(path, nil)} {
			assert.Thatf(t, a.Status == http.StatusNotFound, "%s, outside of the demo: %v", path, a)
		}
	}
	for _, path := range []string{"/lab/tour/0", "/lab/tour/5", "/lab/tour/x"} {
		a := visitor.Get(path)
		assert.Thatf(t, a.Status == http.StatusNotFound, "%s: %v", path, a)
	}
}

// TestTourNamesWhatIsThere checks that the files have the names that the tour mentions.
func TestTourNamesWhatIsThere(t *testing.T) {
	t.Parallel()
	for _, place := range labviews.TourPlaces() {
		code, err := os.ReadFile("../../../" + place.File)
		assert.Thatf(t, err == nil && strings.Contains(string(code), place.Name), "%s is not in %s: %v", place.Name, place.File, err)
	}
}
