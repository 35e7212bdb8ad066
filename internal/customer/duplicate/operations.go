package duplicate

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
)

// MergeCustomers merges customers into the winner. The references to the losers are moved to it, and their URLs lead to it.
var MergeCustomers = idempotency.Define(idempotency.Spec[MergeDraft, Merge]{
	Kind: idempotency.Create, Name: "customer.merge", Table: Table,
	Statements: func(tx *idempotency.Tx, d MergeDraft) idempotency.Result {
		tx.Exec(`
			SELECT merge_customers(
				@tenant_id, @record_id, @winner, @customers::uuid[], @versions::integer[], @most, @operation, @idempotency_key)`,
			pgx.NamedArgs{"winner": d.Winner, "customers": record.IDs(d.Customers), "versions": d.Versions, "most": MaxRows})
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[MergeDraft]{
		"customer_merges_customers": noSuchCustomer,
		"customer_merges_seen":      notAsSeen,
		"customer_merges_size":      tooManyRows,
		"customer_merges_winner":    noSuchCustomer,
		"customers_erased":          idempotency.Always[MergeDraft](customer.ErrErased),
		"customers_merged":          mergedAlready,
	},
	NotInFingerprint: []string{"Versions"}, // a user who reloads the page and repeats the request wants the same
	Fields:           func(d MergeDraft) []slog.Attr { return []slog.Attr{slog.String("winner", d.Winner.String())} },
})

// UndoMerge separates the customers again. A moved reference is moved back if it was not changed since.
var UndoMerge = idempotency.Define(idempotency.Spec[struct{}, Merge]{
	Kind: idempotency.Transition, Name: "customer.undo_merge", Table: Table, Made: `r.undone_at IS NOT NULL`,
	Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
		tx.Exec(`SELECT separate_customers(@tenant_id, @record_id, @within, @operation, @idempotency_key)`,
			pgx.NamedArgs{"within": UndoWithin})
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[struct{}]{
		"customer_merges_undo": tooLate,
		"customers_email_once": takenSince,
		"customers_erased":     idempotency.Always[struct{}](customer.ErrErased),
		"customers_merged":     mergedFurther,
	},
})

// KeepApart stores that similar customers are all different.
var KeepApart = idempotency.Define(idempotency.Spec[ApartDraft, Distinction]{
	Kind: idempotency.Create, Name: "customer.keep_apart", Table: Distinctions,
	Statements: func(tx *idempotency.Tx, d ApartDraft) idempotency.Result {
		return Distinguish(tx, "customer", d.Customers)
	},
	Explain: map[string]idempotency.Explanation[ApartDraft]{
		"customer_distinct_pairs_one":   notThere,
		"customer_distinct_pairs_other": notThere,
	},
})

// of returns the customer whose id is in the detail of a refusal.
func of(ctx context.Context, store *idempotency.Store, tenant uuid.UUID, broken *pgconn.PgError) (customer.Customer, error) {
	id, err := uuid.Parse(broken.Detail)
	if err != nil {
		return customer.Customer{}, fmt.Errorf("id of a customer: %w", err)
	}
	return record.Find(ctx, store.Pool, customer.Table, tenant, id)
}

const missing = "One of these customers doesn't exist."

var (
	noSuchCustomer = idempotency.Invalid[MergeDraft]("/customers", missing)
	notThere       = idempotency.Invalid[ApartDraft]("/customer_ids", missing)
)

func notAsSeen(ctx context.Context, store *idempotency.Store, intent idempotency.Intent, _ MergeDraft, broken *pgconn.PgError) error {
	c, err := of(ctx, store, intent.Tenant, broken)
	if err != nil {
		return err
	}
	return &conflict.Error{
		Kind: &ChangedMeanwhile, Title: c.Name + " has changed since you opened this form.",
		Text:    "Nothing was merged. The form shows what is saved now.",
		Members: map[string]string{"customer_id": c.ID.String()},
	}
}

func mergedAlready(
	ctx context.Context, store *idempotency.Store, intent idempotency.Intent, _ MergeDraft, broken *pgconn.PgError,
) error {
	c, err := of(ctx, store, intent.Tenant, broken)
	if err != nil {
		return err
	}
	refused, ok := customer.Final(c).(*conflict.Error) //nolint:errorlint // Final doesn't wrap it
	if !ok {
		return &conflict.Error{Kind: &ChangedMeanwhile, Title: c.Name + " has changed meanwhile.", Text: "Nothing was merged."}
	}
	return &conflict.Error{
		Kind: &customer.Merged, Title: refused.Title, Text: "Nothing was merged. Merge the customer that stayed.",
		Members: map[string]string{"customer_id": refused.Existing.String()},
	}
}

func tooManyRows(context.Context, *idempotency.Store, idempotency.Intent, MergeDraft, *pgconn.PgError) error {
	return &conflict.Error{
		Kind: &TooManyRows, Title: "The customers to merge have more than 10,000 records.",
		Text: "Nothing was merged. Keep the customer with the most records.",
	}
}

func tooLate(context.Context, *idempotency.Store, idempotency.Intent, struct{}, *pgconn.PgError) error {
	return &conflict.Error{
		Kind: &TooLate, Title: "This merge is older than 30 days.", Text: "It can no longer be undone. Nothing was changed.",
	}
}

func takenSince(ctx context.Context, store *idempotency.Store, intent idempotency.Intent, _ struct{}, _ *pgconn.PgError) error {
	c, err := record.FindBy(ctx, store.Pool, customer.Table, intent.Tenant, `r.id = (
		SELECT since.id FROM customer_merges m, unnest(m.loser_ids) AS loser (id),
			LATERAL (
				SELECT email_folded, name_folded FROM customers c WHERE c.tenant_id = @tenant_id AND c.id = loser.id LIMIT 1) AS was,
			LATERAL (
				SELECT id FROM customers c
				WHERE c.tenant_id = @tenant_id AND c.email_folded = was.email_folded AND c.name_folded = was.name_folded
					AND c.merged_into IS NULL LIMIT 1) AS since
		WHERE m.tenant_id = @tenant_id AND m.id = @merge LIMIT 1)`, pgx.NamedArgs{"merge": intent.Record})
	if err != nil {
		return err
	}
	return &conflict.Error{
		Kind: &customer.EmailTaken, Title: c.Name + " has the email address " + c.Email + " by now.",
		Text:     "Two customers can't have the same email and name. Change this one before you undo the merge. Nothing was changed.",
		Existing: c.ID, Name: c.Name, Many: customer.Table.Name,
	}
}

func mergedFurther(ctx context.Context, store *idempotency.Store, intent idempotency.Intent, _ struct{}, broken *pgconn.PgError) error {
	c, err := of(ctx, store, intent.Tenant, broken)
	if err != nil {
		return err
	}
	return &conflict.Error{
		Kind: &MergedFurther, Title: "The customer was merged into " + c.Name + " since.",
		Text: "Undo that merge first. Nothing was changed.", Members: map[string]string{"customer_id": c.ID.String()},
	}
}
