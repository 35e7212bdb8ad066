package lab

import "strings"

func sameNumber() script {
	s := ofInvoices(script{
		Experiment: Experiment{
			Slug: "same-number", Title: "Give two invoices one number",
			Story: "Two colleagues enter the same paper invoice at the same moment, each in a form of their own, and both type its " +
				"number 2026-0042. To the server, these are two different requests.",
			Question: "How many invoices will have the number 2026-0042?", Guesses: []int{0, 1, 2},
			Layers: []Layer{{
				uniqueNumber, "the unique number", "The rule in the database that each number exists once a year is dropped.",
			}},
		},
		lanes: []lane{invoiceLane("Ada"), invoiceLane("Ben")},
		play:  atOnce,
	})
	for n := range s.lanes {
		s.lanes[n].intent = n
		s.lanes[n].body = strings.Replace(anInvoice, "{", `{"number": "2026-0042",`, 1)
	}
	return s
}
