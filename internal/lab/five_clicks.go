package lab

import "fmt"

func fiveClicks() script {
	s := script{Experiment: Experiment{
		Slug: "five-clicks", Title: "Click five times",
		Story: "You fill in one invoice and press “Create invoice” five times, because nothing seems to happen. " +
			"All five clicks come from one form.",
		Question: "How many invoices will there be?", Guesses: []int{0, 1, 5},
		Layers: []Layer{formLockLayer, intentLayer},
	}}
	for n := range 5 {
		s.lanes = append(s.lanes, invoiceLane(fmt.Sprintf("Click %d", n+1)))
	}
	s.play = atOnce
	return ofInvoices(s)
}
