package e2e

import (
	"context"
	"fmt"
	"net/url"
	"testing"

	"onlyonce/internal/must"
)

// sqlRecords reads the records from the test's own database.
type sqlRecords struct {
	s *session
	invoiceCount
}

func (r sqlRecords) customerChanges() (operations []string, versions int) {
	r.s.t.Helper()
	r.s.query(&operations,
		`SELECT COALESCE(array_agg(operation ORDER BY at), '{}') FROM intents
		WHERE outcome = 'changed' AND record_id IN (SELECT id FROM customers WHERE starts_with(name, $1))`, r.s.mark)
	return operations, r.s.count(`SELECT COALESCE(sum(version - 1), 0) FROM customers WHERE starts_with(name, $1)`, r.s.mark)
}

// query reads a value.
func (s *session) query(into any, query string, args ...any) {
	s.t.Helper()
	must.Thatf(s.t, s.db != nil, "the database of a deployment is out of reach: begin the scenario with onlyHere")
	s.check(s.db.QueryRow(s.t.Context(), query, args...).Scan(into), "ask the database")
}

func (s *session) count(query string, args ...any) int {
	s.t.Helper()
	var n int
	s.query(&n, query, args...)
	return n
}

// parsedInOrder makes the app parse each statement when it runs it, as behind a connection pooler. A statement that is prepared
// ahead waits for a locked table before its key is claimed, so that requests on new connections would come last.
func parsedInOrder(t *testing.T, database string) string {
	t.Helper()
	u, err := url.Parse(database)
	must.Thatf(t, err == nil, "database URL: %v", err)
	query := u.Query()
	query.Set("default_query_exec_mode", "exec")
	u.RawQuery = query.Encode()
	return u.String()
}

// lock blocks writes to a table, inside their transactions, until release is called. Reads go on. In front of a deployment it holds
// back all forms instead.
func (s *session) lock(table string) (release func()) {
	s.t.Helper()
	if s.db == nil {
		s.wire.hold(beforeTheApp)
		return s.tellBoth("forms are held back", "forms go on", s.wire.release)
	}
	tx, err := s.db.Begin(s.t.Context())
	s.check(err, "begin the transaction that holds the lock")
	// A pool waits for its connections when it is closed.
	s.t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	_, err = tx.Exec(s.t.Context(), "LOCK TABLE "+table+" IN SHARE ROW EXCLUSIVE MODE")
	s.check(err, "lock "+table)
	return s.tellBoth("nobody can write to "+table, table+" can be written again", func() {
		s.t.Helper()
		s.check(tx.Rollback(s.t.Context()), "release the lock")
	})
}

// tellBoth adds the beginning and the end of a disturbance to the story.
func (s *session) tellBoth(begins, ends string, end func()) func() {
	s.tellf(byServer, "%s", begins)
	return func() {
		s.t.Helper()
		s.tellf(byServer, "%s", ends)
		end()
	}
}

// loseDatabase disconnects the app from its database until back is called.
func (s *session) loseDatabase() (back func()) {
	s.t.Helper()
	limit := func(connections int) {
		s.t.Helper()
		name := s.db.Config().ConnConfig.Database
		_, err := s.db.Exec(s.t.Context(), fmt.Sprintf(`ALTER DATABASE %s CONNECTION LIMIT %d`, name, connections))
		s.check(err, "limit the connections")
	}
	limit(0) // this does not affect the administrator
	_, err := s.db.Exec(s.t.Context(),
		`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND usename <> current_user`)
	s.check(err, "cut the connections")
	return func() {
		s.t.Helper()
		limit(-1)
	}
}

// waiting waits until n attempts have arrived since the beginning, and one waits for the lock. The others wait behind that one, or
// have ended.
func (s *session) waiting(n int) {
	s.t.Helper()
	s.until(fmt.Sprintf("%d attempts have come and one waits for a lock", n), func() bool {
		if s.db == nil {
			return s.wire.holding() > 0 && len(s.log.seen()) == n
		}
		atTheLock := s.count(`
			SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`)
		return atTheLock == 1 && len(s.log.seen())+s.inProgress() == n
	})
}
