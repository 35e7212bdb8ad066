package lab

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/google/uuid"
)

// clickedTwice sends the first two attempts at the same time, and then the third, about the record that the steps create.
func clickedTwice(lock string, steps ...lane) func(context.Context, *stage) error {
	return func(ctx context.Context, s *stage) error {
		if err := s.prepare(ctx, steps...); err != nil {
			return err
		}
		if err := s.together(ctx, []int{0, 1}, lock); err != nil {
			return err
		}
		s.send(ctx, 2)
		return nil
	}
}

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
		noun: "payment", amount: invoiceAmount, counts: counts, marks: `SELECT id::text FROM payments ORDER BY id`,
		lanes: []lane{pay("Click 1", 0), pay("Click 2", 0), pay("Second tab", 1)},
		play:  clickedTwice(lockInvoice, issuedInvoice()...),
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

func upload() script {
	const counts = "SELECT file_name, left(encode(file_digest, 'hex'), 8) AS digest, to_char(created_at, 'HH24:MI:SS.MS') AS created_at\n" +
		"FROM attachments ORDER BY id"
	attach := func(who string, intent, replica int) lane {
		return lane{
			who: who, intent: intent, replica: replica, method: http.MethodPost, path: invoicesPath + "/{id}/attachments",
			body: `{"file": {"name": "order.txt", "content": "VHdvIHBvc3RlcnMK"}}`,
		}
	}
	return script{
		replicas: 2, noun: "attachment", counts: counts, marks: `SELECT id::text FROM attachments ORDER BY id`,
		lanes: []lane{attach("Click 1", 0, 0), attach("Click 2, another server", 0, 1), attach("Second tab", 1, 0)},
		play:  clickedTwice(`LOCK TABLE attachments IN SHARE MODE`, invoiceLane("")),
	}
}

func signUp() script {
	const counts = "SELECT email, to_char(created_at, 'HH24:MI:SS.MS') AS created_at\nFROM sign_ups ORDER BY id"
	ask := func(who string, intent, replica int) lane {
		return lane{
			who: who, intent: intent, replica: replica, method: http.MethodPost, path: "/sign-ups",
			form: url.Values{"email": {"ada@example.com"}},
		}
	}
	return script{
		replicas: 2, noun: "sign-up", counts: counts, marks: `SELECT id::text FROM sign_ups ORDER BY id`,
		env: []string{ // no mail server has this port
			"SIGN_UP=1", "SMTP_URL=smtp://127.0.0.1:1", "MAIL_FROM=app@example.com", "SECRET_KEY=" + random(),
		},
		lanes: []lane{ask("Click 1", 0, 0), ask("Click 2, another server", 0, 1), ask("Second tab", 1, 0)},
		play:  clickedTwice(`LOCK TABLE sign_ups IN SHARE MODE`),
	}
}
