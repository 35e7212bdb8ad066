package lab

import "context"

func twoEdits() script {
	const counts = "SELECT to_char(at, 'HH24:MI:SS.MS') AS at, changes\nFROM intents WHERE operation = 'customer.edit' ORDER BY intents.at"
	s := script{
		Experiment: Experiment{
			Slug: "two-edits", Title: "Change one customer twice",
			Story: "Ada and Ben open the same customer. Ada corrects the address and saves. Ben still sees the old address; " +
				"he corrects the name and saves the whole form.",
			Question: "How many of the two changes will be accepted?", Guesses: []int{0, 1, 2},
			Layers: []Layer{{version, "the version that was seen", "A change is accepted whichever version of the customer it was made " +
				"from, so Ben's old address overwrites Ada's new one."}},
		},
		noun: "accepted change", counts: counts,
		marks: `
			SELECT (1 + row_number() OVER (ORDER BY at))::text FROM intents WHERE operation = 'customer.edit' ORDER BY at`,
		play: func(ctx context.Context, s *stage) error {
			s.record = customerID
			s.send(ctx, 0)
			s.send(ctx, 1)
			return nil
		},
	}
	for n, change := range []struct{ who, body string }{
		{"Ada", `{"email": "ada@example.com", "name": "Ada Lovelace", "address": "7 New Street", "country": "GB"}`},
		{"Ben", `{"email": "ada@example.com", "name": "Ada King", "address": "12 Old Street", "country": "GB"}`},
	} {
		s.lanes = append(s.lanes, lane{
			who: change.who, intent: n, method: "PUT", path: "/api/v1/customers/{id}", body: change.body, seen: `"v1"`,
		})
	}
	return s
}
