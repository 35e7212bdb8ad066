package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// PoolerError means that there is a connection pooler in front of the server whose settings and those of the app don't fit.
type PoolerError struct {
	Parameters []string // start parameters that the pooler must pass on or ignore
	Err        error    // the error that the pooler caused
}

func (e *PoolerError) Error() string {
	return fmt.Sprintf("a connection pooler stands before PostgreSQL and needs other settings: PgBouncer needs "+
		"pool_mode = transaction or session and ignore_startup_parameters = %s, and with pool_mode = transaction "+
		"DATABASE_URL needs the parameter default_query_exec_mode=exec (%v)", strings.Join(e.Parameters, ","), e.Err)
}

// Unwrap returns the error that the pooler caused.
func (e *PoolerError) Unwrap() error { return e.Err }

func poolerError(config *pgx.ConnConfig, err error) *PoolerError {
	// PgBouncer knows these without configuration.
	known := []string{"application_name", "client_encoding", "datestyle", "standard_conforming_strings", "timezone"}
	parameters := slices.DeleteFunc(slices.Sorted(maps.Keys(config.RuntimeParams)), func(name string) bool {
		return slices.Contains(known, name)
	})
	return &PoolerError{parameters, err}
}

// explainPooler wraps an error in a [*PoolerError] if only a pooler can have caused it: no server loses a prepared statement, has one
// that was never prepared, or mixes up messages.
func explainPooler(config *pgx.ConnConfig, err error) error {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	if _, explained := errors.AsType[*PoolerError](err); explained || !ok {
		return err
	}
	switch refused.Code {
	case "26000", // prepared statement does not exist
		"42P05", // prepared statement exists already
		"08P01": // protocol violation; PgBouncer's code for an unknown start parameter
		return poolerError(config, err)
	default:
		return err
	}
}

// checkPrepared returns a [*PoolerError] if conn loses a statement that it prepared, or another connection has it. It accepts a pooler
// that keeps the prepared statements of its clients apart.
func checkPrepared(ctx context.Context, config *pgx.ConnConfig, conn *pgx.Conn) error {
	if config.DefaultQueryExecMode == pgx.QueryExecModeExec {
		return nil // nothing is prepared then
	}
	name := "onlyonce-" + uuid.NewString()
	if _, err := conn.Prepare(ctx, name, "SELECT 1"); err != nil {
		return explainPooler(config, fmt.Errorf("prepare a statement: %w", err))
	}
	other, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return explainPooler(config, fmt.Errorf("reach the database: %w", err))
	}
	defer other.Close(context.WithoutCancel(ctx))
	// A pooler usually reuses the connection that was returned last. Under load it may be another one, so several rounds are needed.
	for range 5 {
		var seen bool
		err := other.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_prepared_statements WHERE name = $1)",
			pgx.QueryExecModeExec, name).Scan(&seen)
		if err == nil && seen {
			return poolerError(config, errors.New("a statement that one connection prepared is there on another"))
		}
		if err == nil {
			_, err = conn.Exec(ctx, name)
		}
		if err != nil {
			return explainPooler(config, fmt.Errorf("use a prepared statement: %w", err))
		}
	}
	return nil
}
