package idempotency

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/conflict"
	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
)

// External is the id of a record in another system, such as a shop; the zero value if there is none. A table with external ids has the
// columns in [ExternalColumns], the generated column source_folded, and the unique index <table>_external_once on (tenant_id,
// source_folded, external_id).
type External struct {
	Source     string `json:"source,omitzero" doc:"The other system that has the record. Send it with external_id, or leave both out."`
	ExternalID string `json:"external_id,omitzero" doc:"That system's ID of the record. Each can be used once."`
}

// Limits of an external id, in characters.
const (
	MaxSource     = 40
	MaxExternalID = 200
)

// SQL for external ids: the columns, their values in an INSERT, their values in an UPDATE, which keeps the stored ones if the command has
// none, and their JSON for [record.Table.Fields].
const (
	ExternalColumns = `source, external_id, external_digest`
	ExternalValues  = `@external_source::text, @external_id::text, @external_digest::bytea`
	ExternalKept    = `COALESCE(@external_source::text, source), COALESCE(@external_id::text, external_id),
		COALESCE(@external_digest::bytea, external_digest)`
	ExternalJSON = `'source', COALESCE(r.source, ''), 'external_id', COALESCE(r.external_id, '')`
)

// Check returns the external id as it is stored, and adds its mistakes to problems, with pointers below prefix.
func (e External) Check(prefix string, problems *invalid.Error) External {
	e.Source = problems.Line(prefix+"/source", "the source", e.Source, MaxSource)
	switch {
	case e.ExternalID == "" && e.Source != "":
		problems.Add(prefix+"/external_id", "Send what the source calls the record, or leave the source out.")
	case e.ExternalID != "" && e.Source == "":
		problems.Add(prefix+"/source", "Enter the system that the external id comes from, such as crm.")
	case e.ExternalID != "" && (len(e.ExternalID) > MaxExternalID || !printable.MatchString(e.ExternalID)):
		problems.Add(prefix+"/external_id", fmt.Sprintf(
			"Send the external id as 1 to %d printable ASCII characters without spaces around them or two in a row.", MaxExternalID))
	}
	return e
}

// printable matches visible ASCII with single spaces inside, because users can't see how many spaces there are.
var printable = regexp.MustCompile(`^[!-~]+( [!-~]+)*$`)

// FindExternal returns the condition on the row r of a table that finds the record with the external id, or the record that it was merged
// into, and the condition's arguments. The condition uses the unique index.
func FindExternal[R any](table record.Table[R], e External) (string, pgx.NamedArgs) {
	return `r.id = (SELECT ` + lead(table.LeadsTo) + ` FROM ` + table.Name + ` r WHERE r.tenant_id = @tenant_id AND ` + isExternal + `)`,
		pgx.NamedArgs{"external_source": e.Source, "external_id": e.ExternalID}
}

// lead returns the SQL expression for the id of the record that the row r leads to, for a table's column LeadsTo: its own id, unless it was
// merged.
func lead(leadsTo string) string {
	if leadsTo == "" {
		return `r.id`
	}
	return `COALESCE(r.` + leadsTo + `, r.id)`
}

const isExternal = `r.source_folded = fold_text(@external_source::text) AND r.external_id = @external_id::text`

// ExternalTaken is the conflict with a record that has the same external id, but came with other content.
var ExternalTaken = conflict.Kind{
	Slug: "external-id-taken", Title: "External id of other content",
	Meaning: "A record from this source has this external id, and came with other content. Nothing was saved. " +
		"You can use the key again.",
	ToDo: "To update the record (existing_id), send PUT or PATCH with If-Match, and with the source and external id again. " +
		"If it is another record, send it with its own external id.",
}

// ExternalRule is the uniqueness rule for the external ids of a table. The parameter one is the word for a record.
func ExternalRule(table, one string) conflict.Rule {
	return conflict.Rule{
		Constraint: table + "_external_once",
		Sentence:   "One " + one + " per source and external id in each tenant. Case counts in external ids, not in sources.",
		Answer: "With the content that came with it last, the first " + one + " is the answer. " +
			"A second one with other content is refused, with a link to the first.",
		Conflict: &ExternalTaken, Optional: true,
	}
}

// External returns the named arguments of [ExternalValues] and [ExternalKept], for [Spec.Run]. With [Spec.Statements] they are always
// set.
func (i Intent) External() pgx.NamedArgs { return maps.Clone(i.external) }

// external returns the arguments for the external id of a command, all NULL if it has none.
func (d *Definition) external(command any) (pgx.NamedArgs, error) {
	args := pgx.NamedArgs{"external_source": nil, "external_id": nil, "external_digest": nil}
	e := d.spec.External(command)
	if e == (External{}) {
		return args, nil
	}
	digest, err := contentOf(command)
	if err != nil {
		return nil, err
	}
	args["external_source"], args["external_id"], args["external_digest"] = e.Source, e.ExternalID, digest[:]
	return args, nil
}

// contentOf returns the fingerprint of a record's content: the command without its external id and without blank members. So a field that
// a later release adds does not change the content of earlier commands.
func contentOf(command any) (Fingerprint, error) {
	canonical, err := json.Marshal(command)
	if err != nil {
		return Fingerprint{}, fmt.Errorf("content: %w", err)
	}
	var content any
	decoder := json.NewDecoder(bytes.NewReader(canonical))
	decoder.UseNumber()
	if err := decoder.Decode(&content); err != nil {
		return Fingerprint{}, fmt.Errorf("content: %w", err)
	}
	if members, ok := content.(map[string]any); ok {
		delete(members, "source")
		delete(members, "external_id")
	}
	return FingerprintOf(withoutBlanks(content))
}

// withoutBlanks returns a decoded JSON value without empty, zero or false members of objects, or nil if nothing is left.
func withoutBlanks(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			if value[name] = withoutBlanks(member); value[name] == nil {
				delete(value, name)
			}
		}
		if len(value) == 0 {
			return nil
		}
	case []any:
		for i, element := range value {
			value[i] = withoutBlanks(element)
		}
		if len(value) == 0 {
			return nil
		}
	case string:
		if value == "" || value == uuid.Nil.String() {
			return nil
		}
	case json.Number:
		if value == "0" {
			return nil
		}
	case bool:
		if !value {
			return nil
		}
	}
	return value
}

// beginExternal looks for the record with the external id before the work, which could fail on a repeat: a payment that was recorded
// before would exceed the open amount. The lock serializes concurrent attempts. It is a separate statement, so the next one sees the rows
// committed meanwhile.
func (q intentSQL) beginExternal() []query {
	return []query{q.lockExternal(), {text: text{sql: `
		SELECT begin_external(
			(SELECT ` + q.known + ` FROM ` + q.externalRow() + `), '` + q.table + `_external_once')`}}}
}

// keepExternal stores, in place of the work, the intent with the record that has the external id and the same content, or with the record
// that it was merged into. FOR KEY SHARE keeps the record from being merged or separated meanwhile.
func (q intentSQL) keepExternal() []query {
	lock := ""
	if q.lead != `r.id` {
		lock = ` FOR KEY SHARE`
	}
	return []query{q.lockExternal(), {text: text{sql: `
		SELECT keep_made((SELECT ` + q.known + ` FROM ` + q.externalRow() + lock + `), NULL)`}},
		{text: text{sql: q.insert(`(
			SELECT ` + q.record + ` FROM ` + q.table + ` r
			WHERE r.tenant_id = @tenant_id AND r.id = (SELECT ` + q.lead + ` FROM ` + q.externalRow() + `))`)}}}
}

func (q intentSQL) externalRow() string {
	return q.table + ` r WHERE r.tenant_id = @tenant_id AND ` + isExternal
}

func (q intentSQL) lockExternal() query {
	return query{text: text{sql: `
		SELECT pg_advisory_xact_lock(hashtextextended(concat_ws('/', 'external', @tenant_id::text, '` + q.table + `',
			fold_text(@external_source::text), @external_id::text), 0))`}}
}

// known returns the condition on the row r with a command's external id under which the command finds that row: it came with the same
// content, or was merged into another record, which no later content of the merged one changes.
func known(s Spec[any, any]) string {
	same := `r.external_digest = @external_digest`
	if s.Table.LeadsTo != "" {
		same += ` OR r.` + s.Table.LeadsTo + ` IS NOT NULL`
	}
	return same
}

// externalTaken explains the unique index of external ids. If the record with the external id came with the same content, it returns
// [record.ErrNotFound], so that the work is done again and [intentSQL.beginExternal] finds the record.
func externalTaken(ctx context.Context, store *Store, s Spec[any, any], intent Intent) error {
	args := intent.External()
	args["record_id"], args["change"] = intent.Record, s.Kind.Changes()
	existing, err := record.One(ctx, store.Pool, intent.Tenant, pgx.RowTo[uuid.UUID], `
		SELECT r.id FROM `+s.Table.Name+` r
		WHERE r.tenant_id = @tenant_id AND `+isExternal+` AND r.id <> @record_id
			AND (@change OR NOT (`+known(s)+`))`, args)
	if errors.Is(err, pgx.ErrNoRows) {
		return record.ErrNotFound
	}
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%s of %s", args["external_id"], args["external_source"])
	return &conflict.Error{
		Kind: &ExternalTaken, Title: name + " already exists with other content.",
		Text:     "Nothing was saved. An update goes with PUT or PATCH and If-Match.",
		Existing: existing, Name: name, Field: "/external_id", Blame: "Another record has this external id.",
	}
}
