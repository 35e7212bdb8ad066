package webhook

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/record"
)

// Input is the input to add a source as text.
type Input struct {
	Name     string `json:"name"`
	Scheme   string `json:"scheme"`
	Provider string `json:"provider"`
	Secret   string `json:"secret"`
}

// Draft is the command that adds a source with its first secret.
type Draft struct {
	Name     string `json:"name"`
	Scheme   string `json:"scheme"`
	Provider string `json:"provider,omitzero"` // "" for the scheme's provider, or else the name
	Secret   Typed  `json:"secret"`
}

// Draft checks the input. It returns an [*invalid.Error] with all mistakes.
func (in Input) Draft(vault Vault) (Draft, error) {
	var problems invalid.Error
	d := Draft{Name: problems.Line("/name", "the name", in.Name, payment.MaxProvider), Scheme: in.Scheme}
	if d.Name == "" && problems.Err() == nil {
		problems.Add("/name", "Enter who sends the events, such as Stripe.")
	}
	if !slices.Contains(Schemes(), in.Scheme) {
		problems.Add("/scheme", "Choose how the sender signs.")
	}
	d.Provider = problems.Line("/provider", "the provider", in.Provider, payment.MaxProvider)
	if in.Scheme == Stripe && d.Provider != "" {
		problems.Add("/provider", "Leave this blank: the provider of these payments is Stripe.")
	}
	d.Secret = checkSecret(in.Secret, in.Scheme, vault, &problems)
	return d, problems.Err()
}

// SecretInput is the input to add a secret to a source.
type SecretInput struct {
	Secret string `json:"secret"`
}

// SecretDraft is the command that adds a secret.
type SecretDraft struct {
	Source uuid.UUID `json:"source"`
	Secret Typed     `json:"secret"`
}

// Draft checks the input for a source. It returns an [*invalid.Error] with all mistakes.
func (in SecretInput) Draft(of Source, vault Vault) (SecretDraft, error) {
	var problems invalid.Error
	d := SecretDraft{of.ID, checkSecret(in.Secret, of.Scheme, vault, &problems)}
	return d, problems.Err()
}

// The shortest and the longest secret, in bytes for Standard Webhooks, and in characters for Stripe.
const (
	minSecret = 24
	maxSecret = 64
	maxStripe = 200
)

func checkSecret(typed, scheme string, vault Vault, problems *invalid.Error) Typed {
	secret := strings.TrimSpace(typed)
	bytes, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	switch {
	case vault.key.IsZero():
		problems.Add("/secret", "This server has no key to encrypt secrets with. Set SECRET_KEY and restart it.")
	case scheme == Standard && (err != nil || len(bytes) < minSecret || len(bytes) > maxSecret):
		problems.Add("/secret", "Enter the secret as the sender shows it: 24 to 64 bytes in base64, mostly behind whsec_.")
	case len(secret) < minSecret || len(secret) > maxStripe || strings.ContainsFunc(secret, invisible):
		problems.Add("/secret", "Enter the signing secret as the sender shows it, such as whsec_ and some 32 letters and digits.")
	}
	return Typed{vault, secret}
}

// invisible reports whether a character is not visible ASCII.
func invisible(r rune) bool { return r <= ' ' || r > '~' }

// Create adds a source with its first secret.
var Create = idempotency.Define(idempotency.Spec[Draft, Source]{
	Kind: idempotency.Create, Name: "webhook_source.create", Table: Sources,
	Run: func(ctx context.Context, tx pgx.Tx, i idempotency.Intent, d Draft) (Source, error) {
		_, err := tx.Exec(ctx, `
			INSERT INTO webhook_sources (tenant_id, id, name, scheme, named_provider)
			VALUES (@tenant_id, @id, @name, @scheme, NULLIF(@provider, ''))`,
			pgx.NamedArgs{"tenant_id": i.Tenant, "id": i.Record, "name": d.Name, "scheme": d.Scheme, "provider": d.Provider})
		if err != nil {
			return Source{}, err
		}
		if err := d.Secret.store(ctx, tx, i, i.ID(1), i.Record); err != nil {
			return Source{}, err
		}
		return record.FindIn(ctx, tx, Sources, i.Tenant, i.Record)
	},
	Explain: map[string]idempotency.Explanation[Draft]{
		"webhook_sources_name_once": idempotency.Taken(Sources, `r.name_folded = fold_text(@name)`,
			func(d Draft) pgx.NamedArgs { return pgx.NamedArgs{"name": d.Name} }, nameTaken),
	},
})

// NameTaken is the conflict of two sources with the same name.
var NameTaken = conflict.Kind{
	Slug: "webhook-source-taken", Title: "Webhook source name already used",
	Meaning: "The business already has a webhook source with this name. Nothing was changed. You can use the key again.",
	ToDo:    "Enter another name, or add the secret to the existing source.",
}

func nameTaken(_ Draft, other Source) error {
	return &conflict.Error{
		Kind: &NameTaken, Title: "There's already a webhook source named " + other.Name + ".",
		Text: "Nothing was added. Enter another name, or open that source.", Existing: other.ID, Name: other.Name,
		Field: "/name", Blame: "Another source has this name.",
	}
}

// Disable makes a source refuse its events.
var Disable = idempotency.Define(idempotency.Spec[struct{}, Source]{
	Kind: idempotency.Transition, Name: "webhook_source.disable", Table: Sources, Made: `r.disabled_at IS NOT NULL`,
	Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
		tx.Exec(`UPDATE webhook_sources SET disabled_at = now() WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
		return tx.Record()
	},
})

// Enable makes a disabled source accept events again.
var Enable = idempotency.Define(idempotency.Spec[struct{}, Source]{
	Kind: idempotency.Transition, Name: "webhook_source.enable", Table: Sources, Made: `r.disabled_at IS NULL`,
	Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
		tx.Exec(`UPDATE webhook_sources SET disabled_at = NULL WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
		return tx.Record()
	},
})

// store inserts a secret of a source. The trigger end_older_secrets ends the older ones.
func (t Typed) store(ctx context.Context, tx pgx.Tx, i idempotency.Intent, id, source uuid.UUID) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO webhook_secrets (tenant_id, id, source_id, sealed) VALUES (@tenant_id, @id, @source_id, @sealed)`,
		pgx.NamedArgs{"tenant_id": i.Tenant, "id": id, "source_id": source, "sealed": t.seal(i.Tenant, source)})
	return err
}

// AddSecret adds a secret to a source. The previous one stays valid for a day, until the sender has changed too.
var AddSecret = idempotency.Define(idempotency.Spec[SecretDraft, Secret]{
	Kind: idempotency.Create, Name: "webhook_secret.create", Table: Secrets,
	Run: func(ctx context.Context, tx pgx.Tx, i idempotency.Intent, d SecretDraft) (Secret, error) {
		if err := d.Secret.store(ctx, tx, i, i.Record, d.Source); err != nil {
			return Secret{}, err
		}
		return record.FindIn(ctx, tx, Secrets, i.Tenant, i.Record)
	},
	Explain: map[string]idempotency.Explanation[SecretDraft]{
		"webhook_secrets_source": idempotency.Missing[SecretDraft],
		"webhook_secrets_once":   secretTaken,
	},
})

// SecretTaken is the conflict of adding a secret that a source already has or had.
var SecretTaken = conflict.Kind{
	Slug: "webhook-secret-taken", Title: "Webhook secret already added",
	Meaning: "The source has or had this secret. Nothing was changed. You can use the key again.",
	ToDo:    "Create a new secret at the sender, and add that one.",
}

func secretTaken(
	ctx context.Context, store *idempotency.Store, i idempotency.Intent, d SecretDraft, _ *pgconn.PgError,
) error {
	first, err := record.FindBy(ctx, store.Pool, Secrets, i.Tenant, `r.source_id = @source_id AND r.sealed = @sealed`,
		pgx.NamedArgs{"source_id": d.Source, "sealed": d.Secret.seal(i.Tenant, d.Source)})
	if err != nil {
		return err
	}
	return &conflict.Error{
		Kind: &SecretTaken, Title: "This secret was added before.", Text: "Nothing was changed. Create a new secret at the sender.",
		Existing: first.ID, Name: first.Called(), Field: "/secret", Blame: "This secret was added before.",
	}
}

// EndSecret ends the validity of a secret now.
var EndSecret = idempotency.Define(idempotency.Spec[struct{}, Secret]{
	Kind: idempotency.Transition, Name: "webhook_secret.end", Table: Secrets, Made: `r.ends_at <= now()`,
	Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
		tx.Exec(`UPDATE webhook_secrets SET ends_at = now() WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
		return tx.Record()
	},
})
