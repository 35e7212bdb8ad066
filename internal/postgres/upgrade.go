package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"onlyonce/internal/postgres/server"
)

// Upgrade is the result of [UpgradeEmbedded].
type Upgrade struct {
	From int    `json:"from"` // the major version of PostgreSQL that the data belonged to
	To   int    `json:"to"`   // the major version now; equals From if no later version is installed
	Kept string `json:"kept"` // the directory of the old data, or "" if nothing was moved
}

// UpgradeEmbedded moves the data in dir to the newest installed major version of PostgreSQL. It makes a data directory beside the old
// one, copies all rows to it, compares them, and exchanges the two directories in one step. Until then the old data stays unchanged,
// except for migrations that it lacks. After an interruption at any point the app starts on one of the two directories, and another
// call finishes the upgrade. The error is an [*InUseError] while another process uses dir.
func UpgradeEmbedded(ctx context.Context, dir string, log *slog.Logger) (Upgrade, error) {
	h, err := findHome(ctx, dir, log)
	if err != nil {
		return Upgrade{}, err
	}
	waiting, cancel := context.WithTimeout(ctx, visitPatience)
	defer cancel()
	visits, err := h.lockVisits(waiting) // other commands would write to the old server
	if err != nil {
		return Upgrade{}, err
	}
	defer visits.Close()
	lock, err := h.claim(ctx, log)
	if err != nil {
		return Upgrade{}, err
	}
	defer lock.Close()
	return h.upgrade(ctx, log)
}

func (h home) upgrade(ctx context.Context, log *slog.Logger) (Upgrade, error) {
	next := home{dir: filepath.Join(h.dir, "upgrade"), account: h.account}
	u, err := h.endUpgrade(ctx, next, log)
	if err != nil {
		return u, err
	}
	newest, err := server.Locate(ctx, h.account, 0)
	if err != nil || newest.Major <= u.To {
		return u, err
	}
	if kept := h.keptData(u.To); exists(kept) {
		return u, fmt.Errorf("%s is of an earlier upgrade: move it away, because the data will be kept there", kept)
	}
	if err := makeDir(next.dir); err != nil {
		return u, err
	}
	if err := h.copyTo(ctx, next, log); err != nil {
		return u, err
	}
	if err := exchange(h.data(), next.data()); err != nil {
		return u, fmt.Errorf("exchange %s and %s, which the file system must do in one step: %w", h.data(), next.data(), err)
	}
	if err := errors.Join(syncDir(h.dir), syncDir(next.dir)); err != nil {
		return u, err
	}
	return h.endUpgrade(ctx, next, log)
}

// copyTo starts the servers of both homes, copies all rows from h to next, and stops both.
func (h home) copyTo(ctx context.Context, next home, log *slog.Logger) (err error) {
	var urls []string
	for _, h := range []home{h, next} {
		e := &Embedded{home: h, log: log}
		process, startErr := e.start(ctx)
		if startErr != nil {
			return startErr
		}
		defer func() { err = errors.Join(err, process.Stop(context.WithoutCancel(ctx))) }()
		if err := Migrate(ctx, e.URL(), log); err != nil {
			return err
		}
		urls = append(urls, server.URL(e.config.SocketDir, server.Superuser, server.Database))
	}
	log.InfoContext(ctx, "copying all rows", "from", h.data(), "to", next.data())
	return copyDatabase(ctx, urls[0], urls[1])
}

// endUpgrade removes next, the directory of an upgrade. If the two data directories were exchanged, the data in next is the older one,
// and is kept beside the one in use.
func (h home) endUpgrade(ctx context.Context, next home, log *slog.Logger) (u Upgrade, err error) {
	if u.To, err = server.MajorOf(h.data()); err != nil {
		return u, err
	}
	u.From = u.To
	lock, err := next.lockServer(ctx, log) // the server of a killed upgrade may still be stopping
	if errors.Is(err, fs.ErrNotExist) {
		return u, nil
	}
	if err != nil {
		return u, err
	}
	defer lock.Close()
	left, err := server.MajorOf(next.data())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return u, err
	}
	if err == nil && left <= u.To {
		u.From, u.Kept = left, h.keptData(left)
		if err := errors.Join(os.Rename(next.data(), u.Kept), syncDir(h.dir)); err != nil {
			return u, err
		}
	}
	return u, os.RemoveAll(next.dir)
}

func (h home) keptData(major int) string { return fmt.Sprintf("%s-%d", h.data(), major) }

// copyDatabase copies all rows, and the values of all sequences, to a database with the same migrations. It connects as superusers,
// whom row-level security does not bind. The error names objects that exist in only one of the two databases.
func copyDatabase(ctx context.Context, fromURL, toURL string) error {
	from, err := server.Connect(ctx, fromURL)
	if err != nil {
		return fmt.Errorf("reach the old database: %w", err)
	}
	defer from.Close(context.WithoutCancel(ctx))
	to, err := server.Connect(ctx, toURL)
	if err != nil {
		return fmt.Errorf("reach the new database: %w", err)
	}
	defer to.Close(context.WithoutCancel(ctx))
	if err := compareAll(ctx, from, to); err != nil {
		return err
	}
	err = pgx.BeginTxFunc(ctx, from, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(source pgx.Tx) error {
		return pgx.BeginFunc(ctx, to, func(target pgx.Tx) error { return copyTables(ctx, source, target) })
	})
	if err != nil {
		return fmt.Errorf("copy the rows: %w", err)
	}
	_, err = to.Exec(ctx, "CHECKPOINT") // it may take longer than the time that a server has to stop
	return err
}

// compareAll returns an error if the two databases differ in more than rows.
func compareAll(ctx context.Context, from, to *pgx.Conn) error {
	was, err := everything(ctx, from)
	if err != nil {
		return err
	}
	is, err := everything(ctx, to)
	if err != nil {
		return err
	}
	maps.DeleteFunc(was, func(o object, definition string) bool {
		made, there := is[o]
		delete(is, o)
		return there && made == definition
	})
	maps.Copy(was, is)
	if len(was) == 0 {
		return nil
	}
	var names []string
	for o := range was {
		if _, whole := was[object{"table", o.Subject, o.Subject}]; !whole || o.Kind == "table" {
			names = append(names, o.String())
		}
	}
	slices.Sort(names)
	return fmt.Errorf("only rows are moved, and this is not as the migrations make it: %s; drop what is yours and create it again "+
		"afterwards, and repair what the command doctor names", strings.Join(names[:min(len(names), maxDifferences)], ", "))
}

// everything returns the result of [readCatalog] for the whole schema, and all other objects that can be made by hand, such as roles,
// databases and objects in other schemas.
func everything(ctx context.Context, conn *pgx.Conn) (map[object]string, error) {
	all, err := readCatalog(ctx, conn, nil)
	if err != nil {
		return nil, err
	}
	rows, _ := conn.Query(ctx, `
		SELECT 'role', 'the server', rolname::text, '' FROM pg_roles WHERE rolname !~ '^pg_'
		UNION ALL
		SELECT 'database', 'the server', datname, '' FROM pg_database
		UNION ALL
		SELECT 'setting', COALESCE(rolname, datname, 'the server'), concat_ws(' in ', split_part(config, '=', 1), datname), config
		FROM pg_db_role_setting LEFT JOIN pg_roles r ON r.oid = setrole LEFT JOIN pg_database d ON d.oid = setdatabase,
			unnest(setconfig) AS config
		UNION ALL
		SELECT 'large object', 'the database', oid::text, '' FROM pg_largeobject_metadata
		UNION ALL
		SELECT 'attribute', attrelid::regclass::text, attname, format_type(atttypid, atttypmod)
		FROM pg_attribute JOIN pg_class c ON c.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace
		WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' AND attnum > 0 AND NOT attisdropped
			AND (relnamespace <> current_schema()::regnamespace OR relkind NOT IN ('r', 'p', 'i', 'I'))`) // addObjects returns its error
	return all, addObjects(all, rows)
}

// copyTables replaces the rows of all tables, including goose's and River's, by those in another database, and compares them.
func copyTables(ctx context.Context, source, target pgx.Tx) error {
	rows, _ := source.Query(ctx, `
		SELECT c.oid::regclass::text, string_agg(quote_ident(attname), ', ' ORDER BY attnum) FILTER (WHERE attgenerated = '')
		FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
			JOIN pg_attribute ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped
		WHERE relkind = 'r' AND nspname !~ '^pg_' AND nspname <> 'information_schema'
		GROUP BY c.oid`) // CollectRows returns its error
	type table struct{ Name, Columns string }
	tables, err := pgx.CollectRows(rows, pgx.RowToStructByPos[table])
	if err != nil {
		return err
	}
	var names []string
	for _, t := range tables {
		names = append(names, t.Name)
	}
	// Triggers have already run for these rows, and foreign keys hold when all rows are there.
	if _, err := target.Exec(ctx, "SET LOCAL session_replication_role = replica"); err != nil {
		return err
	}
	if _, err := target.Exec(ctx, "TRUNCATE "+strings.Join(names, ", ")); err != nil {
		return err
	}
	for _, t := range tables {
		what := t.Name + " (" + t.Columns + ")"
		read, write := io.Pipe()
		var reading errgroup.Group
		reading.Go(func() error {
			_, err := source.Conn().PgConn().CopyTo(ctx, write, "COPY "+what+" TO STDOUT (FORMAT binary)")
			return errors.Join(err, write.CloseWithError(err))
		})
		_, err := target.Conn().PgConn().CopyFrom(ctx, read, "COPY "+what+" FROM STDIN (FORMAT binary)")
		if err := errors.Join(err, read.CloseWithError(err), reading.Wait()); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		const digest = "SELECT count(*) || ' rows with the sum ' || COALESCE(sum(hashtextextended(copied::text, 0)::numeric), 0) FROM "
		var was, is string
		if err := errors.Join(source.QueryRow(ctx, digest+t.Name+" AS copied").Scan(&was),
			target.QueryRow(ctx, digest+t.Name+" AS copied").Scan(&is)); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		if is != was {
			return fmt.Errorf("%s: %s became %s", t.Name, was, is)
		}
	}
	var (
		sequences []string
		values    []int64
	)
	if err := source.QueryRow(ctx, `
		SELECT array_agg(format('%I.%I', schemaname, sequencename)), array_agg(last_value) FROM pg_sequences WHERE last_value IS NOT NULL`,
	).Scan(&sequences, &values); err != nil {
		return err
	}
	_, err = target.Exec(ctx, `SELECT setval(name::regclass, value) FROM unnest($1::text[], $2::bigint[]) AS used (name, value)`,
		sequences, values)
	return err
}
