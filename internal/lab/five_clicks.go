package lab

import "fmt"

func fiveClicks() script {
	s := script{Experiment: Experiment{
		Slug: "five-clicks", Title: "Click five times",
		Story: "Somebody fills in one invoice and presses “Create invoice” five times, because nothing seems to happen. " +
			"All five clicks belong to one form.",
		Question: "How many invoices will there be?", Guesses: []int{0, 1, 5},
		Layers: []Layer{formLockLayer, intentLayer},
	}}
	for n := range 5 {
		s.lanes = append(s.lanes, invoiceLane(fmt.Sprintf("Click %d", n+1)))
	}
	s.play = atOnce
	return ofInvoices(s)
}
