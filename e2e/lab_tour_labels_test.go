package e2e

import "fmt"

// What the scenarios of the lab look for in its pages.
const (
	buttonCutOn       = "Switch on: Break the connection after the commit"
	buttonEndTheTour  = "End the tour"
	buttonGoToTheLab  = "Go to the lab"
	buttonOpenTheForm = "Open the form"
	buttonSlowOff     = "Switch off: Slow network"
	buttonSlowOn      = "Switch on: Slow network"
	buttonTakeAway    = "Take the layers away"
	buttonTakeTheTour = "Take the tour, one minute"

	linkNextStep             = "Next step"
	linkOpenTheForm          = "Open the form"
	linkThisFormInASecondTab = "Open this very form in a second tab"
	linkTryToBreakIt         = "Try to break it"

	headingFiveTimes = "Press the button five times"

	saysCut             = "the connection breaks before the answer"
	saysHowManyInvoices = "How many invoices will there be?"
	saysPressFiveTimes  = "Press Create invoice five times"
	saysSlow            = "takes 3 seconds more"
	saysStillOne        = "there is still one invoice"
)

func saysStep(n int) string { return fmt.Sprintf("Step %d of 4.", n) }
