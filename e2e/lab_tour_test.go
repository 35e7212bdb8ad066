package e2e

import (
	"fmt"
	"regexp"
	"testing"

	"onlyonce/internal/assert"
)

// A new visitor takes the tour: one click on the login page, and one button for each step.
func TestTour(t *testing.T) {
	onlyHere(t, needsTheLab)
	withFocus(t)
	for name, javaScript := range withAndWithoutJavaScript {
		t.Run(name, func(t *testing.T) {
			withFocus(t)
			s := start(t, javaScript)
			s.open("/login")
			s.click(buttonTakeTheTour)
			s.seesHeading(headingFiveTimes)
			s.press("Enter") // the button has the focus
			s.isOnStrip(saysPressFiveTimes)
			s.pointAt(buttonCreateInvoice)
			s.tap(5)
			s.check(expect.Page(s.page).ToHaveURL(regexp.MustCompile("/invoices/[0-9a-f-]{36}")), "come to the invoice")
			s.sees(" created")
			first := s.page.URL()
			s.isOnStrip(saysStep(1))
			if name == "with JavaScript" {
				s.isOnStrip(saysOneSent)
			}
			s.hasNew(1)

			s.follow(linkNextStep)
			s.click(buttonTakeAway)
			s.isOnStrip(saysStep(2))
			s.sees(saysHowManyInvoices)

			s.follow(linkNextStep)
			s.click(buttonOpenTheForm)
			s.isOnStrip(saysStep(3))
			s.create()
			s.sees(ignoredDuplicate)
			s.isOnStrip(saysStillOne)
			second := s.page.URL()
			s.hasNew(2)

			s.follow(linkNextStep)
			s.sees("claim_intent")
			s.click(buttonGoToTheLab)
			s.seesHeading(linkTryToBreakIt)
			s.seesNoStrip()
			for _, made := range []string{first, second} {
				s.open(made)
				s.check(expect.Locator(s.page.Locator("h1 .badge")).ToHaveText("Void"), "see that the draft of the tour is void")
			}
		})
	}
}

// The cards of the lab fill their rows.
func TestLabHasNoOrphan(t *testing.T) {
	onlyHere(t, needsTheLab)
	t.Parallel()
	s := loggedIn(t)
	for _, width := range []int{390, 768, 1280} {
		s.check(s.page.SetViewportSize(width, 900), "set the width")
		s.open("/lab")
		s.check(expect.Locator(s.page.Locator(".lab-card.featured")).ToHaveCount(1), "see one featured experiment")
		gap, err := s.page.Evaluate(`() => {
			const list = document.querySelector(".lab-cards"), cards = [...list.children].map(card => card.getBoundingClientRect());
			const ends = cards.filter(a => !cards.some(b => b.left >= a.right && b.top < a.bottom && a.top < b.bottom));
			return Math.round(list.getBoundingClientRect().right - Math.min(...ends.map(card => card.right)));
		}`)
		s.check(err, "measure the last card of each row")
		assert.Thatf(t, fmt.Sprint(gap) == "0", "at %d px a row ends %v px too early", width, gap)
	}
}

// Leaving the tour to any other page ends it, and resets its switches.
func TestTourEndsAnywhere(t *testing.T) {
	onlyHere(t, needsTheLab)
	t.Parallel()
	s := loggedIn(t)
	s.open("/lab/tour/3")
	s.click(buttonOpenTheForm)
	s.click(buttonEndTheTour)
	s.seesHeading(linkTryToBreakIt)
	s.open("/lab/tour/3")
	s.click(buttonOpenTheForm)
	s.isOnStrip(saysStep(3))
	s.create()
	s.isOnStrip(saysStillOne)
	made := s.page.URL()
	s.open("/customers")
	s.seesNoStrip()
	s.open(made)
	s.check(expect.Locator(s.page.Locator("h1 .badge")).ToHaveText("Void"), "see that the draft of the tour is void")
	s.log.forget()
	s.newInvoice()
	s.seesNoStrip()
	s.fillInvoice(s.number(1))
	s.create()
	s.seesInvoice(s.number(1), created(s.number(1)))
	s.attempts("created")
}

// Texts that the scenarios of the lab look for in its pages.
const (
	buttonCutOn       = "Switch on: Lose the next answer"
	buttonEndTheTour  = "End the tour"
	buttonGoToTheLab  = "Go to the lab"
	buttonOpenTheForm = "Open the form"
	buttonSlowOff     = "Switch off: Slow network"
	buttonSlowOn      = "Switch on: Slow network"
	buttonTakeAway    = "Switch protection off"
	buttonTakeTheTour = "Take the one-minute tour"

	linkNextStep             = "Next step"
	linkThisFormInASecondTab = "Open the same form in a second tab"
	linkTryToBreakIt         = "Try to break it"

	headingFiveTimes = "Press the button five times"

	saysCut             = "the connection drops before the answer"
	saysHowManyInvoices = "How many invoices will there be with these layers off?"
	saysPressFiveTimes  = "Press Create invoice five times"
	saysSlow            = "takes 3 seconds longer"
	saysOneSent         = "You pressed 5 times: 1 was sent, 4 were stopped."
	saysStillOne        = "there is still only one invoice"
)

func saysStep(n int) string { return fmt.Sprintf("Step %d of 4.", n) }
