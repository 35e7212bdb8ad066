package e2e

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"onlyonce/internal/assert"
)

// On every page, at both ends of the widths and in all themes, axe finds no serious problem, nothing needs sideways scrolling, no
// text overlaps another, a click reaches each link and button, and the console stays silent.
func TestAccessibility(t *testing.T) {
	onlyHere(t, "it changes the settings and the people of the business")
	t.Parallel()
	start(t).visitEveryPage((*session).isAccessible)
}

func (s *session) visitEveryPage(look func(*session, string)) {
	s.t.Helper()
	s.open("/login")
	look(s, "/login")
	s.login()
	s.open("/no-such-page")
	look(s, "/no-such-page")
	s.visitLinkedPages(look)
	s.visitSettings(look)
	s.visitInvoiceForms(look)
	s.visitCustomerForms(look)
	s.visitInvoiceStates(look)
	s.visitMails(look)
	s.visitPeople(look)
	s.open("/attempts")
	s.sees("Created")
	look(s, "attempts")
	s.open("/attempts?key=nobody")
	look(s, "no attempts found")
	s.visitDuplicates(look)
	s.visitWebhooks(look)
	s.visitSchedules(look)
	s.visitPaymentForms(look)
}

func (s *session) visitSettings(look func(*session, string)) {
	s.t.Helper()
	s.open("/settings/edit")
	s.fill(fieldIBANOrAccountNumber, "IE29 AIBK 9311 5212 3456 79")
	s.click(buttonSaveChanges)
	s.sees(saysNoIBAN)
	look(s, "settings with errors")
	s.fill(fieldIBANOrAccountNumber, "IE29 AIBK 9311 5212 3456 78")
	s.fill(fieldLegalName, "Acme Studio Limited")
	s.click(buttonSaveChanges)
	s.sees(saved("Acme Studio Limited"))
	look(s, "settings, just changed")
}

func (s *session) visitCustomerForms(look func(*session, string)) {
	s.t.Helper()
	s.open("/customers?archived=1")
	look(s, "no archived customers")
	s.addCustomer(s.email("grace"), s.named("Grace Hopper"))
	customer := s.page.URL()
	s.edit()
	form := s.page.URL()
	other := s.tab(customer)
	other.edit()
	s.fill(fieldName, "")
	s.click(buttonSaveChanges)
	s.sees(saysProblem)
	look(s, "an edit with errors")
	s.fill(fieldName, s.named("Grace King"))
	s.click(buttonSaveChanges)
	s.sees(saved(s.named("Grace King")))
	look(s, "a customer, just changed")
	s.open(form)
	look(s, "an edit that was used")
	other.click(buttonSaveChanges)
	other.sees(saysChangedMeanwhile)
	look(other, "an edit that came too late")
	s.open(customer)
	s.click(buttonArchive)
	s.sees(saysArchived)
	look(s, "a customer, just archived")
	s.follow(linkErase)
	look(s, "the erasure of a customer")
	s.click(buttonEraseForGood)
	s.sees(saysErased)
	look(s, "a customer, just erased")
	s.open(customer)
	look(s, "an erased customer")
	s.open("/customers?archived=1")
	look(s, "archived customers")
}

// visitDuplicates merges customers of the demo by five clicks once, separates them, and marks others as distinct.
func (s *session) visitDuplicates(look func(*session, string)) {
	s.t.Helper()
	s.open("/duplicates")
	s.follow(linkMerge)
	s.seesHeading("Merge customers")
	form := s.page.URL()
	s.pointAt(buttonMergeCustomers)
	s.tap(5)
	s.seesHeading("Northwind Traders Ltd. into Northwind Traders")
	s.click(buttonUndo)
	s.sees("Merge Northwind Traders Ltd. into Northwind Traders undone.")
	look(s, "a merge that was undone")
	s.open(form)
	look(s, "a form of a merge that was used")
	s.open("/duplicates")
	s.follow(linkNotDuplicates)
	s.click(buttonRememberDistinction)
	s.sees("remembered.")
	look(s, "a distinction")
}

// visitLinkedPages follows all links from the start, and visits one page of each kind, so that a new page need not be listed here.
// It skips files, and the console of the API, because axe reports serious problems in Swagger UI.
func (s *session) visitLinkedPages(look func(*session, string)) {
	s.t.Helper()
	const links = `() => [...document.querySelectorAll("a[href^='/']")]
		.filter((a) => !a.matches("[download], [href$='/pdf'], [href$='/ubl'], [href$='/file'], [href$='.json'], [href$='/console']"))
		.map((link) => link.getAttribute("href"))`
	var kinds []string
	todo := []string{"/"}
	todo = append(invoiceStarts(), todo...)
	for ; len(todo) > 0; todo = todo[1:] {
		kind := kindOfPage(todo[0])
		if slices.Contains(kinds, kind) {
			continue
		}
		kinds = append(kinds, kind)
		s.open(todo[0])
		look(s, kind)
		found, err := s.page.Evaluate(links)
		s.check(err, "read the links")
		for _, link := range found.([]any) {
			todo = append(todo, link.(string))
		}
	}
	for _, kind := range slices.Concat(
		[]string{"/customers/{id}", "/customers/{id}/edit", "/customers/new", "/problems/{slug}"},
		[]string{"/duplicates", "/merges", "/distinctions"},
		invoiceKinds(),
		labKinds(),
	) {
		assert.Thatf(s.t, slices.Contains(kinds, kind), "no link leads to %s, but to %q", kind, kinds)
	}
}

// kindOfPage returns an address without the parts that differ between pages of the same kind.
func kindOfPage(address string) string {
	for pattern, name := range map[string]string{
		`[0-9a-f]{8}-[0-9a-f-]{27}`: "{id}", `^/problems/.+`: "/problems/{slug}", `#.*`: "",
		`^/lab/[a-z-]+$`: "/lab/{experiment}",
	} {
		address = regexp.MustCompile(pattern).ReplaceAllString(address, name)
	}
	if path, _, filtered := strings.Cut(address, "?"); filtered && !strings.HasSuffix(path, "/new") {
		return path // a search or filter does not change the kind of a list
	}
	return address
}

// view is a way to look at a page.
type view struct {
	name  string
	width int // 0: the current width of the window
	media playwright.PageEmulateMediaOptions
	depth depth
}

// depth is the extent of the checks: only sideways scrolling, or rules of axe as well.
type depth int

const (
	sideways   depth = iota
	looks            // the rules about colours and positions; no other rule depends on theme or width
	everything       // all rules
)

var (
	inLight = playwright.PageEmulateMediaOptions{ColorScheme: playwright.ColorSchemeLight, ForcedColors: playwright.ForcedColorsNone}
	inDark  = playwright.PageEmulateMediaOptions{ColorScheme: playwright.ColorSchemeDark}
)

// allViews ends with the usual view, in which the page is left. A width of 320 px corresponds to a zoom of 400 % (WCAG 1.4.10).
// Colours are the same at all widths. TestForcedColours tests the system's forced colours.
var allViews = []view{
	{"reflow", 320, inLight, sideways},
	{"narrow dark", 390, inDark, looks},
	{"wide light", 1280, inLight, everything},
}

// isAccessibleNow checks a short-lived state of the page, in the usual view and zoomed.
func (s *session) isAccessibleNow(where string) {
	s.t.Helper()
	s.isAccessibleIn([]view{{"reflow", 320, inLight, sideways}, {"light", 0, inLight, everything}}, where)
}

// isAccessible checks the page in all views, and restores its width.
func (s *session) isAccessible(where string) {
	s.t.Helper()
	s.isAccessibleIn(allViews, where)
}

func (s *session) isAccessibleIn(views []view, where string) {
	s.t.Helper()
	if slices.ContainsFunc(views, func(v view) bool { return v.depth > sideways }) {
		axe, err := os.ReadFile("node_modules/axe-core/axe.min.js")
		s.check(err, "read axe (run e2e/setup)")
		// The debugger injects it, because the content security policy does not apply there.
		_, err = s.page.Evaluate(string(axe))
		s.check(err, "bring axe into the page")
	}
	before := s.page.ViewportSize()
	for _, view := range views {
		s.check(s.page.EmulateMedia(view.media), "choose a theme")
		if view.width > 0 {
			s.check(s.page.SetViewportSize(view.width, before.Height), "make the window "+view.name)
		}
		s.takePicture(where + " " + view.name)
		s.seesProblems(where+", "+view.name, script("outside_the_page"), nil)
		if view.width == 390 {
			s.seesProblems(where+", "+view.name, script("text_on_text"), nil)
		}
		if view.depth > sideways {
			if view.width > 0 { // a short-lived state may cover a button
				s.seesProblems(where+", "+view.name, script("covered"), nil)
			}
			rules := map[depth][]string{
				looks: {"color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"}, everything: {},
			}
			s.seesProblems(where+", "+view.name, script("serious_problems"), rules[view.depth])
		}
	}
	s.check(s.page.SetViewportSize(before.Width, before.Height), "make the window as it was")
}

func (s *session) seesProblems(where, script string, about any) {
	s.t.Helper()
	found, err := s.page.Evaluate(script, about)
	s.check(err, "look into the page")
	for _, problem := range found.([]any) {
		s.t.Errorf("%s: %s", where, problem)
	}
}
