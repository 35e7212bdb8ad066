// Package record reads records, the rows that operations create and change. Every record has an id and a version, and can be found and
// listed in pages.
package record

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrNotFound means that the tenant does not have the record.
var ErrNotFound = errors.New("record not found")

// Header has the fields that every record has.
type Header struct {
	// ID is a UUIDv7, so the order of ids is the order of creation.
	ID uuid.UUID `json:"id"`
	// Version counts the states of the record, from 1. The trigger next_version increments it.
	Version   int       `json:"version"`
	CreatedAt time.Time `json:"created_at"` // UTC
}

// Alike has the additional field of a record that may look like a repeat of an earlier one.
type Alike struct {
	// PossibleDuplicateOf is the id of the earlier record that the record looked like when it was created. It is set only in the result
	// of the create.
	PossibleDuplicateOf uuid.UUID `json:"possible_duplicate_of,omitzero"`
}

// Identity returns the id and the version of the record.
func (h Header) Identity() (id uuid.UUID, version int) { return h.ID, h.Version }

// Table is a table whose rows are records of type R. It has the columns tenant_id, id, version and created_at; the primary key is
// (tenant_id, id). It has few methods, because those of a generic type are compiled for every type.
type Table[R any] struct {
	Name string
	// Fields lists the fields of R besides its [Header], as arguments of json_build_object: a name and a value on the row r, and so on.
	Fields string
	// LeadsTo is the column with the id of the record that a record was merged into; "" if the records can't be merged.
	LeadsTo string
	// Only is a condition on the row r, for a table with records of other types too; "" for none. It is trusted SQL.
	Only string
}

// and returns a condition on the row r together with [Table.Only].
func (t *Table[R]) and(where string) string {
	if t.Only == "" {
		return where
	}
	return where + ` AND ` + t.Only
}

// JSON returns the SQL expression for the JSON of the row r, from which an R is decoded.
func (t *Table[R]) JSON() string {
	return `json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, ` + t.Fields + `)`
}

// Find returns a tenant's record, or [ErrNotFound].
func Find[R any](ctx context.Context, pool *pgxpool.Pool, from Table[R], tenant, id uuid.UUID) (R, error) {
	return FindBy(ctx, pool, from, tenant, `r.id = @id`, pgx.NamedArgs{"id": id})
}

// FindBy returns a tenant's record for which a condition on the row r holds, or [ErrNotFound].
func FindBy[R any](
	ctx context.Context, pool *pgxpool.Pool, from Table[R], tenant uuid.UUID, where string, args pgx.NamedArgs,
) (R, error) {
	return read[R](One(ctx, pool, tenant, pgx.RowTo[[]byte], findSQL(from.Name, from.JSON(), from.and(where)), args))
}

// FindAll returns those of a tenant's records that have one of the ids, in no order. There are at most as many ids as rows of a page.
func FindAll[R any](ctx context.Context, pool *pgxpool.Pool, from Table[R], tenant uuid.UUID, ids []uuid.UUID) ([]R, error) {
	return Collect(ctx, pool, tenant, func(row pgx.CollectableRow) (R, error) {
		var text []byte
		err := row.Scan(&text)
		return read[R](text, err)
	}, `SELECT `+from.JSON()+` FROM `+from.Name+` r
		WHERE r.tenant_id = @tenant_id AND `+from.and(`r.id = ANY (@ids::uuid[])`)+` LIMIT `+MaxRows,
		pgx.NamedArgs{"ids": IDs(ids)})
}

// FindIn returns a record as seen in a transaction of the tenant, or [ErrNotFound], for work that returns a row that it wrote.
func FindIn[R any](ctx context.Context, tx pgx.Tx, from Table[R], tenant, id uuid.UUID) (R, error) {
	row := tx.QueryRow(ctx, findSQL(from.Name, from.JSON(), from.and(`r.id = @id`)), pgx.NamedArgs{"tenant_id": tenant, "id": id})
	var text []byte
	err := row.Scan(&text)
	return read[R](text, err)
}

func findSQL(table, json, where string) string {
	return `SELECT ` + json + ` FROM ` + table + ` r WHERE r.tenant_id = @tenant_id AND ` + where + ` LIMIT 1`
}

// read decodes a record that was read, or returns [ErrNotFound] if err is pgx.ErrNoRows.
func read[R any](text []byte, err error) (found R, _ error) {
	if errors.Is(err, pgx.ErrNoRows) {
		return found, ErrNotFound
	}
	if err != nil {
		return found, err
	}
	return Decode[R](text)
}

// Decode decodes a record from the JSON of the database.
func Decode[R any](text []byte) (found R, _ error) {
	if err := json.Unmarshal(text, &found); err != nil {
		return found, fmt.Errorf("decode the record: %w", err)
	}
	return found, nil
}
