package lab

import (
	"context"
	"fmt"
	"net/http"

	"github.com/google/uuid"
)

func payTwice() script {
	const counts = "SELECT (amount / 100.0)::numeric(12, 2) AS eur, method, to_char(created_at, 'HH24:MI:SS.MS') AS created_at\n" +
		"FROM payments ORDER BY id"
	pay := func(who string, intent int) lane {
		return lane{
			who: who, intent: intent, method: http.MethodPost, path: invoicesPath + "/{id}/payments",
			body: `{"amount": "123.00", "date": "2026-11-22", "method": "bank_transfer"}`,
		}
	}
	return script{
		Experiment: Experiment{
			Slug: "pay-twice", Title: "Pay three times",
			Story: "An invoice of €123.00 is to be paid. Somebody presses “Record payment” twice, and then does it once more in a " +
				"second tab that was opened before: each time the full amount.",
			Question: "How many payments will there be?", Guesses: []int{0, 1, 2, 3},
			Layers: []Layer{intentLayer, {openAmount, "the open amount", "The database does not compare a payment with what is " +
				"still open of its invoice."}},
		},
		noun: "payment", amount: invoiceAmount, counts: counts, marks: `SELECT id::text FROM payments ORDER BY id`,
		lanes: []lane{pay("Click 1", 0), pay("Click 2", 0), pay("Second tab", 1)},
		play: func(ctx context.Context, s *stage) error {
			if err := s.prepare(ctx, issuedInvoice()...); err != nil {
				return err
			}
			if err := s.together(ctx, []int{0, 1}, lockInvoice); err != nil {
				return err
			}
			s.send(ctx, 2)
			return nil
		},
	}
}

// issuedInvoice creates and issues the invoice to be paid.
func issuedInvoice() []lane {
	return []lane{invoiceLane(""), {method: http.MethodPost, path: invoicesPath + "/{id}/issue", body: "{}"}}
}

// prepare creates the record that the attempts refer to.
func (s *stage) prepare(ctx context.Context, steps ...lane) error {
	for _, step := range steps {
		step.path = s.path(step)
		a := ask(ctx, s.client, s.front[0].Addr(), s.cluster.tokens[0], uuid.NewString(), step)
		if a.id == "" {
			return fmt.Errorf("prepare: %s: %d %s", step.path, a.status, a.says)
		}
		s.record = a.id
	}
	return nil
}
