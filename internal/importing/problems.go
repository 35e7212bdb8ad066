package importing

import (
	"context"
	"io"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
	"onlyonce/internal/value/csvfile"
)

// Problem is the reason why an entry was left out, with the line of its first row.
type Problem struct {
	Line    int
	Problem string
}

// Problems returns the first problems of an import, in the order of its rows.
func Problems(ctx context.Context, pool *pgxpool.Pool, tenant, of uuid.UUID, limit int) ([]Problem, error) {
	return record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[Problem], `
		SELECT line, problem FROM import_problems WHERE tenant_id = @tenant_id AND import_id = @import
		ORDER BY line LIMIT @limit`, pgx.NamedArgs{"import": of, "limit": limit})
}

// problemHeading is the heading of the column that [WriteProblems] adds. Such a column isn't imported.
const problemHeading = "Problem"

// WriteProblems writes the rows that were left out as a file in the format of the imported one, with one more column. It returns
// [ErrDeleted] if the imported file was deleted.
func (k *Kind) WriteProblems(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, i Import, to io.Writer) error {
	out, err := csvfile.NewWriter(to, i.Format())
	if err == nil {
		err = out.Write(append(slices.Clip(i.Headings), problemHeading))
	}
	if err != nil {
		return err
	}
	err = k.scan(ctx, pool, tenant, i, func(entries []*Entry) error {
		found, err := record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[Problem], `
			SELECT line, problem FROM import_problems
			WHERE tenant_id = @tenant_id AND import_id = @import AND line BETWEEN @first AND @last
			ORDER BY line LIMIT @limit`,
			pgx.NamedArgs{"import": i.ID, "first": entries[0].Line(), "last": entries[len(entries)-1].Line(), "limit": len(entries)})
		if err != nil {
			return err
		}
		problems := map[int]string{}
		for _, p := range found {
			problems[p.Line] = p.Problem
		}
		for _, e := range entries {
			problem, left := problems[e.Line()]
			for n := 0; left && n < len(e.Rows); n++ {
				row := e.Rows[n].Cells
				cells := make([]string, max(len(i.Headings), len(row))+1)
				copy(cells, row)
				cells[len(i.Headings)] = problem
				copy(cells[len(i.Headings)+1:], row[min(len(i.Headings), len(row)):])
				if err := out.Write(cells); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return out.Close()
}
