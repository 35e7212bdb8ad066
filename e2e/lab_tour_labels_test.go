package e2e

import "fmt"

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
