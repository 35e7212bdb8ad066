package lab

import "fmt"

func fifty() script {
	s := ofInvoices(script{
		Experiment: Experiment{
			Slug: "fifty", Title: "Send it fifty times at once",
			Story: "A runaway program sends the same request fifty times at the same moment, half of them to one server and half to " +
				"another one on the same database.",
			Question: "How many invoices will there be?", Guesses: []int{1, 2, 50},
			Layers: []Layer{oneKeyLayer, intentLayer},
		},
		replicas: 2,
		play:     atOnce,
	})
	for n := range attempts {
		l := invoiceLane(fmt.Sprintf("Request %d, server %d", n+1, n%2+1))
		l.replica = n % 2
		s.lanes = append(s.lanes, l)
	}
	return s
}
