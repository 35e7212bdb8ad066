package lab

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice/webhook"
	"onlyonce/internal/proof/proxy"
	"onlyonce/internal/value/secretkey"
)

func oneEvent() script {
	const counts = "SELECT (amount / 100.0)::numeric(12, 2) AS eur, reference, to_char(created_at, 'HH24:MI:SS.MS') AS created_at\n" +
		"FROM payments ORDER BY id"
	key, secret := random(), "whsec_"+random()
	s := script{
		noun: "payment", amount: 41_00, counts: counts,
		marks: `
			SELECT e.id::text FROM payments p JOIN webhook_events e ON e.payment_id = p.id
			WHERE e.reason = '' ORDER BY p.id`,
		replicas: 2, env: []string{"SECRET_KEY=" + key},
		play: func(ctx context.Context, s *stage) error {
			if err := s.prepare(ctx, issuedInvoice()...); err != nil {
				return err
			}
			if err := s.addSource(ctx, key, secret); err != nil {
				return err
			}
			lock, err := s.lock(ctx, lockInvoice)
			if err != nil {
				return err
			}
			defer lock.Rollback(context.WithoutCancel(ctx))
			s.front[0].Arm(proxy.Cut{Point: proxy.BeforeAnswer})
			if err := s.oneByOne(ctx, lock, 0, 0, 1); err != nil {
				return err
			}
			s.stays(0)
			s.event("The answer of server 1 was lost after it had recorded the payment.")
			s.send(ctx, 2)
			return s.noteRecordedBefore(ctx)
		},
	}
	for n, replica := range []int{0, 1, 0} {
		s.lanes = append(s.lanes, lane{
			who: fmt.Sprintf("Delivery %d, server %d", n+1, replica+1), replica: replica, method: http.MethodPost, path: "/hooks/{id}",
			body: `{"type": "payment.received", "timestamp": "2026-11-22T10:00:00Z",
				"data": {"invoice": "2026-0001", "payment": "pay_1", "amount": "41.00", "currency": "EUR"}}`,
			sign: func(header http.Header, id, body string) error {
				signer, err := standardwebhooks.NewWebhook(secret)
				if err != nil {
					return fmt.Errorf("read the secret: %w", err)
				}
				at := time.Now()
				signature, err := signer.Sign(id, at, []byte(body))
				if err != nil {
					return fmt.Errorf("sign the event: %w", err)
				}
				header.Set(standardwebhooks.HeaderWebhookID, id)
				header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(at.Unix(), 10))
				header.Set(standardwebhooks.HeaderWebhookSignature, signature)
				return nil
			},
		})
	}
	return s
}

// random returns 32 random bytes in base64.
func random() string {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails
	return base64.StdEncoding.EncodeToString(raw)
}

// addSource creates the source of the events, as its owner does in the settings. Afterwards s.record is the last part of its URL.
func (s *stage) addSource(ctx context.Context, key, secret string) error {
	sealing, err := secretkey.Parse(key)
	if err != nil {
		return fmt.Errorf("read the secret key: %w", err)
	}
	draft, err := webhook.Input{Name: "Bank", Scheme: webhook.Standard, Secret: secret}.Draft(webhook.NewVault(sealing))
	if err != nil {
		return fmt.Errorf("describe the source: %w", err)
	}
	intent, err := idempotency.ParseKey("source")
	if err != nil {
		return fmt.Errorf("add the source: %w", err)
	}
	store := &idempotency.Store{Pool: s.admin, Wait: patience, Timeout: 2 * patience}
	done, err := webhook.Create.Do(ctx, store, idempotency.Intent{Tenant: s.cluster.tenant, Key: intent, Actor: "lab"}, draft)
	if err != nil {
		return fmt.Errorf("add the source: %w", err)
	}
	s.record = done.Value.Address(s.cluster.tenant)
	return nil
}

// noteRecordedBefore corrects the outcome of deliveries that were stored as separate events although their payment existed. The
// answers to them do not show it.
func (s *stage) noteRecordedBefore(ctx context.Context) error {
	rows, _ := s.admin.Query(ctx, `SELECT id::text FROM webhook_events WHERE reason = 'recorded-before'`) // the rows have its error
	events, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("read the events: %w", err)
	}
	s.run.update(func(r *Result) {
		for _, event := range events {
			attempt := &r.Sides[s.side].Attempts[s.marks[event]]
			attempt.Outcome, attempt.Says = Reused, "The event was kept as another one. Its payment was already recorded."
		}
	})
	return nil
}
