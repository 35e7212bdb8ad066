// Package record reads records: the rows that operations create and change. What all of them have in common
// stands here once: an id, a version, how one is found, and how a list of them is paged.
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

// ErrNotFound is the error of a record that the tenant does not have.
var ErrNotFound = errors.New("record not found")

// Header is what every record has.
type Header struct {
	// ID is a UUIDv7: the order of ids is the order of creation.
	ID uuid.UUID `json:"id"`
	// Version counts the states of the record, and begins with 1. The trigger next_version raises it.
	Version   int       `json:"version"`
	CreatedAt time.Time `json:"created_at"` // UTC
}

// Alike is what a record has besides that may look like a repeat of another one.
type Alike struct {
	// PossibleDuplicateOf is the earlier record that it looked like when it was created. It is known from the answer to the create
	// only, and zero elsewhere.
	PossibleDuplicateOf uuid.UUID `json:"possible_duplicate_of,omitzero"`
}

// Identity returns what names a record and its state.
func (h Header) Identity() (id uuid.UUID, version int) { return h.ID, h.Version }

// Table is a table whose rows are records of type R. It has the columns tenant_id, id, version and
// created_at; the primary key is (tenant_id, id).
type Table[R any] struct {
	Name string
	// Fields lists what R has besides its [Header], of the row r, as json_build_object takes it: a name and
	// a value, and so on.
	Fields string
	// LeadsTo is the column that has the id of the record that one was merged into; "" where none are.
	LeadsTo string
}

// Lead is the SQL expression for the id of the record that the row r leads to: its own, unless it was merged into another.
func (t Table[R]) Lead() string {
	if t.LeadsTo == "" {
		return `r.id`
	}
	return `COALESCE(r.` + t.LeadsTo + `, r.id)`
}

// JSON is the SQL expression for the JSON of the row r, which an R is decoded from.
func (t Table[R]) JSON() string {
	return `json_build_object('id', r.id, 'version', r.version, 'created_at', r.created_at, ` + t.Fields + `)`
}

// Find returns one record of a tenant, or [ErrNotFound].
func (t Table[R]) Find(ctx context.Context, pool *pgxpool.Pool, tenant, id uuid.UUID) (R, error) {
	return t.FindBy(ctx, pool, tenant, `r.id = @id`, pgx.NamedArgs{"id": id})
}

// FindBy returns the one record of a tenant for which a condition on the row r holds, or [ErrNotFound].
func (t Table[R]) FindBy(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, where string, args pgx.NamedArgs) (R, error) {
	return decoded[R](One(ctx, pool, tenant, pgx.RowTo[[]byte], findSQL(t.Name, t.JSON(), where), args))
}

// FindIn returns one record as a transaction of the tenant sees it, or [ErrNotFound]: for work that returns what it wrote.
func (t Table[R]) FindIn(ctx context.Context, tx pgx.Tx, tenant, id uuid.UUID) (R, error) {
	row := tx.QueryRow(ctx, findSQL(t.Name, t.JSON(), `r.id = @id`), pgx.NamedArgs{"tenant_id": tenant, "id": id})
	var text []byte
	err := row.Scan(&text)
	return decoded[R](text, err)
}

func findSQL(table, json, where string) string {
	return `SELECT ` + json + ` FROM ` + table + ` r WHERE r.tenant_id = @tenant_id AND ` + where + ` LIMIT 1`
}

// decoded returns the record that JSON of the database has, or [ErrNotFound] for no rows.
func decoded[R any](text []byte, err error) (found R, _ error) {
	if errors.Is(err, pgx.ErrNoRows) {
		return found, ErrNotFound
	}
	if err != nil {
		return found, err
	}
	if err := json.Unmarshal(text, &found); err != nil {
		return found, fmt.Errorf("decode the record: %w", err)
	}
	return found, nil
}
