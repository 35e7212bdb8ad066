package webhook

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
)

// ErrSignature means that a delivery was not signed with a valid secret of its source, or that its time differs from the server's by more
// than five minutes.
var ErrSignature = errors.New("not signed with a secret of this source within five minutes")

// Sender is a source found by its address, with the data to verify its deliveries.
type Sender struct {
	Source

	Tenant  uuid.UUID
	Demo    bool     // the tenant belongs to the demo
	secrets []string // the currently valid ones
}

// Address returns the part of the URL that identifies a source. It includes the tenant, so that no row is read without a tenant.
func (s Source) Address(tenant uuid.UUID) string {
	return base64.RawURLEncoding.EncodeToString(slices.Concat(tenant[:], s.ID[:]))
}

// FindSender returns the sender with an address, or [record.ErrNotFound] if it does not exist or is disabled.
func FindSender(ctx context.Context, pool *pgxpool.Pool, vault Vault, address string) (Sender, error) {
	ids, err := base64.RawURLEncoding.DecodeString(address)
	if err != nil || len(ids) != 2*len(uuid.UUID{}) {
		return Sender{}, record.ErrNotFound
	}
	tenant, id := uuid.UUID(ids[:16]), uuid.UUID(ids[16:])
	type row struct {
		Demo         bool
		Name, Scheme string
		Sealed       [][]byte
	}
	found, err := record.One(ctx, pool, tenant, pgx.RowToStructByPos[row], `
		SELECT t.demo, s.name, s.scheme, ARRAY(
			SELECT sealed FROM webhook_secrets
			WHERE tenant_id = @tenant_id AND source_id = @id AND ends_at > now())
		FROM webhook_sources s JOIN tenants t ON t.id = s.tenant_id
		WHERE s.tenant_id = @tenant_id AND s.id = @id AND s.disabled_at IS NULL`, pgx.NamedArgs{"id": id})
	if errors.Is(err, pgx.ErrNoRows) {
		return Sender{}, record.ErrNotFound
	}
	s := Sender{Source: Source{Header: record.Header{ID: id}, Name: found.Name, Scheme: found.Scheme}, Tenant: tenant, Demo: found.Demo}
	for _, sealed := range found.Sealed { // secrets sealed with an earlier key are ignored if there are others
		if secret, openErr := vault.open(sealed, tenant, id); openErr == nil {
			s.secrets = append(s.secrets, secret)
		}
	}
	if err == nil && len(s.secrets) == 0 && len(found.Sealed) > 0 {
		err = errSealed
	}
	return s, err
}

// Locked returns the ids of the valid secrets of a source that can't be decrypted, because they were sealed with another key.
func Locked(ctx context.Context, pool *pgxpool.Pool, vault Vault, tenant, source uuid.UUID) (ids []uuid.UUID, err error) {
	type row struct {
		ID     uuid.UUID
		Sealed []byte
	}
	valid, err := record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[row], `
		SELECT id, sealed FROM webhook_secrets WHERE tenant_id = @tenant_id AND source_id = @source_id AND ends_at > now()`,
		pgx.NamedArgs{"source_id": source})
	for _, secret := range valid {
		if _, err := vault.open(secret.Sealed, tenant, source); err != nil {
			ids = append(ids, secret.ID)
		}
	}
	return ids, err
}

// Verify returns the event of a delivery. It returns [ErrSignature], or [ErrMalformed] for a signed delivery that is not an event.
func (s Sender) Verify(header map[string][]string, body []byte) (Arrival, error) {
	signed := false
	for _, secret := range s.secrets {
		signed = s.signed(secret, header, body) || signed
	}
	if !signed {
		return Arrival{}, ErrSignature
	}
	of := ""
	if ids := header["Webhook-Id"]; len(ids) == 1 {
		of = ids[0]
	}
	id, digest, asked, err := decode(s.Scheme, of, body)
	return Arrival{Source: s.ID, EventID: id, Digest: digest, Body: body, Asked: asked}, err
}

func (s Sender) signed(secret string, header map[string][]string, body []byte) bool {
	if s.Scheme == Stripe {
		signature := ""
		if values := header["Stripe-Signature"]; len(values) == 1 {
			signature = values[0]
		}
		return signedByStripe(secret, signature, body)
	}
	verifier, err := standardwebhooks.NewWebhook(secret)
	return err == nil && verifier.Verify(body, header) == nil
}

// Arrival is a received event: the command that stores it and carries it out.
type Arrival struct {
	Source  uuid.UUID `json:"source"`
	EventID string    `json:"event_id"`
	Digest  []byte    `json:"digest"` // SHA-256 of the content
	// First is the event that arrived first with the EventID, if this one has different content. Then it is kept apart, and not carried
	// out.
	First uuid.UUID `json:"first,omitzero"`

	Body  []byte `json:"-"` // the original bytes
	Asked Asked  `json:"-"` // parsed from Body
}

// Key returns the key of the intent, which is the same for each delivery of an event. An id has no spaces, so no event has the same key
// as an event that is kept apart.
func (a Arrival) Key() (idempotency.Key, error) {
	key := a.Source.String() + "/" + a.EventID
	if a.First != uuid.Nil {
		key += " " + base64.RawURLEncoding.EncodeToString(a.Digest)
	}
	return idempotency.ParseKey(key)
}

// Receive stores an event and carries it out, once. An event that can't be carried out is stored too.
var Receive = idempotency.Define(idempotency.Spec[Arrival, Event]{
	Kind: idempotency.Create, Name: "webhook.receive", Table: Events,
	Statements: func(tx *idempotency.Tx, a Arrival) idempotency.Result {
		state := StateUndecided
		switch {
		case a.First != uuid.Nil:
			state = StateApart
		case a.Asked.Kind == "":
			state = StateKept
		}
		tx.Exec(`
			INSERT INTO webhook_events (tenant_id, id, source_id, event_id, first_id, digest, type, kind, invoice, reference,
				amount, currency, day, problem, state)
			SELECT @tenant_id, @record_id, @source_id, @event_id, NULLIF(@first_id::uuid, @none), @digest, @type, NULLIF(@kind, ''),
				@invoice, @reference, CASE WHEN whole THEN @amount::bigint END, NULLIF(@currency, ''),
				CASE WHEN whole THEN business_day(@at::timestamptz) END, @problem, @state
			FROM (SELECT @kind <> '' AND @problem = '' AS whole) AS of`, pgx.NamedArgs{
			"source_id": a.Source, "event_id": a.EventID, "first_id": a.First, "none": uuid.Nil, "digest": a.Digest,
			"type": a.Asked.Type, "kind": a.Asked.Kind, "invoice": a.Asked.Invoice, "reference": a.Asked.Reference,
			"amount": a.Asked.Amount, "currency": a.Asked.Currency.String(), "at": a.Asked.At, "problem": a.Asked.Problem,
			"state": state,
		})
		tx.Exec(`INSERT INTO webhook_bodies (tenant_id, event_id, body) VALUES (@tenant_id, @record_id, @body)`,
			pgx.NamedArgs{"body": a.Body})
		if state == StateUndecided {
			tx.Exec(`SELECT apply_webhook_event(@tenant_id, @record_id)`, nil)
			tx.Exec(recorded, nil)
		}
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[Arrival]{
		"webhook_events_source":   idempotency.Missing[Arrival],
		"payments_reference_once": idempotency.Missing[Arrival], // see pay_for_event: the next send finds the payment
		"books_closed":            idempotency.Missing[Arrival], // they were closed meanwhile, which the next send finds
		"payment_references_once": idempotency.Missing[Arrival], // or the receipt
		// Earlier versions stored it under a different key.
		"webhook_events_apart_once": func(
			ctx context.Context, store *idempotency.Store, i idempotency.Intent, a Arrival, _ *pgconn.PgError,
		) error {
			kept, err := record.FindBy(ctx, store.Pool, Events, i.Tenant, `r.first_id = @first_id AND r.digest = @digest`,
				pgx.NamedArgs{"first_id": a.First, "digest": a.Digest})
			if err != nil {
				return err
			}
			return &idempotency.AlreadyDoneError{Record: kept.ID, Outcome: idempotency.Created}
		},
	},
	NotInFingerprint: []string{"Body", "Asked"},
	Fields: func(a Arrival) []slog.Attr {
		return []slog.Attr{slog.String("source", a.Source.String()), slog.String("event", a.EventID), slog.String("type", a.Asked.Type)}
	},
})

// recorded adds the intent to the history of the payment or refund that an event recorded.
const recorded = `
	INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
	SELECT tenant_id, COALESCE(refund_id, payment_id), @operation, @idempotency_key, 'recorded by an event of a webhook'
	FROM webhook_events
	WHERE tenant_id = @tenant_id AND id = @record_id AND state = 'applied' AND reason = ''`

// Expire deletes the bodies of a tenant's events that arrived before a time, as [record.Expire] does. Replicas skip the rows that another
// one has locked.
func Expire(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, before time.Time) (deleted int64, err error) {
	deleted, err = record.Expire(ctx, pool, tenant, `
		DELETE FROM webhook_bodies
		WHERE tenant_id = @tenant_id AND ctid = ANY (ARRAY(
			SELECT ctid FROM webhook_bodies
			WHERE tenant_id = @tenant_id AND created_at < @before
			ORDER BY created_at LIMIT @batch
			FOR UPDATE SKIP LOCKED))`, pgx.NamedArgs{"before": before})
	if err != nil {
		return deleted, fmt.Errorf("delete bodies of events: %w", err)
	}
	return deleted, nil
}
