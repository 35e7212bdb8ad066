package e2e

import (
	"os"
	"testing"
)

// Every page, in both themes and at both ends of the widths: axe finds nothing
// serious, nothing needs scrolling sideways, and the console stays silent.
func TestAccessibility(t *testing.T) {
	t.Parallel()
	for name, circumstances := range map[string][]option{
		"light, wide":   {},
		"light, narrow": {onPhone},
		"dark, wide":    {inTheDark},
		"dark, narrow":  {inTheDark, onPhone},
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
	visit := func(path string) {
		s.t.Helper()
		s.open(path)
		look(s, path)
	}
	visit("/login")
	s.login()
	for _, path := range []string{
		"/invoices", "/invoices/new", "/customers", "/customers/new",
		"/docs/api", "/problems", "/problems/number-taken", "/no-such-page",
	} {
		visit(path)
	}

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

	visit(form) // spent
	s.newInvoice()
	s.fillInvoice("2026-7001")
	s.fill("Description", "Something else")
	s.create()
	s.sees(keptOriginal)
	look(s, "a form whose number is taken")

	s.open("/customers")
	s.follow("Ada Byron")
	s.seesHeading("Ada Byron")
	look(s, "a customer")
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
