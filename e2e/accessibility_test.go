package e2e

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

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
	s.visitInvoiceForms(look)
	s.visitCustomerForms(look)
	s.visitInvoiceStates(look)
	s.visitMails(look)
	s.visitPeople(look)
	s.visitPaymentForms(look)
}

// visitMails looks at the form that sends an invoice, the list and one mail.
func (s *session) visitMails(look func(*session, string)) {
	s.t.Helper()
	invoice := s.issuedByAPI(s.number(220))
	s.open(invoice + "/send/new")
	look(s, "a form that sends an invoice")
	s.fill(fieldTo, "nobody")
	s.click(buttonSendEMail)
	s.sees(saysProblem)
	look(s, "a form that sends an invoice to nobody")
	s.until("no mail waits", func() bool { return s.count(`SELECT count(*) FROM mails WHERE state = 'queued'`) == 0 })
	s.open("/outbox")
	look(s, "the outbox")
	s.follow(s.number(220) + " to " + s.email("ada"))
	look(s, "a mail")
	s.open(invoice)
	look(s, "an invoice that was sent")
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

func (s *session) visitInvoiceForms(look func(*session, string)) {
	s.t.Helper()
	s.newInvoice()
	s.create()
	s.sees(saysProblem)
	look(s, "a form with errors")

	s.newInvoice()
	form := s.page.URL()
	s.fillInvoice(s.number(1))
	s.create()
	s.seesInvoice(s.number(1), created(s.number(1)))
	look(s, "an invoice, just created")

	s.open(form)
	look(s, "a form that was used")
	s.newInvoice()
	s.fillInvoice(s.number(1))
	s.fill(fieldDescription, "Something else")
	s.create()
	s.sees(keptOriginal)
	look(s, "a form whose number is taken")
}

// visitInvoiceStates looks at an invoice in each state, and at what may become of an edit.
func (s *session) visitInvoiceStates(look func(*session, string)) {
	s.t.Helper()
	overdue := s.draftByAPI(s.number(205), time.Now().AddDate(0, 0, -2))
	s.post(overdue+"/issue", "issue", struct{}{})
	part, paid, void := s.issuedByAPI(s.number(202)), s.issuedByAPI(s.number(203)), s.issuedByAPI(s.number(204))
	s.payByAPI(part, "23.00", "R-1")
	s.payByAPI(paid, "123.00", "")
	s.post(void+"/void", "void", struct{}{})
	for word, path := range map[string]string{
		"Draft": s.draftByAPI(s.number(200), nextYear()), "Issued": s.issuedByAPI(s.number(201)), "Partially paid": part,
		"Paid": paid, "Void": void, "Overdue": overdue,
	} {
		s.open(path)
		s.check(expect.Locator(s.page.Locator("h1 .badge")).ToHaveText(word), "read the state")
		look(s, "an invoice, "+word)
	}
	s.open("/invoices")
	look(s, "invoices in all states")
	s.open("/invoices?q=nothing&status=overdue")
	look(s, "a search that finds nothing")

	draft := s.draftByAPI(s.number(206), nextYear())
	s.open(draft)
	s.editInvoice()
	form := s.page.URL()
	other := s.tab(draft + "/edit")
	s.fill(fieldUnitPrice, "fifty")
	s.click(buttonSaveChanges)
	s.sees(saysProblem)
	look(s, "an edit of a draft, with errors")
	s.fill(fieldUnitPrice, "60.00")
	s.click(buttonSaveChanges)
	s.sees("Total changed from 123.00 EUR to 147.60 EUR")
	look(s, "a draft, just changed")
	s.open(form)
	look(s, "an edit of a draft that was used")
	other.fill(fieldNotes, "Thank you.")
	other.click(buttonSaveChanges)
	other.sees(s.number(206) + " was changed while you were editing.")
	look(other, "an edit of a draft that came too late")
	s.post(draft+"/issue", "issue too", struct{}{})
	other.click(buttonSaveChanges)
	other.sees(wasIssued)
	look(other, "an edit of what was issued meanwhile")
	s.open(draft + "/edit")
	look(s, "an edit of what was issued")
}

// visitPaymentForms looks at what a payment may be told.
func (s *session) visitPaymentForms(look func(*session, string)) {
	s.t.Helper()
	s.payByAPI(s.issuedByAPI(s.number(210)), "23.00", "R-2")
	invoice := s.issuedByAPI(s.number(211))
	s.open(invoice)
	s.pay()
	form := s.page.URL()
	look(s, "a payment")
	refused := func(field, text, told string) {
		s.t.Helper()
		s.fill(field, text)
		s.click(buttonRecordPayment)
		s.sees(told)
		look(s, "a payment, "+told)
	}
	refused(fieldAmountInEUR, "all of it", "There is a problem")
	refused(fieldAmountInEUR, "1000", "The open amount is 123.00 EUR.")
	s.fill(fieldBankOrProvider, "bank")
	s.fill(fieldAmountInEUR, "23")
	refused(fieldReference, "R-2", "The payment R-2 of bank is recorded already.")
	s.payByAPI(invoice, "50.00", "R-3")
	refused(fieldReference, "R-4", openHasChanged)
	s.click(buttonRecordPayment)
	s.sees("73.00 of 123.00 paid.")
	look(s, "an invoice, just paid")
	s.open(form)
	look(s, "a payment form that was used")
	s.payByAPI(invoice, "50.00", "")
	s.open(invoice + "/payments/new")
	s.seesHeading(headingNothingIsOpen)
	look(s, "nothing to pay")
	s.visitCredits(look)

	unpaid := s.issuedByAPI(s.number(212))
	s.open(unpaid)
	other := s.tab(unpaid)
	other.pay()
	s.payByAPI(unpaid, "1.00", "")
	s.click(buttonVoid)
	s.seesHeading(headingCannotVoid)
	look(s, "a paid invoice that is not voided")
	s.click(buttonLogOut)
	s.loginAs("globex@onlyonce.test")
	other.click(buttonRecordPayment)
	other.seesHeading(headingOtherBusiness)
	look(other, "a payment of another business")
}

func (s *session) visitCredits(look func(*session, string)) {
	s.t.Helper()
	invoice := s.issuedByAPI(s.number(213))
	s.payByAPI(invoice, "50.00", "R-5")
	s.open(invoice)
	s.follow(linkRefund("50.00"))
	look(s, "a refund")
	s.fill(fieldAmountInEUR, "60")
	s.click(buttonRecordRefund)
	s.sees("Of this payment 50.00 EUR is left.")
	look(s, "a refund of too much")
	s.fill(fieldAmountInEUR, "20")
	s.click(buttonRecordRefund)
	s.sees("30.00 of 123.00 paid.")
	s.follow(linkCredit)
	look(s, "a credit note form")
	s.click(buttonCreateCreditNote)
	s.sees("The open amount is 93.00 EUR.")
	look(s, "a credit note of more than is open")
	s.fill(fieldQuantity, "3")
	s.click(buttonCreateCreditNote)
	s.sees("Of line 1 the quantity 2 is left.")
	look(s, "a credit note of more than a line")
	s.fill(fieldQuantity, "1")
	s.click(buttonCreateCreditNote)
	s.seesHeading(headingCreditNote)
	look(s, "a credit note")
	s.open(invoice)
	look(s, "an invoice with payments and credits")
}

func (s *session) visitCustomerForms(look func(*session, string)) {
	s.t.Helper()
	s.open("/customers?archived=1")
	look(s, "no archived customers")
	s.open("/customers")
	s.follow(s.named("Ada Byron"))
	ada := s.page.URL()
	s.edit()
	form := s.page.URL()
	other := s.tab(ada)
	other.edit()
	s.fill(fieldName, "")
	s.click(buttonSaveChanges)
	s.sees(saysProblem)
	look(s, "an edit with errors")
	s.fill(fieldName, s.named("Ada King"))
	s.click(buttonSaveChanges)
	s.sees(saved(s.named("Ada King")))
	look(s, "a customer, just changed")
	s.open(form)
	look(s, "an edit that was used")
	other.click(buttonSaveChanges)
	other.sees(saysChangedMeanwhile)
	look(other, "an edit that came too late")
	s.open(ada)
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
	for _, kind := range []string{"/invoices/{id}", "/invoices/{id}/edit", "/invoices/new", "/customers/{id}/edit", "/problems/{slug}"} {
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
