package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/migrations"
)

// Finding is the result of a check of a database.
type Finding struct {
	Check string
	Good  string // the state that was found, if Err is nil
	Err   error  // the fault and its repair
	Minor bool   // the app works despite Err
}

// maxClockDifference is the greatest difference between the clocks of app and database that is not reported.
const maxClockDifference = 2 * time.Second

// Examine checks all requirements of the app on a database, and changes nothing. It continues after faults that make [Open] and
// [Migrate] fail, as long as there is a connection. wait is the time that a repeat waits for the first attempt.
func Examine(ctx context.Context, url string, wait time.Duration) []Finding {
	ctx, cancel := context.WithTimeout(ctx, 2*checkTimeout)
	defer cancel()
	config, err := poolConfig(url)
	if err != nil {
		return []Finding{{Check: "database", Err: err}}
	}
	conn, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		err = explainPooler(config.ConnConfig, fmt.Errorf("reach the database: %w", err))
		return []Finding{{Check: "database", Err: err}}
	}
	defer conn.Close(context.WithoutCancel(ctx))
	before := time.Now()
	s, err := askSession(ctx, conn)
	if err != nil {
		return []Finding{{Check: "database", Err: explainPooler(config.ConnConfig, err)}}
	}
	after := time.Now()
	version := fmt.Sprintf("PostgreSQL %d.%d", s.version/10000, s.version%10000)
	findings := []Finding{
		{Check: "database", Good: "answers in " + after.Sub(before).Round(100*time.Microsecond).String()},
		{Check: "version", Good: version, Err: checkServerVersion(s.version)},
		{Check: "role", Good: s.role.Role + " is bound by row-level security", Err: s.privileges()},
		{Check: "encoding", Good: s.encoding, Err: s.utf8()},
		{Check: "isolation", Good: s.level, Err: s.isolation()},
		{Check: "session", Good: "has the settings that the app relies on", Err: s.settings()},
		{
			Check: "pooler", Good: "none, or one that works with " + config.ConnConfig.DefaultQueryExecMode.String(),
			Err: checkPrepared(ctx, config.ConnConfig, conn),
		},
		clock(before, s.now, after),
		{Check: "timeouts", Good: "none ends a repeat while it waits", Err: checkTimeouts(ctx, conn, wait), Minor: true},
		{Check: "collation", Good: "as it was when the indexes were built", Err: Collation(ctx, conn), Minor: true},
	}
	return append(findings, examineSchema(ctx, config)...)
}

// clock compares the database's time with the app's, read before and after it.
func clock(before, theirs, after time.Time) Finding {
	f := Finding{Check: "clock", Good: "the same in app and database", Minor: true}
	difference := max(before.Sub(theirs), theirs.Sub(after))
	if difference > maxClockDifference {
		f.Err = fmt.Errorf("those of app and database are %s apart, and sessions and retries end at other times than they should: "+
			"have NTP set both", difference.Round(100*time.Millisecond))
	}
	return f
}

// checkTimeouts returns an error if a setting ends a repeat while it waits for the first attempt. It ignores lock_timeout and
// idle_in_transaction_session_timeout, which the app sets itself.
func checkTimeouts(ctx context.Context, conn *pgx.Conn, wait time.Duration) error {
	rows, err := conn.Query(ctx, `
		SELECT name || ' is ' || current_setting(name) FROM pg_settings
		WHERE name IN ('statement_timeout', 'transaction_timeout') AND setting::bigint BETWEEN 1 AND $1::bigint
		ORDER BY name`, pgx.QueryExecModeExec, wait.Milliseconds())
	if err != nil {
		return fmt.Errorf("read the timeouts: %w", err)
	}
	short, err := pgx.CollectRows(rows, pgx.RowTo[string])
	switch {
	case err != nil:
		return fmt.Errorf("read the timeouts: %w", err)
	case len(short) > 0:
		return fmt.Errorf("%s, not more than IDEMPOTENCY_WAIT (%v), so a repeat that waits for the first attempt is ended early: "+
			"set it higher for the role of the app (ALTER ROLE … SET …), or IDEMPOTENCY_WAIT lower", strings.Join(short, ", "), wait)
	default:
		return nil
	}
}

func examineSchema(ctx context.Context, config *pgxpool.Config) []Finding {
	config = config.Copy()
	config.MaxConns, config.MinConns = 1, 0
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return []Finding{{Check: "schema", Err: err}}
	}
	defer pool.Close()
	newest, err := migrations.Newest(migrations.FS)
	if err != nil {
		return []Finding{{Check: "schema", Err: err}}
	}
	current := SchemaCurrent(ctx, pool)
	if current == nil {
		current = checkRecorded(ctx, pool)
	}
	if current == nil {
		current = checkJobs(ctx, pool)
	}
	findings := []Finding{
		{Check: "schema", Good: fmt.Sprintf("version %d", newest), Err: explainPooler(config.ConnConfig, current)},
		{Check: "owner", Good: "the role owns the tables and functions", Err: checkOwner(ctx, pool)},
		{Check: "names", Good: "others have none that migrations need", Err: checkNames(ctx, pool)},
		{Check: "rights", Good: "the role may do what migrations do", Err: checkRights(ctx, pool), Minor: current == nil},
	}
	differences, err := Differences(ctx, pool)
	_, other := errors.AsType[*SchemaError](current)
	_, foreign := errors.AsType[*OtherMigrationsError](current)
	switch {
	case other, foreign:
		// The schema may be that of an older or newer program.
	case err != nil:
		findings = append(findings, Finding{Check: "catalog", Err: explainPooler(config.ConnConfig, err)})
	case len(differences) == 0:
		findings = append(findings, Finding{Check: "catalog", Good: "all is as the migrations made it"})
	}
	for _, difference := range differences {
		findings = append(findings, Finding{Check: "catalog", Err: errors.New(difference)})
	}
	return findings
}

// checkRecorded returns an error if goose's table lacks a migration, though it has later ones.
func checkRecorded(ctx context.Context, pool *pgxpool.Pool) error {
	versions, err := migrations.Versions(migrations.FS)
	if err != nil {
		return err
	}
	var missing []int64
	err = pool.QueryRow(ctx, `
		SELECT array_agg(version ORDER BY version) FROM unnest($1::bigint[]) AS version
		WHERE version NOT IN (SELECT version_id FROM goose_db_version WHERE is_applied)`, versions).Scan(&missing)
	switch {
	case err != nil:
		return fmt.Errorf("read which migrations were applied: %w", err)
	case len(missing) > 0:
		return fmt.Errorf("the table goose_db_version does not have migrations %v, though later ones, so the app does not start: if "+
			"the catalog is as it should be, only the rows are missing (INSERT INTO goose_db_version (version_id, is_applied) "+
			"VALUES (%d, true))", missing, missing[0])
	default:
		return nil
	}
}

// checkJobs returns an error if migrations of the job queue are missing, as after a start that was interrupted between the app's
// migrations and those.
func checkJobs(ctx context.Context, pool *pgxpool.Pool) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("read which migrations were applied: %w", err)
	}
	defer conn.Release()
	all, err := allApplied(ctx, conn.Conn())
	if err == nil && !all {
		err = errors.New("the tables of background jobs are not those of this program: the command migrate, and each start of the app, " +
			"brings them up to date")
	}
	return err
}

// checkOwner returns an error if the role of the app does not own some object, directly or through a role: it may not migrate it, and
// lacks the rights that the migrations granted to the owner.
func checkOwner(ctx context.Context, db Querier) error {
	var (
		role   string
		names  []string
		owners []string
	)
	err := db.QueryRow(ctx, `
		WITH ours (name, owner) AS (
			SELECT relname, relowner FROM pg_class
			WHERE relkind IN ('r', 'p') AND (relnamespace = to_regnamespace($2)
				OR relnamespace = current_schema()::regnamespace AND relname = ANY ($1))
			UNION ALL
			SELECT proname, proowner FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND proname = ANY ($1)
			UNION ALL
			SELECT typname, typowner FROM pg_type
			WHERE typtype = 'd' AND typnamespace = current_schema()::regnamespace AND typname = ANY ($1)
			UNION ALL
			SELECT nspname, nspowner FROM pg_namespace WHERE nspname = $2
		)
		SELECT current_user::text, array_agg(DISTINCT name::text ORDER BY name::text), array_agg(DISTINCT pg_get_userbyid(owner)::text)
		FROM ours WHERE NOT pg_has_role(owner, 'USAGE')`, append(subjects(madeByMigrations()), "goose_db_version"), JobSchema,
	).Scan(&role, &names, &owners)
	switch {
	case err != nil:
		return fmt.Errorf("read who owns the tables: %w", err)
	case len(names) > 0:
		if more := len(names) - maxDifferences; more > 0 {
			names = append(names[:maxDifferences], fmt.Sprintf("and %d objects more", more))
		}
		return fmt.Errorf("%[1]s does not own %[2]s: connect as their owner (%[3]s), or make it their owner (ALTER TABLE … OWNER TO "+
			"%[1]s, and so for functions, domains and schemas)",
			pgx.Identifier{role}.Sanitize(), strings.Join(names, ", "), strings.Join(owners, ", "))
	default:
		return nil
	}
}

// checkNames returns an error if no migration was applied yet, but objects with names that migrations create exist.
func checkNames(ctx context.Context, db Querier) error {
	var names, taken []string
	for o := range madeByMigrations() {
		switch o.Kind {
		case "table", "constraint", "index", "unique index", "domain", "function":
			names = append(names, o.Name)
		}
	}
	err := db.QueryRow(ctx, `
		SELECT array_agg(DISTINCT name ORDER BY name)
		FROM (
			SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace
			UNION ALL
			SELECT typname FROM pg_type WHERE typnamespace = current_schema()::regnamespace
			UNION ALL
			SELECT proname || '(' || oidvectortypes(proargtypes) || ')' FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
			UNION ALL
			SELECT 'schema ' || nspname FROM pg_namespace
		) AS found (name)
		WHERE name = ANY ($1) AND to_regclass(quote_ident(current_schema()) || '.goose_db_version') IS NULL`,
		append(names, "schema "+JobSchema)).Scan(&taken)
	switch {
	case err != nil:
		return fmt.Errorf("read which names are taken: %w", err)
	case len(taken) > 0:
		return fmt.Errorf("the database has %s, which migrations create and have not created: the app needs a database without other apps",
			strings.Join(taken, ", "))
	default:
		return nil
	}
}

// checkRights returns an error if the role may not create the objects of the migrations. These need no extension and no temporary
// tables.
func checkRights(ctx context.Context, db Querier) error {
	var (
		role   string
		grants []string
	)
	err := db.QueryRow(ctx, `
		SELECT current_user::text, array_agg(format('GRANT %s TO %I;', missing, current_user) ORDER BY missing)
		FROM (
			SELECT format('CREATE ON DATABASE %I', current_database())
			WHERE to_regnamespace($1) IS NULL AND NOT has_database_privilege(current_database(), 'CREATE')
			UNION ALL
			SELECT format('CREATE ON SCHEMA %I', current_schema()) WHERE NOT has_schema_privilege(current_schema(), 'CREATE')
			UNION ALL
			SELECT 'USAGE ON LANGUAGE plpgsql' WHERE NOT has_language_privilege('plpgsql', 'USAGE')
		) AS found (missing)`, JobSchema,
	).Scan(&role, &grants)
	switch {
	case err != nil:
		return fmt.Errorf("read the rights of the role: %w", err)
	case len(grants) > 0:
		return fmt.Errorf("the role %s may not create what migrations create: run %s as the owner of the database or a superuser",
			pgx.Identifier{role}.Sanitize(), strings.Join(grants, " "))
	default:
		return nil
	}
}
