package web

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

// TestConnectionThatIsClosedIsDown: a connection may have been closed already when a request comes to use it.
func TestConnectionThatIsClosedIsDown(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), pgtest.New(t).URL)
	must.OK(t, err)
	must.OK(t, conn.Close(t.Context()))
	var batch pgx.Batch
	batch.Queue("SELECT 1")
	if err := conn.SendBatch(t.Context(), &batch).Close(); !isDatabaseDown(err) {
		t.Errorf("%v is an error of the app", err)
	}
}

// TestStandbyIsDown: in a failover a connection may lead to a server that accepts no writes, yet or any more.
func TestStandbyIsDown(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), pgtest.New(t).URL+"&default_transaction_read_only=on")
	must.OK(t, err)
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), "DELETE FROM sessions"); !isDatabaseDown(err) {
		t.Errorf("%v is an error of the app", err)
	}
}
