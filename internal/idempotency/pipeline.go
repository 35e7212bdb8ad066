package idempotency

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// record is an idempotency record as it is stored.
type record struct {
	token       uuid.UUID
	fingerprint []byte
	result      []byte // JSON
	visible     bool
}

// answer is what one round trip brought back.
type answer struct {
	result []byte          // what the transaction stored and committed; nil if it failed
	failed *pgconn.PgError // what ended the transaction
	at     int             // index of the statement that failed; one past the last means COMMIT
	stored *record         // the record as it stands afterwards, if there is one
}

// send runs a transaction and then looks at the record, in one round trip. All statements up to a
// Sync are one implicit transaction: after an error PostgreSQL skips the rest of them and rolls back,
// else it commits at the Sync. The look behind the Sync is a transaction of its own and runs in any
// case.
//
// An error means that the connection broke, and that the outcome is unknown.
func send(ctx context.Context, conn *pgx.Conn, transaction, look []bound) (answer, error) {
	pipeline := conn.PgConn().StartPipeline(ctx)
	out, err := roundTrip(conn, pipeline, transaction, look)
	// Close tells the error of a statement a second time; that one has been dealt with.
	if closed := pipeline.Close(); err == nil && !isRefusal(closed) {
		err = closed
	}
	if err != nil {
		return answer{}, err
	}
	return out, nil
}

func roundTrip(conn *pgx.Conn, pipeline *pgconn.Pipeline, transaction, look []bound) (out answer, err error) {
	if err := queue(conn, pipeline, transaction); err != nil {
		return out, err
	}
	pipeline.SendPipelineSync()
	if err := queue(conn, pipeline, look); err != nil {
		return out, err
	}
	if err := pipeline.Sync(); err != nil {
		return out, err
	}

	out.at, out.failed, err = readUntilSync(conn, pipeline, len(transaction), &out.result)
	if out.failed != nil {
		out.result = nil
	}
	if err != nil {
		return out, err
	}
	var stored record
	_, refused, err := readUntilSync(conn, pipeline, len(look),
		&stored.token, &stored.fingerprint, &stored.result, &stored.visible)
	if refused != nil {
		return out, fmt.Errorf("read the record back: %w", refused)
	}
	if stored.token != uuid.Nil {
		out.stored = &stored
	}
	return out, err
}

func queue(conn *pgx.Conn, pipeline *pgconn.Pipeline, all []bound) error {
	for _, b := range all {
		var encoded pgx.ExtendedQueryBuilder
		known, prepared := conn.PgConn().CustomData()[b.name].(*pgconn.StatementDescription) // see prepare
		if err := encoded.Build(conn.TypeMap(), known, b.values); err != nil {
			return fmt.Errorf("encode the arguments of:\n%s\n%w", b.sql, err)
		}
		if prepared {
			pipeline.SendQueryPrepared(b.name, encoded.ParamValues, encoded.ParamFormats, encoded.ResultFormats)
		} else {
			pipeline.SendQueryParams(b.sql, encoded.ParamValues, nil, encoded.ParamFormats, encoded.ResultFormats)
		}
	}
	return nil
}

// readUntilSync reads the answers of one implicit transaction of n statements, and scans the row of the
// last one, if it gives one. It tells how many statements succeeded and what error ended them, if one
// did. COMMIT itself may be what fails.
func readUntilSync(conn *pgx.Conn, pipeline *pgconn.Pipeline, n int, dst ...any) (
	succeeded int, refused *pgconn.PgError, err error,
) {
	for {
		results, err := pipeline.GetResults()
		if reader, ok := results.(*pgconn.ResultReader); ok && err == nil {
			rows := pgx.RowsFromResultReader(conn.TypeMap(), reader)
			for rows.Next() {
				if succeeded == n-1 {
					err = errors.Join(err, rows.Scan(dst...))
				}
			}
			err = errors.Join(err, rows.Err())
		}
		switch _, synced := results.(*pgconn.PipelineSync); {
		case synced:
			return succeeded, refused, nil
		case isRefusal(err):
			errors.As(err, &refused)
		case err != nil:
			return succeeded, refused, err
		case results == nil:
			return succeeded, refused, errors.New("connection ended inside the pipeline")
		default:
			succeeded++
		}
	}
}

// isRefusal tells an error of a statement, after which the connection goes on, from the end of the
// connection.
func isRefusal(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.SeverityUnlocalized == "ERROR"
}
