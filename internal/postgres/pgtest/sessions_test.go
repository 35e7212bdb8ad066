package pgtest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/postgres/pgtest"
)

// inSession takes a database, works on one connection of its pool, and returns the number of the server's process.
func inSession(t *testing.T, work func(*pgxpool.Conn)) (pid uint32) {
	t.Helper()
	db, giveBack, err := pgtest.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pid = conn.Conn().PgConn().PID()
	work(conn)
	conn.Release()
	if err := giveBack(); err != nil {
		t.Fatal(err)
	}
	return pid
}

// ofSession is what a session may have that another one would not expect.
const ofSession = `
	SELECT (SELECT count(*) FROM pg_prepared_statements) + (SELECT count(*) FROM pg_cursors)
		+ (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid())
		+ (SELECT count(*) FROM pg_listening_channels())
		+ (to_regclass('pg_temp.mine') IS NOT NULL)::int
		+ (current_setting('search_path') = 'elsewhere')::int`

func TestNothingIsLeftOfASession(t *testing.T) { //nolint:paralleltest // others would take it in between
	count := func(conn *pgxpool.Conn) (n int) {
		t.Helper()
		// Without a statement of its own that is prepared.
		if err := conn.Conn().PgConn().Exec(t.Context(), "SELECT 1").Close(); err != nil {
			t.Fatal(err)
		}
		results, err := conn.Conn().PgConn().Exec(t.Context(), ofSession).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return int(results[0].Rows[0][0][0] - '0')
	}
	first := inSession(t, func(conn *pgxpool.Conn) {
		_, err := conn.Conn().PgConn().Exec(t.Context(), `
			PREPARE ready AS SELECT 1;
			DECLARE place CURSOR WITH HOLD FOR SELECT 1;
			SELECT pg_advisory_lock(1);
			LISTEN news;
			CREATE TEMPORARY TABLE mine (n int);
			SET search_path = elsewhere`).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if n := count(conn); n != 6 {
			t.Fatalf("%d things of the session, want 6", n)
		}
	})
	second := inSession(t, func(conn *pgxpool.Conn) {
		if n := count(conn); n != 0 {
			t.Errorf("%d things are left", n)
		}
	})
	if first != second {
		t.Error("the connection was not handed on")
	}
}

func TestSessionsInTroubleAreNotHandedOn(t *testing.T) { //nolint:paralleltest // others would take it in between
	for name, work := range map[string]func(*pgxpool.Conn){
		"in a transaction": func(conn *pgxpool.Conn) {
			if _, err := conn.Exec(t.Context(), `BEGIN`); err != nil {
				t.Fatal(err)
			}
		},
		"given up": func(conn *pgxpool.Conn) {
			ctx, stop := context.WithTimeout(t.Context(), 10*time.Millisecond)
			defer stop()
			if _, err := conn.Exec(ctx, `SELECT pg_sleep(60)`); err == nil {
				t.Error("slept a minute")
			}
		},
		"in the middle of an answer": func(conn *pgxpool.Conn) {
			rows := conn.Conn().PgConn().ExecParams(t.Context(), `SELECT generate_series(1, 100000)`, nil, nil, nil, nil)
			rows.NextRow()
		},
		"killed": func(conn *pgxpool.Conn) {
			_, _ = conn.Exec(t.Context(), `SELECT pg_terminate_backend(pg_backend_pid())`)
		},
	} {
		before := inSession(t, work)
		if after := inSession(t, func(*pgxpool.Conn) {}); after == before {
			t.Errorf("%s: the connection was handed on", name)
		}
	}
}

// TestSessionThatEndedWhileIdle: it is not what a new connection gets.
func TestSessionThatEndedWhileIdle(t *testing.T) { //nolint:paralleltest // others would take it in between
	before := inSession(t, func(*pgxpool.Conn) {})
	after := inSession(t, func(conn *pgxpool.Conn) {
		first := conn.Conn().PgConn().PID()
		if err := conn.Conn().Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		admin, err := pgx.Connect(t.Context(), conn.Conn().Config().ConnString())
		if err != nil {
			t.Fatal(err)
		}
		defer admin.Close(t.Context())
		must(t, admin, fmt.Sprintf(`SELECT pg_terminate_backend(%d, 5000)`, first))
	})
	if before != after {
		t.Fatal("the connection was not handed on")
	}
	if again := inSession(t, func(conn *pgxpool.Conn) {
		if _, err := conn.Exec(t.Context(), `SELECT 1`); err != nil {
			t.Error(err)
		}
	}); again == after {
		t.Error("a connection that has ended was handed on")
	}
}
