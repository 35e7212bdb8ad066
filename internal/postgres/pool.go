package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	pgxuuid "github.com/vgarvardt/pgx-google-uuid/v5"

	"onlyonce/internal/postgres/server"
)

const (
	defaultMaxConns = 16
	connectTimeout  = 5 * time.Second
)

// Open connects to url, checks that the app can work there, and returns the pool. The isolation level, the time zone, and the text
// format of values are set for every connection, because the app relies on them. The level is also read back, since a pooler may be
// configured to ignore it: the error then is an [*IsolationError]. It is a [*SettingError] if another setting that the app relies on
// was changed, a [*RoleError] if row-level security would not bind the role, and a [*PoolerError] if a connection pooler needs other
// settings.
//
// The pool has at most pool_max_conns connections, a parameter of url, by default 16. A connection attempt fails after connect_timeout,
// by default 5 seconds.
func Open(ctx context.Context, url string) (*pgxpool.Pool, error) { return open(ctx, url, 0, nil) }

// OpenTraced is [Open] with a tracer of all queries, which may be nil.
func OpenTraced(ctx context.Context, url string, tracer pgx.QueryTracer) (*pgxpool.Pool, error) {
	return open(ctx, url, 0, tracer)
}

// OpenSmall is [Open] for a separate pool of at most conns connections, such as the one of background jobs, which cannot use up the
// connections of requests.
func OpenSmall(ctx context.Context, url string, conns int32) (*pgxpool.Pool, error) {
	return open(ctx, url, conns, nil)
}

func open(ctx context.Context, url string, conns int32, tracer pgx.QueryTracer) (*pgxpool.Pool, error) {
	config, err := poolConfig(url)
	if err != nil {
		return nil, err
	}
	if conns > 0 {
		config.MaxConns, config.MinConns = conns, 0
	}
	if err := check(ctx, config.ConnConfig); err != nil {
		return nil, err
	}
	config.ConnConfig.Tracer = tracer
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return pool, nil
}

// Close closes a pool, and waits for its connections until ctx is done. Connections that are still in use by then, or whose server does
// not respond, end later; the error then wraps that of ctx.
func Close(ctx context.Context, pool *pgxpool.Pool) error {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		pool.Close()
	}()
	select {
	case <-closed:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("connections to PostgreSQL have not ended: %w", ctx.Err())
	}
}

// poolConfig returns the configuration of all connections of the app.
func poolConfig(url string) (*pgxpool.Config, error) {
	config, err := server.Parse(url)
	if err != nil {
		return nil, fmt.Errorf("database URL: %w", err)
	}
	// pgxpool's result does not show whether MaxConns is its default or from the URL.
	asked, err := pgx.ParseConfig(url) //nolint:forbidigo // only its parameters are used
	if err != nil {
		return nil, fmt.Errorf("database URL: %w", err)
	}
	if _, ok := asked.RuntimeParams["pool_max_conns"]; !ok {
		config.MaxConns = defaultMaxConns
	}
	conn := config.ConnConfig
	if conn.ConnectTimeout == 0 {
		conn.ConnectTimeout = connectTimeout
	}
	// Without it, pgx sends and reads a uuid.UUID as text, by way of database/sql.
	config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		pgxuuid.Register(conn.TypeMap())
		// Records are read as JSON. This package decodes it in half the time.
		conn.TypeMap().RegisterType(&pgtype.Type{Name: "json", OID: pgtype.JSONOID, Codec: &pgtype.JSONCodec{
			Marshal: json.Marshal, Unmarshal: func(data []byte, v any) error { return jsonv2.Unmarshal(data, v) },
		}})
		return nil
	}
	// PostgreSQL ignores the case of setting names, so the URL may have one of these in another case.
	set := func(name, value string) {
		maps.DeleteFunc(conn.RuntimeParams, func(asked, _ string) bool { return strings.EqualFold(asked, name) })
		conn.RuntimeParams[name] = value
	}
	set("default_transaction_isolation", readCommitted)
	set("timezone", "UTC")
	// The text format of values, which pgx reads with default_query_exec_mode=exec, and of literals with a backslash. PgBouncer knows
	// these and the time zone, and passes them on.
	set("client_encoding", "UTF8")
	set("datestyle", "ISO, MDY")
	set("standard_conforming_strings", "on")
	// Every query has its index. On a young database PostgreSQL would still plan to read whole tables, because they are small. Prepared
	// statements would keep these plans while the tables grow, until the tables are analyzed again (TestYoungDatabase).
	set("enable_seqscan", "off")
	// A page of a list is read from an index in its order and stops at its last row. A bitmap scan would find all matching rows before
	// it returns the first.
	set("enable_bitmapscan", "off")
	// With enable_seqscan off, a statement that must read a whole table has such a high estimated cost that PostgreSQL would compile it
	// first. That takes a hundred times longer than reading the schema's version.
	set("jit", "off")
	for name, value := range map[string]string{ // the URL may override these
		"application_name": "onlyonce",
		// If a host vanishes in the middle of a transaction, its locks, and the claim of a key among them, last until PostgreSQL
		// notices: a minute with these values, which are in seconds; two hours without.
		"tcp_keepalives_idle": "30", "tcp_keepalives_interval": "10", "tcp_keepalives_count": "3",
	} {
		if conn.RuntimeParams[name] == "" {
			conn.RuntimeParams[name] = value
		}
	}
	return config, nil
}

// InTenant runs work as a tenant, in a transaction that is committed if work returns nil. It is for background work only: requests run
// operations of package idempotency.
func InTenant(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, work func(pgx.Tx) error) error {
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT set_config('onlyonce.tenant_id', $1::text, true)`, tenant); err != nil {
			return err
		}
		return work(tx)
	})
	if err != nil {
		return fmt.Errorf("work as tenant: %w", err)
	}
	return nil
}

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
