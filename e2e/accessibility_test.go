package e2e

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// Every page, in both themes and at both ends of the widths: axe finds nothing
// serious, nothing needs scrolling sideways, and the console stays silent.
func TestAccessibility(t *testing.T) {
	t.Parallel()
	for name, circumstances := range map[string][]option{
		"light, wide":    {},
		"light, narrow":  {onPhone},
		"dark, wide":     {inTheDark},
		"dark, narrow":   {inTheDark, onPhone},
		"forced, narrow": {inForcedColors, onPhone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, circumstances...)
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
	s.visitInvoiceForms(look)
	s.visitCustomerForms(look)
}

func (s *session) visitInvoiceForms(look func(*session, string)) {
	s.t.Helper()
	s.newInvoice()
	s.create()
	s.sees("There is a problem")
	look(s, "a form with errors")

	s.newInvoice()
	form := s.page.URL()
	s.fillInvoice("2026-7001")
	s.create()
	s.seesInvoice("2026-7001", created("2026-7001"))
	look(s, "an invoice, just created")

	s.open(form)
	look(s, "a form that was used")
	s.newInvoice()
	s.fillInvoice("2026-7001")
	s.fill("Description", "Something else")
	s.create()
	s.sees(keptOriginal)
	look(s, "a form whose number is taken")
}

func (s *session) visitCustomerForms(look func(*session, string)) {
	s.t.Helper()
	s.open("/customers?archived=1")
	look(s, "no archived customers")
	s.open("/customers")
	s.follow("Ada Byron")
	ada := s.page.URL()
	s.edit()
	form := s.page.URL()
	other := s.tab(ada)
	other.edit()
	s.fill("Name", "")
	s.click("Save changes")
	s.sees("There is a problem")
	look(s, "an edit with errors")
	s.fill("Name", "Ada King")
	s.click("Save changes")
	s.sees("Changes to Ada King saved.")
	look(s, "a customer, just changed")
	s.open(form)
	look(s, "an edit that was used")
	other.click("Save changes")
	other.sees("was changed while you were editing")
	look(other, "an edit that came too late")
	s.open(ada)
	s.click("Archive")
	s.sees("Archived on ")
	look(s, "a customer, just archived")
	s.open("/customers?archived=1")
	look(s, "archived customers")
}

// visitLinkedPages follows all links from the start, so that a new page is looked at without being listed here:
// one page of each kind.
func (s *session) visitLinkedPages(look func(*session, string)) {
	s.t.Helper()
	const links = `() => [...document.querySelectorAll("a[href^='/']")].map((link) => link.getAttribute("href"))`
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
	for _, kind := range []string{"/invoices/{id}", "/invoices/new", "/customers/{id}/edit", "/problems/{slug}"} {
		if !slices.Contains(kinds, kind) {
			s.t.Errorf("no link leads to %s, but to %q", kind, kinds)
		}
	}
}

// kindOfPage is an address without what tells pages of one kind apart.
func kindOfPage(address string) string {
	for pattern, name := range map[string]string{
		`[0-9a-f]{8}-[0-9a-f-]{27}`: "{id}", `^/problems/.+`: "/problems/{slug}", `\?(archived|cursor)=.*`: "", `#.*`: "",
	} {
		address = regexp.MustCompile(pattern).ReplaceAllString(address, name)
	}
	return address
}

// seriousProblems runs axe in the page. It comes in by the debugger, which the
// content security policy does not bind.
const seriousProblems = `async () => {
	const result = await axe.run(document, { resultTypes: ["violations"] });
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

func (s *session) isAccessible(where string) {
	s.t.Helper()
	s.takePicture(where)
	axe, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	s.check(err, "read axe (run e2e/setup)")
	_, err = s.page.Evaluate(string(axe))
	s.check(err, "bring axe into the page")
	found, err := s.page.Evaluate(seriousProblems)
	s.check(err, "run axe")
	for _, problem := range found.([]any) {
		s.t.Errorf("%s: %s", where, problem)
	}
	outside, err := s.page.Evaluate(outsideThePage)
	s.check(err, "measure the page")
	for _, element := range outside.([]any) {
		s.t.Errorf("%s: has to be scrolled to sideways: %s", where, element)
	}
}
