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

// Problem is the reason why a row was left out.
type Problem struct {
	Line    int
	Problem string
}

// Problems returns the first problems of an import, in the order of its rows.
func Problems(ctx context.Context, pool *pgxpool.Pool, tenant, of uuid.UUID, limit int) ([]Problem, error) {
	return record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[Problem], `
		SELECT line, problem FROM customer_import_problems WHERE tenant_id = @tenant_id AND import_id = @import
		ORDER BY line LIMIT @limit`, pgx.NamedArgs{"import": of, "limit": limit})
}

// problemHeading is the heading of the column that [WriteProblems] adds. Such a column isn't imported.
const problemHeading = "Problem"

// WriteProblems writes the rows that were left out as a file in the format of the imported one, with one more column. It returns
// [ErrDeleted] if the imported file was deleted.
func WriteProblems(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, i Import, to io.Writer) error {
	out, err := csvfile.NewWriter(to, i.Format())
	if err == nil {
		err = out.Write(append(slices.Clip(i.Headings), problemHeading))
	}
	if err != nil {
		return err
	}
	err = i.scan(ctx, pool, tenant, func(rows []Row) error {
		found, err := record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[Problem], `
			SELECT line, problem FROM customer_import_problems
			WHERE tenant_id = @tenant_id AND import_id = @import AND line BETWEEN @first AND @last
			ORDER BY line LIMIT @limit`,
			pgx.NamedArgs{"import": i.ID, "first": rows[0].Line, "last": rows[len(rows)-1].Line, "limit": len(rows)})
		if err != nil {
			return err
		}
		problems := map[int]string{}
		for _, p := range found {
			problems[p.Line] = p.Problem
		}
		for _, row := range rows {
			problem, left := problems[row.Line]
			if !left {
				continue
			}
			cells := make([]string, max(len(i.Headings), len(row.Cells))+1)
			copy(cells, row.Cells)
			cells[len(i.Headings)] = problem
			copy(cells[len(i.Headings)+1:], row.Cells[min(len(i.Headings), len(row.Cells)):])
			if err := out.Write(cells); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return out.Close()
}
