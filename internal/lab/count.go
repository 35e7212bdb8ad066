package lab

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// finish counts the records and finds the attempt that made each one.
func (s *stage) finish(ctx context.Context) error {
	script := s.run.script
	columns, rows, err := selected(ctx, s.admin, script.counts)
	if err != nil {
		return fmt.Errorf("count: %w", err)
	}
	told, err := s.admin.Query(ctx, script.marks)
	if err != nil {
		return fmt.Errorf("tell what was made: %w", err)
	}
	marks, err := pgx.CollectRows(told, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("tell what was made: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run.update(func(r *Result) {
		side := &r.Sides[s.side]
		side.Columns, side.Rows, side.Things, side.Done = columns, rows, len(rows), true
		if script.amount > 0 {
			side.Amount = script.amount * int64(len(rows))
			side.Money, side.Meant = euros(side.Amount), euros(script.amount)
		}
		unanswered := s.committed
		for row, mark := range marks {
			n, answered := s.marks[mark]
			if !answered && len(unanswered) > 0 {
				n, unanswered = unanswered[0], unanswered[1:]
			} else if !answered {
				continue
			}
			side.Attempts[n].Row = row + 1
		}
	})
	return nil
}

// selected returns the result of a SELECT as text.
func selected(ctx context.Context, on interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}, sql string,
) (columns []string, rows [][]string, err error) {
	found, err := on.Query(ctx, sql, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return nil, nil, err
	}
	for _, field := range found.FieldDescriptions() {
		columns = append(columns, field.Name)
	}
	rows, err = pgx.CollectRows(found, func(row pgx.CollectableRow) (cells []string, err error) {
		for _, value := range row.RawValues() {
			cells = append(cells, string(value))
		}
		return cells, nil
	})
	return columns, rows, err
}
