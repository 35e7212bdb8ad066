package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"onlyonce/internal/postgres/server"
	"onlyonce/migrations"
)

// ServerVersionError means that the server is too old.
type ServerVersionError struct {
	Number int // server_version_num, for example 140012 for PostgreSQL 14.12
}

func (e *ServerVersionError) Error() string {
	return fmt.Sprintf("the server is PostgreSQL %d.%d, and the app needs %d or later",
		e.Number/10000, e.Number%10000, server.MinMajor)
}

// SchemaError means that the schema of the database has another version than the program needs.
type SchemaError struct {
	Database int64 // number of the last applied migration; 0 if there is none
	Program  int64 // number of the program's last migration
}

func (e *SchemaError) Error() string {
	if e.Database > e.Program {
		return fmt.Sprintf("the database has schema %d and this program knows only %d: "+
			"a newer version of the app has been here, start that one", e.Database, e.Program)
	}
	if e.Database == 0 {
		return fmt.Sprintf("no migrations have run in the database and this program needs schema %d: the command migrate, and each start "+
			"of the app, applies them", e.Program)
	}
	return fmt.Sprintf("the database has schema %d and this program needs %d: the command migrate, and each start of the app, applies the "+
		"migrations after %[1]d, or returns the reason why one can't be applied; nothing has to be undone before", e.Database, e.Program)
}

// OtherMigrationsError means that the database was made by other migrations than the program's.
type OtherMigrationsError struct {
	Versions []int64 // migrations of the database that the program lacks, though it has later ones; lowest first
}

func (e *OtherMigrationsError) Error() string {
	return fmt.Sprintf("the database was made by a version of the app with other migrations: it has migration %d, and this "+
		"program does not. Nothing was changed. Start with a new database: move the directory of the embedded one (.data) away, or "+
		"name another with DATA_DIR or DATABASE_URL. Why, and what becomes of its rows: docs/upgrade.md, Other migrations",
		e.Versions[0])
}

// InvalidIndexError names indexes that exist but do not work, such as after a failed CREATE INDEX CONCURRENTLY. A unique index that is
// invalid stops no duplicate.
type InvalidIndexError struct {
	Names []string
}

func (e *InvalidIndexError) Error() string {
	return fmt.Sprintf("invalid indexes, to be rebuilt with REINDEX: %q", e.Names)
}

// Migrate brings the schema of the database up to this program's. Any number of replicas may call it at once: one migrates, the others
// wait and find nothing to do. It refuses an old server with a [*ServerVersionError], a newer schema with a [*SchemaError], a schema of
// other migrations with an [*OtherMigrationsError], a role that may not do all that migrations do, names that are taken, and the
// connections that [Open] refuses. In these cases it changes nothing. A wait for another session, such as one that is idle with a table
// locked, is logged after 5 seconds, and is an error after 10 minutes. The log and the error name the session. A query without an
// answer within a minute is an error too.
func Migrate(ctx context.Context, url string, log *slog.Logger) error {
	return migrateWithin(ctx, url, patience{log, 5 * time.Second, 30 * time.Second, 10 * time.Minute, time.Minute})
}

// patience bounds waits for other sessions, and for answers.
type patience struct {
	log          *slog.Logger
	first, again time.Duration // when a wait is logged: after first, then every again
	most         time.Duration // when a wait is an error
	answer       time.Duration // the limit of a query
}

func migrateWithin(ctx context.Context, url string, p patience) error {
	config, err := poolConfig(url)
	if err != nil {
		return err
	}
	// Before any object is created that would belong to the wrong role.
	if err := check(ctx, config.ConnConfig); err != nil {
		return err
	}
	return explainPooler(config.ConnConfig, lockAndMigrate(ctx, config, p))
}

func lockAndMigrate(ctx context.Context, config *pgxpool.Config, p patience) error {
	config.ConnConfig.RuntimeParams["application_name"] += " migrations" // p.watch finds the sessions by this name
	asking, asked := context.WithTimeout(ctx, p.answer)
	defer asked()
	conn, err := pgx.ConnectConfig(asking, config.ConnConfig)
	if err != nil {
		return fmt.Errorf("reach the database: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx)) // also releases the lock
	var number int
	if err := conn.QueryRow(asking, "SELECT current_setting('server_version_num')::int").Scan(&number); err != nil {
		return fmt.Errorf("read the server's version: %w", err)
	}
	if err := checkServerVersion(number); err != nil {
		return err
	}
	if done, err := allApplied(asking, conn); done || err != nil {
		return err
	}
	if err := errors.Join(checkRights(asking, conn), checkNames(asking, conn), checkOwner(asking, conn)); err != nil {
		return err
	}
	if err := p.lockMigrations(ctx, conn); err != nil {
		return err
	}
	migrating, cancel := context.WithCancelCause(ctx)
	var watcher sync.WaitGroup
	defer watcher.Wait()
	defer cancel(nil)
	watcher.Go(func() { cancel(p.watch(migrating, conn)) })
	if err = migrate(migrating, config.ConnConfig, migrations.FS); err == nil {
		err = migrateJobs(migrating, config)
	}
	return errors.Join(context.Cause(migrating), err)
}

// applied is a query for the numbers of the applied migrations, NULL if there are none.
const applied = `SELECT array_agg(version_id ORDER BY version_id) FROM goose_db_version WHERE is_applied AND version_id > 0`

// allApplied reports whether the database has all migrations of this program and of River, and no others. That is so at nearly every
// start, which then needs one query instead of three more connections.
func allApplied(ctx context.Context, conn *pgx.Conn) (bool, error) {
	program, err := migrations.Versions(migrations.FS)
	if err != nil {
		return false, err
	}
	jobs, err := jobVersions()
	if err != nil {
		return false, err
	}
	var database, databaseJobs []int64
	err = conn.QueryRow(ctx, `SELECT (`+applied+`), (SELECT array_agg(version ORDER BY version) FROM `+JobSchema+`.river_migration)`).
		Scan(&database, &databaseJobs)
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && (refused.Code == "42P01" || refused.Code == "42501") {
		return false, nil // no such table, or another role owns it
	}
	if err != nil {
		return false, fmt.Errorf("read which migrations were applied: %w", err)
	}
	return slices.Equal(database, program) && slices.Equal(databaseJobs, jobs), nil
}

// others returns the migrations of a database that a program does not have, though it has later ones.
func others(database, program []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(database), func(version int64) bool {
		return version > slices.Max(program) || slices.Contains(program, version)
	})
}

// migrate applies the migrations in files that the database does not have.
func migrate(ctx context.Context, config *pgx.ConnConfig, files fs.FS) error {
	db := stdlib.OpenDB(*config)
	defer db.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files)
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	current, newest, err := provider.GetVersions(ctx) // makes goose's table
	if err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	var database, program []int64
	if err := db.QueryRowContext(ctx, applied).Scan(pgtype.NewMap().SQLScanner(&database)); err != nil {
		return fmt.Errorf("read which migrations were applied: %w", err)
	}
	for _, source := range provider.ListSources() {
		program = append(program, source.Version)
	}
	if others := others(database, program); len(others) > 0 {
		return &OtherMigrationsError{Versions: others}
	}
	if current > newest {
		return &SchemaError{Database: current, Program: newest}
	}
	return applyAll(ctx, provider)
}

// maxApplies bounds the attempts of a migration that the server ends because of a lock.
const maxApplies = 20

// applyAll applies the migrations. A migration of several tables locks them in its own order, and the running version locks them in
// another: PostgreSQL ends a deadlock by undoing one of the two. If that is the migration, it begins again, like a request would.
func applyAll(ctx context.Context, provider *goose.Provider) error {
	for n := 1; ; n++ {
		_, err := provider.Up(ctx)
		if err == nil {
			return nil
		}
		if n == maxApplies || !lostALock(err) {
			return fmt.Errorf("migrate: %w", err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("migrate: %w", err)
		case <-time.After(time.Duration(n) * 100 * time.Millisecond):
		}
	}
}

// lostALock reports whether the server undid a transaction because of a deadlock, or because of a migration's lock_timeout.
func lostALock(err error) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (refused.Code == "40P01" || refused.Code == "55P03")
}

// lockMigrations takes the lock that lets one replica migrate at a time. It lasts until conn closes.
//
// The lock belongs to a transaction, not to the session as goose's own does: PgBouncer in transaction mode hands the session, with the
// lock, to another client. The lock is polled, because a statement that waits in the server has a snapshot, and CREATE INDEX
// CONCURRENTLY in the replica that migrates would wait for that snapshot in turn.
func (p patience) lockMigrations(ctx context.Context, conn *pgx.Conn) error {
	began, logged := time.Now(), time.Time{}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		asking, cancel := context.WithTimeout(ctx, p.answer)
		holder, err := tryLock(asking, conn)
		cancel()
		if err != nil {
			return fmt.Errorf("lock migrations: %w", err)
		}
		if holder == "" {
			return nil
		}
		waited := time.Since(began)
		if waited >= p.most {
			return fmt.Errorf("lock migrations: after %v another replica still holds the lock: %s", p.most, holder)
		}
		if waited >= p.first && time.Since(logged) >= p.again {
			p.log.WarnContext(ctx, "waiting for another replica that migrates", "holder", holder, "since", waited.Round(time.Second))
			logged = time.Now()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("lock migrations, which another replica holds: %w", ctx.Err())
		case <-tick.C:
		}
	}
}

// tryLock takes the lock of migrations in a transaction, which then stays open. Otherwise it returns the session that holds the lock.
func tryLock(ctx context.Context, conn *pgx.Conn) (holder string, err error) {
	const key = 6_665_108_111 // arbitrary, the same in every version of the app
	tx, err := conn.Begin(ctx)
	if err != nil {
		return "", err
	}
	// A migration may take longer than these timeouts allow. An error would end the transaction, and release the lock.
	if _, err := tx.Exec(ctx, `SELECT set_config('idle_in_transaction_session_timeout', '0', true),
		set_config('statement_timeout', '0', true)`); err != nil {
		return "", err
	}
	var locked bool
	if err := tx.QueryRow(ctx, "SELECT pg_try_advisory_xact_lock($1)", int64(key)).Scan(&locked); err != nil || locked {
		return "", err
	}
	if err := tx.QueryRow(ctx, `SELECT `+sessions+` FROM pg_locks LEFT JOIN pg_stat_activity USING (pid)
		WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
			AND (classid::bigint << 32) + objid::bigint = $1 AND objsubid = 1 AND granted`, int64(key)).Scan(&holder); err != nil {
		return "", err
	}
	return holder, tx.Rollback(ctx)
}

// sessions describes rows of pg_stat_activity. A prepared transaction (two-phase commit) has no row.
const sessions = `COALESCE(string_agg(COALESCE(
	'process ' || NULLIF(pid, 0) || ' (' || concat_ws(', ', 'user ' || usename, 'application ' || NULLIF(application_name, ''),
		'at ' || host(client_addr), state) || ')', 'a prepared transaction'), '; '), 'a session that has ended')`

// watch watches a migration, on the connection that holds the lock of migrations, until ctx ends. It returns an error if a statement
// has waited too long for a lock, or PostgreSQL does not respond.
func (p patience) watch(ctx context.Context, conn *pgx.Conn) error {
	tick := time.NewTicker(p.first)
	defer tick.Stop()
	for logged := (time.Time{}); ; {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		asking, cancel := context.WithTimeout(ctx, p.answer)
		var (
			waited  float64 // seconds
			holders string
		)
		err := conn.QueryRow(asking, `
			SELECT COALESCE(max(waited), 0)::float8, `+sessions+`
			FROM (
				SELECT extract(epoch FROM clock_timestamp() - waitstart) AS waited, pg_blocking_pids(waiting.pid) AS pids
				FROM pg_locks JOIN pg_stat_activity AS waiting USING (pid)
				WHERE waitstart IS NOT NULL AND datname = current_database() AND application_name = current_setting('application_name')
			) AS waits, unnest(pids) AS pid LEFT JOIN pg_stat_activity USING (pid)`).Scan(&waited, &holders)
		cancel()
		if err != nil {
			return fmt.Errorf("look after the migration: %w", err)
		}
		since := time.Duration(waited * float64(time.Second))
		if since >= p.most {
			return fmt.Errorf("a migration has waited %v for a lock of %s", p.most, holders)
		}
		if since >= p.first && time.Since(logged) >= p.again {
			p.log.WarnContext(ctx, "a migration waits for a lock", "holder", holders, "since", since.Round(time.Second))
			logged = time.Now()
		}
	}
}

// Querier is a pool or a transaction.
type Querier interface {
	Begin(ctx context.Context) (pgx.Tx, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// SchemaCurrent returns nil if the schema has the version of this program and all of its indexes work. Otherwise it returns a
// [*SchemaError], an [*OtherMigrationsError], an [*InvalidIndexError], or the error of its query.
func SchemaCurrent(ctx context.Context, db Querier) error {
	program, err := migrations.Versions(migrations.FS)
	if err != nil {
		return err
	}
	var (
		database []int64
		invalid  []string
	)
	err = db.QueryRow(ctx, `
		SELECT
			(`+applied+`),
			(SELECT array_agg(indexrelid::regclass::text ORDER BY indexrelid)
			 FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
			 WHERE NOT indisvalid AND relnamespace = current_schema()::regnamespace)`,
	).Scan(&database, &invalid)
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == "42P01" { // no such table
		return &SchemaError{Program: slices.Max(program)}
	}
	if err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	if others := others(database, program); len(others) > 0 {
		return &OtherMigrationsError{Versions: others}
	}
	if newest, last := slices.Max(program), slices.Max(append(database, 0)); last != newest {
		return &SchemaError{Database: last, Program: newest}
	}
	if len(invalid) > 0 {
		return &InvalidIndexError{Names: invalid}
	}
	return nil
}

func checkServerVersion(number int) error {
	if number/10000 < server.MinMajor {
		return &ServerVersionError{Number: number}
	}
	return nil
}
