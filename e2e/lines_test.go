package e2e

import (
	"testing"

	"github.com/playwright-community/playwright-go"
)

// Lines are added and removed in the page or, without JavaScript, by the server.
// Either way the form stays the same form, and nothing is saved by it.

func TestAddAndRemoveLines(t *testing.T) {
	t.Parallel()
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, javaScript)
			s.login()
			s.newInvoice()
			form := s.page.URL()
			s.fillInvoice("2026-7001")
			s.fillLine(1, "A line too many", "1", "999.00", "7")

			s.click("Add a line")
			s.check(expect.Locator(s.line(2).GetByLabel("Description")).ToBeFocused(), "start in the new line")
			s.check(expect.Locator(s.line(2).GetByLabel("Quantity")).ToHaveValue("1"), "start with one")
			s.check(expect.Locator(s.line(2).GetByLabel("Tax %")).ToHaveValue("7"), "take the rate of the line above")
			s.fillLine(2, "Design", "2", "50.00", "23")
			s.holds("Number", "2026-7001")
			s.click("Remove line 1")
			s.check(expect.Locator(s.line(2)).ToBeHidden(), "see one line only")
			s.check(expect.Locator(s.line(1).GetByLabel("Description")).ToHaveValue("Design"), "keep the other line")
			s.isOnForm(form)
			s.hasNew(0)
			s.attempts()

			s.create()
			s.seesInvoice("2026-7001", created("2026-7001"))
			s.seesNot("A line too many")
			s.hasOneNew("2026-7001")
			s.attempts("created")
		})
	}
}

// TestEnterInALine: it goes on to the next line, a new one after the last, and from a blank one to what comes below. It
// sends nothing.
func TestEnterInALine(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	form := s.page.URL()
	in := func(field playwright.Locator, why string) {
		t.Helper()
		s.check(expect.Locator(field).ToBeFocused(), why)
	}
	s.fillInvoice("2026-7001")
	s.check(s.line(1).GetByLabel("Unit price").Focus(), "put the cursor into the first line")
	s.press("Enter")
	in(s.line(2).GetByLabel("Description"), "be in a new line")
	s.press("Enter")
	in(s.field("Notes"), "leave the lines")
	s.check(s.line(1).GetByLabel("Description").Focus(), "go back to the first line")
	s.press("Enter")
	in(s.line(2).GetByLabel("Description"), "go on to the second line")
	s.check(expect.Locator(s.line(3)).ToBeHidden(), "have two lines")
	s.isOnForm(form)
	s.hasNew(0)
	s.attempts()
}

// TestTotalAndButtonStayInSight: whatever line somebody is in, and on a phone. What has the focus is not covered by them.
func TestTotalAndButtonStayInSight(t *testing.T) {
	t.Parallel()
	for name, width := range widths {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, width)
			s.login()
			s.newInvoice()
			s.fillInvoice("2026-7001")
			for n := 2; n <= 12; n++ {
				s.click("Add a line")
				in, err := s.line(n).GetByLabel("Description").BoundingBox()
				s.check(err, "find the line")
				bar, err := s.page.Locator(".finish").BoundingBox()
				s.check(err, "find the total")
				if in.Y+in.Height > bar.Y {
					t.Errorf("line %d ends at %v, and the total begins at %v", n, in.Y+in.Height, bar.Y)
				}
			}
			_, err := s.page.Evaluate("() => scrollTo(0, 0)")
			s.check(err, "scroll to the top")
			total := s.page.GetByText("Total", playwright.PageGetByTextOptions{Exact: new(true)})
			s.check(expect.Locator(total).ToBeInViewport(), "see the total")
			s.check(expect.Locator(s.button("Create invoice")).ToBeInViewport(), "see the button")
		})
	}
}

func TestTotalsFollowTheLines(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.login()
	s.newInvoice()
	s.total("–")
	s.check(expect.Locator(s.field("Tax %")).ToHaveValue("23"), "take the rate of the settings")
	s.fillLine(1, "Third of a cent, away from zero", "0.1", "0.05", "0")
	s.total("0.01")
	s.click("Add a line")
	s.total("0.01") // a blank line does not count
	s.fillLine(2, "Design", "2", "50.00", "23")
	s.total("123.01")
	s.click("Remove line 1")
	s.total("123.00")
	s.check(s.field("Unit price").Fill("no number"), "type no number")
	s.total("–")
}

// Enter in a field means Create, not the first button on the page. In a line as well, if no script knows more.
func TestEnterCreates(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]struct {
		javaScript option
		field      string
	}{
		"with JavaScript": {withJavaScript, "Number"}, "without JavaScript, in a line": {withoutJavaScript, "Unit price"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, in.javaScript)
			s.login()
			s.newInvoice()
			s.fillInvoice("2026-7001")
			s.check(s.field(in.field).Focus(), "put the cursor into the field")
			s.press("Enter")
			s.seesInvoice("2026-7001", created("2026-7001"))
			s.hasOneNew("2026-7001")
		})
	}
}
