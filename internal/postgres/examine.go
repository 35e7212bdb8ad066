package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Finding is what became of one check of a database.
type Finding struct {
	Check string
	Good  string // what is there, if Err is nil
	Err   error  // what is wrong, and what to do
	Minor bool   // Err does not keep the app from working
}

// maxClockDifference is how far the clocks of app and database may be apart before somebody should know.
const maxClockDifference = 2 * time.Second

// Examine looks at everything that the app needs of a database, and changes nothing. It goes on where [Open] and
// [Migrate] give up, as far as there is a connection.
func Examine(ctx context.Context, url string) []Finding {
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
		{Check: "isolation", Good: s.level, Err: s.isolation()},
		{
			Check: "pooler", Good: "none, or one that works with " + config.ConnConfig.DefaultQueryExecMode.String(),
			Err: checkPrepared(ctx, config.ConnConfig, conn),
		},
		clock(before, s.now, after),
	}
	return append(findings, examineSchema(ctx, config)...)
}

// clock compares the database's time with ours right before and right after.
func clock(before, theirs, after time.Time) Finding {
	f := Finding{Check: "clock", Good: "the same in app and database", Minor: true}
	difference := max(before.Sub(theirs), theirs.Sub(after))
	if difference > maxClockDifference {
		f.Err = fmt.Errorf("those of app and database are %s apart, and sessions and retries end at other times than they should: "+
			"have NTP set both", difference.Round(100*time.Millisecond))
	}
	return f
}

func examineSchema(ctx context.Context, config *pgxpool.Config) []Finding {
	config = config.Copy()
	config.MaxConns, config.MinConns = 1, 0
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return []Finding{{Check: "schema", Err: err}}
	}
	defer pool.Close()
	newest, err := newestMigration()
	if err != nil {
		return []Finding{{Check: "schema", Err: err}}
	}
	explain := func(err error) error { return explainPooler(config.ConnConfig, err) }
	return []Finding{
		{Check: "schema", Good: fmt.Sprintf("version %d", newest), Err: explain(SchemaCurrent(ctx, pool))},
		{Check: "row-level security", Good: "forced on every table of tenants", Err: explain(checkForced(ctx, pool))},
	}
}

// checkForced finds tables of tenants in which row-level security would not bind the app, which owns them.
func checkForced(ctx context.Context, pool *pgxpool.Pool) error {
	var tables int
	var open []string
	err := pool.QueryRow(ctx, `
		SELECT count(*), array_agg(relname::text ORDER BY relname) FILTER (WHERE NOT (relrowsecurity AND relforcerowsecurity))
		FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'tenant_id' AND NOT attisdropped
		WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace`).Scan(&tables, &open)
	switch {
	case err != nil:
		return fmt.Errorf("read which tables are secured: %w", err)
	case tables == 0:
		return errors.New("there are no tables yet")
	case len(open) > 0:
		return fmt.Errorf("it is off for %s: ALTER TABLE … ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY", strings.Join(open, ", "))
	default:
		return nil
	}
}
