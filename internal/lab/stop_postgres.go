package lab

import "context"

func stopPostgres() script {
	return ofInvoices(script{
		Experiment: Experiment{
			Slug: "stop-postgres", Title: "Crash the database",
			Story: "The database saves an invoice and crashes before it can say so. The server cannot find out what became of it while " +
				"the database is down. The program tries again until the database is back.",
			Question: "How many invoices will there be?", Guesses: []int{0, 1, 2, 3},
			Layers: []Layer{oneKeyLayer, intentLayer},
		},
		alone: true,
		lanes: []lane{invoiceLane("Try 1"), invoiceLane("Try 2"), invoiceLane("Try 3")},
		play: func(ctx context.Context, s *stage) error {
			sent, err := s.commitUnheard(ctx, 0)
			if err != nil {
				return err
			}
			s.back[0].Isolate()
			s.event("The database crashed after the invoice was saved, before it could say so.")
			if err := s.cluster.crash(ctx); err != nil {
				return err
			}
			s.admin.Reset()
			<-sent
			s.send(ctx, 1)
			s.back[0].Heal()
			s.event("The database recovered from its log and accepts connections again.")
			s.send(ctx, 2)
			return nil
		},
	})
}
