package idempotency

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// commit runs statements as one transaction in one round trip, and scans the row of the last one into dst. After an error PostgreSQL
// skips the rest and rolls back.
//
// It sends BEGIN and COMMIT explicitly. A pipeline would be a transaction without them, but a proxy between the app and PostgreSQL may
// not know that. COMMIT comes after the Sync at which PostgreSQL stops skipping, and also ends a failed transaction.
//
// If it fails, at is the index of the statement that failed, one past the last for COMMIT, or notSent. Without a row it returns
// [pgx.ErrNoRows].
//
// Unlike with a pgx.Batch, a statement stays prepared if another one fails. Failure is common here, and preparing everything again would
// take another round trip.
func commit(ctx context.Context, conn *pgx.Conn, all []bound, dst ...any) (at int, err error) {
	statements, err := encode(conn, all)
	if err != nil {
		return notSent, err
	}
	pipeline := conn.PgConn().StartPipeline(ctx)
	at, err = commitIn(conn, pipeline, statements, dst)
	// Close reads the remaining results, and returns the error of a statement a second time.
	if closed := pipeline.Close(); err == nil {
		err = closed
	}
	return at, err
}

func commitIn(conn *pgx.Conn, pipeline *pgconn.Pipeline, all []encoded, dst []any) (at int, err error) {
	pipeline.SendQueryParams("BEGIN ISOLATION LEVEL READ COMMITTED", nil, nil, nil, nil)
	queue(pipeline, all)
	pipeline.SendPipelineSync()
	pipeline.SendQueryParams("COMMIT", nil, nil, nil, nil)
	if err := pipeline.Sync(); err != nil {
		return 0, fmt.Errorf("send: %w", err)
	}
	if _, err := tag(pipeline); err != nil {
		return 0, err
	}
	at, found, err := results(conn, pipeline, len(all), dst)
	if err != nil {
		return at, err
	}
	if _, err := next[*pgconn.PipelineSync](pipeline); err != nil {
		return at, err
	}
	switch ended, err := tag(pipeline); {
	case err != nil:
		return at, err
	case ended.String() != "COMMIT":
		return at, fmt.Errorf("the transaction ended with %s", ended)
	case !found:
		return at, pgx.ErrNoRows
	default:
		return at, nil
	}
}

// read runs statements that change nothing in one round trip, and scans the row of the last one into dst. Without a row it returns
// [pgx.ErrNoRows].
func read(ctx context.Context, conn *pgx.Conn, all []bound, dst ...any) error {
	statements, err := encode(conn, all)
	if err != nil {
		return err
	}
	pipeline := conn.PgConn().StartPipeline(ctx)
	err = readIn(conn, pipeline, statements, dst)
	if closed := pipeline.Close(); err == nil {
		err = closed
	}
	return err
}

func readIn(conn *pgx.Conn, pipeline *pgconn.Pipeline, all []encoded, dst []any) error {
	queue(pipeline, all)
	if err := pipeline.Sync(); err != nil {
		return fmt.Errorf("send: %w", err)
	}
	_, found, err := results(conn, pipeline, len(all), dst)
	if err == nil && !found {
		err = pgx.ErrNoRows
	}
	return err
}

// results reads the results of n statements in order. at is the number of statements that succeeded.
func results(conn *pgx.Conn, pipeline *pgconn.Pipeline, n int, dst []any) (at int, found bool, err error) {
	for at = range n {
		reader, err := next[*pgconn.ResultReader](pipeline)
		if err != nil {
			return at, false, err
		}
		rows := pgx.RowsFromResultReader(conn.TypeMap(), reader)
		for rows.Next() {
			if at == n-1 {
				found = true
				err = rows.Scan(dst...)
			}
		}
		if err := errors.Join(err, rows.Err()); err != nil {
			return at, false, err
		}
	}
	return n, found, nil
}

// tag reads the result of a statement that returns no rows.
func tag(pipeline *pgconn.Pipeline) (pgconn.CommandTag, error) {
	reader, err := next[*pgconn.ResultReader](pipeline)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	return reader.Close()
}

// encoded is a statement with its arguments in PostgreSQL's encoding.
type encoded struct {
	pgx.ExtendedQueryBuilder

	sql      string
	prepared *pgconn.StatementDescription // nil if the connection has not prepared it
}

// encode runs before anything is sent, so that an argument that doesn't fit its type does not look like a lost connection.
func encode(conn *pgx.Conn, all []bound) ([]encoded, error) {
	statements := make([]encoded, len(all))
	for i, b := range all {
		s := &statements[i]
		s.sql = b.sql
		s.ParamValues, s.ParamFormats = make([][]byte, 0, len(b.values)), make([]int16, 0, len(b.values)) // Build would append one by one
		s.prepared, _ = conn.PgConn().CustomData()[b.name].(*pgconn.StatementDescription)
		if err := s.Build(conn.TypeMap(), s.prepared, b.values); err != nil {
			return nil, fmt.Errorf("encode the arguments of:\n%s\n%w", b.sql, err)
		}
	}
	return statements, nil
}

func queue(pipeline *pgconn.Pipeline, all []encoded) {
	for _, s := range all {
		if s.prepared != nil {
			pipeline.SendQueryStatement(s.prepared, s.ParamValues, s.ParamFormats, s.ResultFormats)
		} else {
			pipeline.SendQueryParams(s.sql, s.ParamValues, nil, s.ParamFormats, s.ResultFormats)
		}
	}
}

// prepare makes sure that the statements are prepared on the connection. That takes one round trip for new statements, and none later.
// Parsing a statement locks its tables briefly, so wait limits that too.
func prepare(ctx context.Context, conn *pgx.Conn, wait string, all []bound) error {
	known := conn.PgConn().CustomData()
	if throughPooler(conn, known) {
		return nil // the next transaction may run on another of the pooler's connections
	}
	var missing []*statement
	for _, b := range all {
		there := slices.ContainsFunc(missing, func(s *statement) bool { return s.name == b.name }) // a transaction may run one twice
		if known[b.name] == nil && !there {
			missing = append(missing, b.statement)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	pipeline := conn.PgConn().StartPipeline(ctx)
	err := parse(pipeline, wait, missing, known)
	if closed := pipeline.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	return nil
}

// throughPooler reports whether the app connects through a pooler, according to the settings. The answer is cached per connection,
// because pgx copies the whole configuration to read it.
func throughPooler(conn *pgx.Conn, known map[string]any) bool {
	const name = "through a pooler"
	pooled, asked := known[name].(bool)
	if !asked {
		pooled = conn.Config().DefaultQueryExecMode == pgx.QueryExecModeExec
		known[name] = pooled
	}
	return pooled
}

// parse adds each statement to known as soon as it is prepared, because it stays prepared even if the next one fails.
func parse(pipeline *pgconn.Pipeline, wait string, missing []*statement, known map[string]any) error {
	pipeline.SendQueryParams(`SELECT set_config('lock_timeout', $1, true)`, [][]byte{[]byte(wait)}, nil, nil, nil)
	for _, st := range missing {
		pipeline.SendPrepare(st.name, st.sql, nil)
	}
	if err := pipeline.Sync(); err != nil {
		return fmt.Errorf("send: %w", err)
	}
	if _, err := next[*pgconn.ResultReader](pipeline); err != nil {
		return err
	}
	for _, st := range missing {
		d, err := next[*pgconn.StatementDescription](pipeline)
		if err != nil {
			return fmt.Errorf("%w in:\n%s", err, st.sql)
		}
		d.Name, d.SQL = st.name, st.sql
		known[st.name] = d
	}
	return nil
}

// next returns the next result of a pipeline, which must be a T.
func next[T any](pipeline *pgconn.Pipeline) (T, error) {
	results, err := pipeline.GetResults()
	answer, ok := results.(T)
	if err == nil && !ok {
		err = fmt.Errorf("connection ended inside the pipeline, with a %T", results)
	}
	return answer, err
}
