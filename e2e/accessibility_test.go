package e2e

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// Every page, at both ends of the widths and in all themes: axe finds nothing
// serious, nothing needs scrolling sideways, and the console stays silent.
func TestAccessibility(t *testing.T) {
	onlyHere(t, "it changes the settings and the people of the business")
	t.Parallel()
	for name, width := range widths {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, width)
			s.visitEveryPage((*session).isAccessible)
		})
	}
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
	// begin invoices
	s.visitInvoiceForms(look)
	// end invoices
	s.visitCustomerForms(look)
	// begin invoices
	s.visitInvoiceStates(look)
	s.visitMails(look)
	// end invoices
	s.visitPeople(look)
	// begin invoices
	s.visitPaymentForms(look)
	// end invoices
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
	s.open("/customers?archived=1")
	look(s, "archived customers")
}

// visitLinkedPages follows all links from the start, so that a new page is looked at without being listed here:
// one page of each kind. A file is no page.
func (s *session) visitLinkedPages(look func(*session, string)) {
	s.t.Helper()
	const links = `() => [...document.querySelectorAll("a[href^='/']:not([href$='/pdf'], [href$='.json'])")]
		.map((link) => link.getAttribute("href"))`
	var kinds []string
	for todo := []string{"/"}; len(todo) > 0; todo = todo[1:] {
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
	for _, kind := range []string{
		"/customers/{id}", "/customers/{id}/edit", "/customers/new", "/problems/{slug}",
		// begin invoices
		"/invoices/{id}", "/invoices/{id}/edit", "/invoices/new",
		// end invoices
	} {
		if !slices.Contains(kinds, kind) {
			s.t.Errorf("no link leads to %s, but to %q", kind, kinds)
		}
	}
}

// kindOfPage is an address without what tells pages of one kind apart.
func kindOfPage(address string) string {
	for pattern, name := range map[string]string{
		`[0-9a-f]{8}-[0-9a-f-]{27}`: "{id}", `^/problems/.+`: "/problems/{slug}", `#.*`: "",
	} {
		address = regexp.MustCompile(pattern).ReplaceAllString(address, name)
	}
	if path, _, filtered := strings.Cut(address, "?"); filtered && !strings.HasSuffix(path, "/new") {
		return path // a list is of one kind, whatever is looked for in it
	}
	return address
}

// seriousProblems runs axe in the page: all of its rules, or some.
const seriousProblems = `async (rules) => {
	const result = await axe.run(document, { resultTypes: ["violations"], ...(rules.length && { runOnly: rules }) });
	return result.violations
		.filter(({ impact }) => impact === "serious" || impact === "critical")
		.map(({ help, nodes }) => help + ": " + nodes.map((node) => node.html).join(" "));
}`

// outsideThePage lists what makes the page wider than the window.
const outsideThePage = `() => {
	const width = window.innerWidth;
	if (document.documentElement.scrollWidth <= width) return [];
	const beyond = [...document.querySelectorAll("main *")].filter((element) => element.getBoundingClientRect().right > width);
	return beyond.map((element) => element.outerHTML.slice(0, 200)).concat(document.documentElement.scrollWidth + " px");
}`

type theme struct {
	name  string
	media playwright.PageEmulateMediaOptions
	rules []string // of axe; empty for all
}

// light is the usual theme. Rules that are not about colours find the same in each.
var (
	light = theme{name: "light", media: playwright.PageEmulateMediaOptions{
		ColorScheme: playwright.ColorSchemeLight, ForcedColors: playwright.ForcedColorsNone,
	}}
	dark = theme{"dark", playwright.PageEmulateMediaOptions{ColorScheme: playwright.ColorSchemeDark}, colours}
)

// themes are those that a page is looked at in, the usual one last, so that the page is left in it.
var themes = []theme{
	dark,
	{"forced", playwright.PageEmulateMediaOptions{ForcedColors: playwright.ForcedColorsActive}, colours},
	light,
}

// colours are the rules of axe about them.
var colours = []string{"color-contrast", "link-in-text-block"}

func (s *session) isAccessible(where string) {
	s.t.Helper()
	s.isAccessibleIn(themes, where)
}

func (s *session) isAccessibleIn(themes []theme, where string) {
	s.t.Helper()
	axe, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	s.check(err, "read axe (run e2e/setup)")
	// It comes in by the debugger, which the content security policy does not bind.
	_, err = s.page.Evaluate(string(axe))
	s.check(err, "bring axe into the page")
	for _, theme := range themes {
		s.check(s.page.EmulateMedia(theme.media), "choose a theme")
		s.takePicture(where + " " + theme.name)
		found, err := s.page.Evaluate(seriousProblems, theme.rules)
		s.check(err, "run axe")
		for _, problem := range found.([]any) {
			s.t.Errorf("%s, %s: %s", where, theme.name, problem)
		}
		outside, err := s.page.Evaluate(outsideThePage)
		s.check(err, "measure the page")
		for _, element := range outside.([]any) {
			s.t.Errorf("%s, %s: has to be scrolled to sideways: %s", where, theme.name, element)
		}
	}
}
