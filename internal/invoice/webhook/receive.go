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

// ErrSignature means that a delivery was not signed with a valid secret of its source, or that its time differs from ours by more than
// five minutes.
var ErrSignature = errors.New("not signed with a secret of this source within five minutes")

// Sender is a source that an address leads to, with what it takes to believe it.
type Sender struct {
	Source

	Tenant  uuid.UUID
	Demo    bool     // whether the tenant is one of the demo
	secrets []string // that are valid now
}

// Address is what leads to a source: it names the tenant too, so that nothing is read before a tenant is known.
func (s Source) Address(tenant uuid.UUID) string {
	return base64.RawURLEncoding.EncodeToString(slices.Concat(tenant[:], s.ID[:]))
}

// FindSender returns the sender with an address. It returns [record.ErrNotFound] if there is none, or if it is disabled.
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
	for _, sealed := range found.Sealed { // those that were sealed with an earlier key do not count beside others
		if secret, openErr := vault.open(sealed, tenant, id); openErr == nil {
			s.secrets = append(s.secrets, secret)
		}
	}
	if err == nil && len(s.secrets) == 0 && len(found.Sealed) > 0 {
		err = errSealed
	}
	return s, err
}

// Locked returns the ids of those valid secrets of a source that cannot be opened, since they were sealed with another key.
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

// Verify returns the event of a delivery. It returns [ErrSignature], or [ErrMalformed] for what is signed and no event.
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

// Arrival is an event that has come: the command that keeps it, and does what it asks for.
type Arrival struct {
	Source  uuid.UUID `json:"source"`
	EventID string    `json:"event_id"`
	Digest  []byte    `json:"digest"` // of the content
	// First is the event that came first with the EventID, if this one has another content. Then it is kept apart, and nothing is done.
	First uuid.UUID `json:"first,omitzero"`

	Body  []byte `json:"-"` // as it came
	Asked Asked  `json:"-"` // read from it
}

// Key returns that of the intent: an event is one wish, however often it comes. An id has no spaces, so no event has the key of one that
// is kept apart.
func (a Arrival) Key() (idempotency.Key, error) {
	key := a.Source.String() + "/" + a.EventID
	if a.First != uuid.Nil {
		key += " " + base64.RawURLEncoding.EncodeToString(a.Digest)
	}
	return idempotency.ParseKey(key)
}

// Receive keeps an event and does what it asks for, once. An event that asks for what cannot be done is kept too.
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
				CASE WHEN whole THEN @day::date END, @problem, @state
			FROM (SELECT @kind <> '' AND @problem = '' AS whole) AS of`, pgx.NamedArgs{
			"source_id": a.Source, "event_id": a.EventID, "first_id": a.First, "none": uuid.Nil, "digest": a.Digest,
			"type": a.Asked.Type, "kind": a.Asked.Kind, "invoice": a.Asked.Invoice, "reference": a.Asked.Reference,
			"amount": a.Asked.Amount, "currency": a.Asked.Currency.String(), "day": a.Asked.Day.Time(), "problem": a.Asked.Problem,
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
		"payments_reference_once": idempotency.Missing[Arrival], // see pay_for_event: done again, it is found
		// Earlier versions kept it under another key.
		"webhook_events_apart_once": func(
			ctx context.Context, store *idempotency.Store, i idempotency.Intent, a Arrival, _ *pgconn.PgError,
		) error {
			kept, err := Events.FindBy(ctx, store.Pool, i.Tenant, `r.first_id = @first_id AND r.digest = @digest`,
				pgx.NamedArgs{"first_id": a.First, "digest": a.Digest})
			if err != nil {
				return err
			}
			return &idempotency.AlreadyDoneError{Record: kept.ID}
		},
	},
	NotInFingerprint: []string{"Body", "Asked"},
	Fields: func(a Arrival) []slog.Attr {
		return []slog.Attr{slog.String("source", a.Source.String()), slog.String("event", a.EventID), slog.String("type", a.Asked.Type)}
	},
})

// recorded notes, for the history of what an event recorded, which intent it was.
const recorded = `
	INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
	SELECT tenant_id, COALESCE(refund_id, payment_id), @operation, @idempotency_key, 'recorded by an event of a webhook'
	FROM webhook_events
	WHERE tenant_id = @tenant_id AND id = @record_id AND state = 'applied' AND reason = ''`

// Expire deletes the bodies of a tenant's events that came before a moment, as [record.Expire] does. What one replica has locked, the
// others skip.
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
