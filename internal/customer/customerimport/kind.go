package customerimport

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/importing"
	"onlyonce/internal/record"
)

// Kind is the kind of imports of customers. Each row is a customer.
var Kind = importing.Define(importing.Spec[customer.Draft]{
	One: "customer", Many: "customers", Fields: shown(), Prefixes: []string{"client", "contact", "customer", "billing", "po", "card"},
	Lacks: func(has func(string) bool) string {
		if !has("name") && !has("contact") {
			return "Choose the column that has the name of the customer."
		}
		return ""
	},
	Read: func(
		_ context.Context, _ *pgxpool.Pool, _ uuid.UUID, i importing.Import,
	) (func(*importing.Entry) customer.Draft, error) {
		r := reader{source: i.Source, seen: importing.Seen{}}
		return r.read, nil
	},
	Judge: judge,
	Do: func(ctx context.Context, a importing.Attempt, d customer.Draft) (created bool, err error) {
		d.SameEmail = true // the verdict is the answer to the question about the email
		_, created, err = importing.Do(ctx, a, a.Key, customer.Upsert, uuid.Nil, d)
		return created, err
	},
	TakeBack: func(tx *idempotency.Tx) {
		tx.Exec(`SELECT take_customers_back(@tenant_id, @record_id, @operation, @idempotency_key)`, nil)
	},
	Used: func(ctx context.Context, pool *pgxpool.Pool, tenant, of uuid.UUID, most int) ([]importing.Used, error) {
		return record.Collect(ctx, pool, tenant, func(row pgx.CollectableRow) (used importing.Used, err error) {
			err = row.Scan(&used.ID, &used.Name, &used.Changed)
			return used, err
		}, `SELECT id, name, changed FROM used_customers(@tenant_id, imported_customers(@tenant_id, @import), @most) LIMIT @most`,
			pgx.NamedArgs{"import": of, "most": most})
	},
})

// reader reads the rows of a file.
type reader struct {
	source string // of the external ids
	seen   importing.Seen
}

// read returns the command of a row. A row without an id gets one from its content, and from its place among the rows with the same
// content: so the same file finds the same customers later.
func (r reader) read(e *importing.Entry) customer.Draft {
	d, err := input(e.Rows[0].Values, r.source).Draft()
	if problem, refused := idempotency.Refusal(err); refused {
		e.Refuse(problem)
		return d
	}
	e.Name, e.Detail = d.Name, string(d.Email)
	content := d
	content.External = idempotency.External{}
	text, err := json.Marshal(content)
	if err != nil {
		panic(err) // can't happen: these are strings
	}
	sum := sha256.Sum256(text)
	same := r.seen.First("content", string(sum[:]), e.Line())
	repeats := 0
	if d.Email != "" {
		repeats = r.seen.First("email", d.Email.Folded()+"\n"+strings.ToLower(d.Name), e.Line())
	}
	withID := 0
	if d.ExternalID != "" {
		withID = r.seen.First("id", d.ExternalID, e.Line())
	} else {
		place := r.seen.Count(string(sum[:]))
		d.External = idempotency.External{Source: r.source, ExternalID: fmt.Sprintf("row-%s-%d", hex.EncodeToString(sum[:16]), place)}
	}
	switch {
	case withID != 0 && withID == same, repeats != 0 && repeats == same:
		e.Verdict, e.Problem = importing.Known, fmt.Sprintf("Line %d has the same customer.", same)
	case withID != 0:
		e.Verdict, e.Problem = importing.Differs, fmt.Sprintf("Line %d has the same ID with other details.", withID)
	case repeats != 0:
		e.Verdict, e.Problem = importing.Differs, fmt.Sprintf("Line %d has the same email and name with other details.", repeats)
	}
	return d
}

// found has the intent and the customers that the database has for a row.
type found struct {
	Intent   string          // the outcome of an earlier attempt; "" for none
	ByID     bool            // the customer was found by its external id
	Customer json.RawMessage // the one with the external id, or else with the email and name; nil for none
	Like     string          // the field that another customer has in common
	LikeID   uuid.UUID
	LikeName string
}

// judge sets the verdicts of rows, in one round trip.
func judge(
	ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, i importing.Import, entries []*importing.Entry, drafts []customer.Draft,
) error {
	var keys, ids, emails, names, taxIDs []string
	for n, e := range entries {
		d := drafts[n]
		keys, ids = append(keys, i.Key(e.Line())), append(ids, d.ExternalID)
		emails, names, taxIDs = append(emails, string(d.Email)), append(names, d.Name), append(taxIDs, d.TaxID)
	}
	all, err := record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[found], lookup, pgx.NamedArgs{
		"keys": keys, "ids": ids, "emails": emails, "names": names, "tax_ids": taxIDs, "source": i.Source, "confirmed": confirmed(i),
		"none": uuid.Nil,
	})
	if err != nil {
		return err
	}
	for n, f := range all {
		if err := f.judge(entries[n], drafts[n]); err != nil {
			return err
		}
	}
	return nil
}

// confirmed returns the time of the confirmation, or nil before it.
func confirmed(i importing.Import) any {
	if i.ConfirmedAt.IsZero() {
		return nil
	}
	return i.ConfirmedAt
}

// lookup finds the intent and the customers of rows. The forms in which texts are compared are computed first, because row-level security
// lets no function see a row before the policy has. A customer that came after the confirmation doesn't count as similar: most are from
// this import.
//
//nolint:unqueryvet // the JSON of a customer reads all columns
var lookup = `
	WITH wanted AS MATERIALIZED (
		SELECT n, key, id, lower(email COLLATE "C") AS email, fold_text(name) AS name, fold_text(@source) AS source,
			alike_tax_id(tax_id) AS like_tax_id, alike_name(name) AS like_name,
			CASE WHEN email <> '' THEN alike_email(email) ELSE '' END AS like_email
		FROM unnest(@keys::text[], @ids::text[], @emails::text[], @names::text[], @tax_ids::text[]) WITH ORDINALITY
			AS row (key, id, email, name, tax_id, n)
	)
	SELECT COALESCE(i.outcome::text, ''), COALESCE(c.rank = 1, false), c.json,
		COALESCE(a.what, ''), COALESCE(a.id, @none::uuid), COALESCE(a.name, '')
	FROM wanted w
	LEFT JOIN LATERAL (
		SELECT outcome FROM intents
		WHERE tenant_id = @tenant_id AND operation = 'customer.upsert' AND key = w.key LIMIT 1) AS i ON true
	LEFT JOIN LATERAL (
		SELECT r.rank, ` + customer.Table.JSON() + ` AS json FROM (
			(SELECT 1 AS rank, * FROM customers
				WHERE tenant_id = @tenant_id AND source_folded = w.source AND external_id = w.id LIMIT 1) UNION ALL
			(SELECT 2, * FROM customers
				WHERE tenant_id = @tenant_id AND email_folded = w.email AND name_folded = w.name AND merged_into IS NULL
				LIMIT 1) UNION ALL
			(SELECT 3, * FROM customers
				WHERE tenant_id = @tenant_id AND email_folded = w.email AND name_folded = w.name AND merged_into IS NOT NULL
				LIMIT 1)
		) AS r ORDER BY r.rank LIMIT 1) AS c ON true
	LEFT JOIN LATERAL (
		SELECT * FROM (
			(SELECT 1 AS rank, 'tax ID' AS what, id, name, created_at FROM customers
				WHERE tenant_id = @tenant_id AND alike_tax_id = w.like_tax_id AND alike_tax_id <> '' AND merged_into IS NULL
				ORDER BY id LIMIT 1) UNION ALL
			(SELECT 2, 'email', id, name, created_at FROM customers
				WHERE tenant_id = @tenant_id AND alike_email = w.like_email AND merged_into IS NULL
				ORDER BY id LIMIT 1) UNION ALL
			(SELECT 3, 'name', id, name, created_at FROM customers
				WHERE tenant_id = @tenant_id AND alike_name = w.like_name AND alike_name <> '' AND merged_into IS NULL
					AND erased_at IS NULL
				ORDER BY id LIMIT 1)
		) AS a WHERE created_at <= COALESCE(@confirmed::timestamptz, created_at) ORDER BY rank LIMIT 1) AS a ON true
	ORDER BY w.n`

// judge sets the verdict of a row.
func (f found) judge(e *importing.Entry, d customer.Draft) error {
	switch {
	case f.Intent == string(idempotency.Created):
		e.Verdict, e.Made = importing.New, true
	case f.Intent != "":
		e.Verdict = importing.Known
	case f.Customer != nil:
		return f.compare(e, d)
	case f.Like != "":
		e.Verdict, e.Existing = importing.Alike, record.Reference{ID: f.LikeID, Name: f.LikeName}
		e.Problem = "Looks like " + f.LikeName + ", which has the same " + f.Like + "."
	default:
		e.Verdict = importing.New
	}
	return nil
}

// compare sets the verdict of a row whose customer was found. Fields that are blank in the file don't count. A row without an id has the
// same content as before.
func (f found) compare(e *importing.Entry, d customer.Draft) error {
	is, err := record.Decode[customer.Customer](f.Customer)
	if err != nil {
		return err
	}
	saved, err := record.Decode[customer.Input](f.Customer)
	if err != nil {
		return err
	}
	e.Verdict, e.Existing = importing.Known, record.Reference{ID: is.ID, Name: is.Name}
	if is.MergedInto != (record.Reference{}) {
		e.Existing = is.MergedInto
		return nil
	}
	if f.ByID && e.Rows[0].Values["external_id"] == "" {
		return nil
	}
	d.External = idempotency.External{} // it found the customer, or comes from the content
	text, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("compare a customer: %w", err)
	}
	inFile, err := record.Decode[customer.Input](text)
	if err != nil {
		return err
	}
	var differences []importing.Difference
	for _, f := range fields {
		if was, typed := *f.of(&saved), *f.of(&inFile); typed != "" && !strings.EqualFold(typed, was) {
			differences = append(differences, importing.Difference{Label: f.Label, Saved: was, InFile: typed})
		}
	}
	if !is.ArchivedAt.IsZero() {
		differences = append(differences, importing.Difference{Label: "Archived", Saved: "yes", InFile: "no"})
	}
	e.Differ(differences)
	return nil
}
