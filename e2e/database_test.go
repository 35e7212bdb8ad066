package e2e

import (
	"context"
	"fmt"
	"net/url"
	"testing"
)

// hasOneNew holds that exactly one invoice was created in this test, and that it
// has the number.
func (s *session) hasOneNew(number string) {
	s.t.Helper()
	s.hasNew(1)
	if n := s.invoices(number); n != 1 {
		s.t.Errorf("%d invoices have the number %s, want 1", n, number)
	}
}

// hasNew holds how many invoices were created in this test.
func (s *session) hasNew(want int) {
	s.t.Helper()
	if n := s.allInvoices() - s.before; n != want {
		s.t.Errorf("%d invoices were created, want %d", n, want)
	}
}

// invoices counts the rows with a number.
func (s *session) invoices(number string) int {
	s.t.Helper()
	return s.count("SELECT count(*) FROM invoices WHERE number = $1", number)
}

func (s *session) allInvoices() int {
	s.t.Helper()
	return s.count("SELECT count(*) FROM invoices")
}

func (s *session) count(query string, args ...any) int {
	s.t.Helper()
	var n int
	s.check(s.db.QueryRow(s.t.Context(), query, args...).Scan(&n), "count rows")
	return n
}

// parsedInOrder makes the app parse each statement when it runs it, as behind a
// connection pooler. A statement that is prepared ahead waits for a locked table
// before its key is claimed, and so whichever connection is new would come last.
func parsedInOrder(t *testing.T, database string) string {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatalf("database URL: %v", err)
	}
	query := u.Query()
	query.Set("default_query_exec_mode", "exec")
	u.RawQuery = query.Encode()
	return u.String()
}

// lockInvoices stops every create in the middle, inside its transaction, until
// release is called. Reading goes on.
func (s *session) lockInvoices() (release func()) {
	s.t.Helper()
	return s.lock("invoices")
}

// lock stops whatever writes to a table, in the same way.
func (s *session) lock(table string) (release func()) {
	s.t.Helper()
	tx, err := s.db.Begin(s.t.Context())
	s.check(err, "begin the transaction that holds the lock")
	// A pool waits for its connections when it is closed.
	s.t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	_, err = tx.Exec(s.t.Context(), "LOCK TABLE "+table+" IN SHARE ROW EXCLUSIVE MODE")
	s.check(err, "lock "+table)
	return func() {
		s.t.Helper()
		s.check(tx.Rollback(s.t.Context()), "release the lock")
	}
}

// loseDatabase cuts the app off from its database, until it is back.
func (s *session) loseDatabase() (back func()) {
	s.t.Helper()
	limit := func(connections int) {
		s.t.Helper()
		name := s.db.Config().ConnConfig.Database
		_, err := s.db.Exec(s.t.Context(), fmt.Sprintf(`ALTER DATABASE %s CONNECTION LIMIT %d`, name, connections))
		s.check(err, "limit the connections")
	}
	limit(0) // which does not bind the administrator
	_, err := s.db.Exec(s.t.Context(),
		`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND usename <> current_user`)
	s.check(err, "cut the connections")
	return func() {
		s.t.Helper()
		limit(-1)
	}
}

// waiting waits until n attempts have come since the beginning, and one of them stands at the lock.
// The others wait behind it, or have ended.
func (s *session) waiting(n int) {
	s.t.Helper()
	s.until(fmt.Sprintf("%d attempts have come and one waits for a lock", n), func() bool {
		atTheLock := s.count(`
			SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`)
		return atTheLock == 1 && len(s.log.seen())+s.inProgress() == n
	})
}
