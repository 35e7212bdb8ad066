package e2e

import (
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"onlyonce/internal/assert"
)

const needsTheLab = "only a demo on one's own machine has a lab"

// A visitor makes their network slow: every click is delayed, the second one too, and there is one invoice.
func TestYourselfOnASlowNetwork(t *testing.T) {
	onlyHere(t, needsTheLab)
	t.Parallel()
	s := loggedIn(t)
	s.open("/lab/yourself")
	s.click(buttonSlowOn)
	s.newInvoice()
	s.isOnStrip(saysSlow)
	s.fillInvoice(s.number(1))
	s.pointAt(buttonCreateInvoice)
	before := time.Now()
	s.tap(2)
	s.seesInvoice(s.number(1), " created")
	took := time.Since(before)
	assert.Thatf(t, took >= 3*time.Second, "the slow network took %s", took)
	s.hasOneNew(s.number(1))

	s.open("/lab/yourself")
	s.click(buttonSlowOff)
	s.newInvoice()
	s.seesNoStrip()
}

// The strip above a refused form links to that form, and the switch is still on, because a refusal is answered.
func TestYourselfWithAFormThatComesBack(t *testing.T) {
	onlyHere(t, needsTheLab)
	t.Parallel()
	s := loggedIn(t)
	s.open("/lab/yourself")
	s.click(buttonCutOn)
	s.newInvoice()
	form := s.page.URL()
	s.fillInvoice(s.number(1))
	s.fill(fieldCustomerName, "")
	s.create()
	s.sees(saysProblem)
	s.isOnStrip(saysCut)
	href, err := s.link(linkThisFormInASecondTab).GetAttribute("href")
	s.check(err, "read where the second tab goes")
	assert.Thatf(t, s.origin+href == form, "the second tab is at %s, want %s", href, form)
	s.hasNew(0)
}

// The lab's own pages, and its parts of other pages, are accessible.
func TestYourselfIsAccessible(t *testing.T) {
	onlyHere(t, needsTheLab)
	t.Parallel()
	s := start(t)
	s.open("/login?next=/lab")
	s.isAccessible("login to the lab")
	s.login()
	s.open("/lab/yourself")
	s.click(buttonSlowOn)
	s.isAccessible("do it yourself")
	s.newInvoice()
	s.isAccessible("a form on a slow network")
	s.open("/lab/tour/4")
	s.isAccessible("the last step of the tour")
	s.open("/lab/tour/3")
	s.isAccessible("a step of the tour")
	s.click(buttonOpenTheForm)
	s.isAccessible("a form in the tour")
}

// strip returns the lab's notice above the contents of a page.
func (s *session) strip() playwright.Locator { return s.page.Locator(".lab-strip") }

func (s *session) isOnStrip(text string) {
	s.t.Helper()
	s.check(expect.Locator(s.strip()).ToContainText(text), "see above the page: "+text)
}

func (s *session) seesNoStrip() {
	s.t.Helper()
	s.check(expect.Locator(s.strip()).ToHaveCount(0), "see nothing of the lab above the page")
}
