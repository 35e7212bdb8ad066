package lab

import (
	"context"

	"onlyonce/internal/proof/proxy"
)

func lostAnswer() script {
	return ofInvoices(script{
		Experiment: Experiment{
			Slug: "lost-answer", Title: "Lose the answer",
			Story: "A program creates an invoice. The server saves it, and then the connection breaks, so that the answer never " +
				"arrives. The program cannot know whether it worked, and tries again.",
			Question: "How many invoices will there be?", Guesses: []int{0, 1, 2},
			Layers: []Layer{oneKeyLayer, intentLayer},
		},
		lanes: []lane{invoiceLane("Try 1"), invoiceLane("Try 2")},
		play: func(ctx context.Context, s *stage) error {
			s.front[0].Arm(proxy.Cut{Point: proxy.BeforeAnswer})
			s.send(ctx, 0)
			s.stays(0)
			s.event("The connection was cut after the invoice was saved, before the answer arrived.")
			s.send(ctx, 1)
			return nil
		},
	})
}
