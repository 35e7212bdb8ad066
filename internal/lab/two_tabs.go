package lab

func twoTabs() script {
	return ofInvoices(script{
		Experiment: Experiment{
			Slug: "two-tabs", Title: "Send one form from two tabs",
			Story: "Somebody duplicates the tab with a form that is filled in, and sends the form from both tabs at the same moment. " +
				"No script in one tab can see what the other one does.",
			Question: "How many invoices will there be?", Guesses: []int{0, 1, 2},
			Layers: []Layer{intentLayer},
		},
		lanes: []lane{invoiceLane("Tab 1"), invoiceLane("Tab 2")},
		play:  atOnce,
	})
}
