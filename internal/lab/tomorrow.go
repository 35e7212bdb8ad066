package lab

import "context"

func tomorrow() script {
	return ofInvoices(script{
		Experiment: Experiment{
			Slug: "tomorrow", Title: "Send it again tomorrow",
			Story: "A program creates an invoice and is switched off before it can note that. A day later it runs again and sends " +
				"the same request. The server keeps answers for only a day; here a day lasts a fifth of a second.",
			Question: "How many invoices will there be?", Guesses: []int{0, 1, 2},
			Layers: []Layer{{keyForLife, "the key, for life", "When the stored answer is erased, the server forgets the key as well."}},
		},
		env:   []string{"IDEMPOTENCY_RETAIN=200ms", "EXPIRE_EVERY=50ms"},
		lanes: []lane{invoiceLane("Today"), invoiceLane("Tomorrow")},
		play: func(ctx context.Context, s *stage) error {
			s.send(ctx, 0)
			if err := s.count(ctx, 0, `SELECT count(*) FROM intents WHERE result IS NOT NULL`); err != nil {
				return err
			}
			s.event("The day is over, and the server erased the stored answer.")
			s.send(ctx, 1)
			return nil
		},
	})
}
