package postgres_test

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/pgtest"
)

// pooler is a connection pooler in transaction mode with a single connection to the server, so all clients share their prepared
// statements. A real one does so only sometimes.
type pooler struct {
	server *pgconn.HijackedConn
	taken  sync.Mutex      // held by the client whose transaction runs
	ignore map[string]bool // start parameters that are not refused
}

// pooled returns the URL of a database through a pooler that ignores some start parameters.
func pooled(t *testing.T, url string, ignore ...string) string {
	t.Helper()
	conn, err := pgconn.Connect(t.Context(), url)
	must.OK(t, err)
	server, err := conn.Hijack()
	must.OK(t, err)
	t.Cleanup(func() { server.Conn.Close() })
	p := &pooler{server: server, ignore: map[string]bool{}}
	known := []string{"user", "database", "application_name", "client_encoding", "datestyle", "standard_conforming_strings", "timezone"}
	for _, name := range append(ignore, known...) {
		p.ignore[name] = true
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must.OK(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // the test is over
			}
			go p.serve(client)
		}
	}()
	return fmt.Sprintf("postgres://onlyonce@%s/%s?sslmode=disable", listener.Addr(), server.Config.Database)
}

func (p *pooler) serve(conn net.Conn) {
	defer conn.Close()
	client := pgproto3.NewBackend(conn, conn)
	hello, err := client.ReceiveStartupMessage()
	if err != nil {
		return
	}
	for name := range hello.(*pgproto3.StartupMessage).Parameters {
		if !p.ignore[name] {
			client.Send(&pgproto3.ErrorResponse{
				Severity: "FATAL", SeverityUnlocalized: "FATAL", Code: "08P01", Message: "unsupported startup parameter: " + name,
			})
			_ = client.Flush()
			return
		}
	}
	client.Send(&pgproto3.AuthenticationOk{})
	client.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	mine := false // the client has the server's connection
	for client.Flush() == nil {
		message, err := client.Receive()
		if _, over := message.(*pgproto3.Terminate); err != nil || over {
			break
		}
		if !mine {
			p.taken.Lock()
			mine = true
		}
		p.server.Frontend.Send(message)
		switch message.(type) {
		case *pgproto3.Query, *pgproto3.Sync:
			if mine, err = p.answer(client); err != nil {
				return
			}
			if !mine {
				p.taken.Unlock()
			}
		}
	}
	if mine {
		p.taken.Unlock()
	}
}

// answer passes on the server's messages until it is ready again. It reports whether a transaction is open.
func (p *pooler) answer(client *pgproto3.Backend) (open bool, err error) {
	if err := p.server.Frontend.Flush(); err != nil {
		return false, err
	}
	for {
		message, err := p.server.Frontend.Receive()
		if err != nil {
			return false, err
		}
		client.Send(message)
		if ready, ok := message.(*pgproto3.ReadyForQuery); ok {
			return ready.TxStatus != 'I', nil
		}
	}
}

// ours are the start parameters that a pooler does not know, as in the documentation.
var ours = []string{
	"default_transaction_isolation", "enable_seqscan", "enable_bitmapscan", "jit", "tcp_keepalives_idle", "tcp_keepalives_interval",
	"tcp_keepalives_count",
}

// wantPoolerError fails unless the error names the missing settings.
func wantPoolerError(t *testing.T, err error, settings ...string) {
	t.Helper()
	_, ok := errors.AsType[*postgres.PoolerError](err)
	must.Thatf(t, ok, "got %v", err)
	for _, setting := range settings {
		assert.Thatf(t, strings.Contains(err.Error(), setting), "nothing about %s in: %v", setting, err)
	}
}

const execMode = "default_query_exec_mode=exec"

func TestPoolerThatWasNotConfigured(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	must.OK(t, opened(t, pooled(t, db.URL, ours...)+"&"+execMode)) // one that was
	through := pooled(t, db.URL)
	for _, parameters := range []string{"", "&" + execMode} {
		url := through + parameters
		for name, err := range map[string]error{"Migrate": migrated(t.Context(), url), "Open": opened(t, url)} {
			t.Log(name, err)
			wantPoolerError(t, err, append(ours, "ignore_startup_parameters", execMode)...)
		}
	}
}

func TestPoolerWithPreparedStatements(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	through := pooled(t, db.URL, ours...)
	empty(t, db)
	for name, err := range map[string]error{"Migrate": migrated(t.Context(), through), "Open": opened(t, through)} {
		t.Log(name, err)
		wantPoolerError(t, err, execMode)
	}
	wantValue(t, db.URL, "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace", "0")
}

// TestPoolersErrorsAreExplained tries the errors of a server after a pooler has mixed up its clients.
func TestPoolersErrorsAreExplained(t *testing.T) {
	t.Parallel()
	url := pgtest.New(t).URL
	config, err := pgx.ParseConfig(url)
	must.OK(t, err)
	for code, mixUp := range map[string]func(*pgx.Conn) error{
		"26000": func(conn *pgx.Conn) error { // the statement stayed on another connection
			if _, err := conn.Prepare(t.Context(), "mine", "SELECT 1"); err != nil {
				return err
			}
			if _, err := conn.Exec(t.Context(), "DEALLOCATE ALL", pgx.QueryExecModeSimpleProtocol); err != nil {
				return err
			}
			_, err := conn.Exec(t.Context(), "mine")
			return err
		},
		"42P05": func(conn *pgx.Conn) error { // another client had this connection
			if _, err := conn.Exec(t.Context(), "PREPARE mine AS SELECT 1", pgx.QueryExecModeSimpleProtocol); err != nil {
				return err
			}
			_, err := conn.Prepare(t.Context(), "mine", "SELECT 1")
			return err
		},
		"08P01": func(conn *pgx.Conn) error { // another client's statement has the name
			return conn.PgConn().ExecParams(t.Context(), "SELECT 1", [][]byte{[]byte("too many")}, nil, nil, nil).Read().Err
		},
	} {
		conn, err := pgx.Connect(t.Context(), url)
		must.OK(t, err)
		defer conn.Close(t.Context())
		err = mixUp(conn)
		refused, ok := errors.AsType[*pgconn.PgError](err)
		must.Thatf(t, ok && refused.Code == code, "want %s, got %v", code, err)
		wantPoolerError(t, postgres.ExplainPooler(config, err), execMode, "ignore_startup_parameters", code)
	}
	var duplicate error = &pgconn.PgError{Code: "23505"}
	if explained := postgres.ExplainPooler(config, duplicate); !errors.Is(explained, duplicate) || errors.Unwrap(explained) != nil {
		t.Errorf("a duplicate is not a pooler's doing: %v", explained)
	}
}

func opened(t *testing.T, url string) error {
	t.Helper()
	pool, err := postgres.Open(t.Context(), url)
	if err == nil {
		pool.Close()
	}
	return err
}
