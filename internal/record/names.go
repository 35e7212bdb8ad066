package record

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Reference is a referenced record with its current name, or the zero value if there is none.
type Reference struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// Names reads the display names of referenced records. Their table has the columns tenant_id and id.
type Names struct {
	Table  string
	Column string
}

// Of returns the name of a tenant's record, or [ErrNotFound].
func (n Names) Of(ctx context.Context, pool *pgxpool.Pool, tenant, id uuid.UUID) (string, error) {
	name, err := One(ctx, pool, tenant, pgx.RowTo[string],
		`SELECT r.`+n.Column+` FROM `+n.Table+` r WHERE r.tenant_id = @tenant_id AND r.id = @id`, pgx.NamedArgs{"id": id})
	if errors.Is(err, pgx.ErrNoRows) {
		return "", ErrNotFound
	}
	return name, err
}

// JSON returns the SQL expression for the JSON of the [Reference] in a column of the row r.
func (n Names) JSON(column string) string {
	return `(SELECT json_build_object('id', referred.id, 'name', referred.` + n.Column + `) FROM ` + n.Table + ` referred
			WHERE referred.tenant_id = r.tenant_id AND referred.id = r.` + column + `)`
}
