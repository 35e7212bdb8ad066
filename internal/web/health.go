package web

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/postgres"
)

// alive answers as long as the process runs.
func alive(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") }

// ready reports whether requests can be served: the database answers and has the schema of this program, or a newer one. No
// program starts on a newer one. So a newer version was started beside this one, and this one goes on until it is
// stopped: docs/upgrade.md.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	err := postgres.SchemaCurrent(ctx, s.Pool)
	if other, ok := errors.AsType[*postgres.SchemaError](err); ok && other.Database > other.Program {
		err = nil
	}
	if err != nil {
		s.Log.WarnContext(ctx, "not ready", "error", err)
		http.Error(w, "not ready", http.StatusServiceUnavailable)
		return
	}
	_, _ = io.WriteString(w, "ready\n")
}

// isDatabaseDown reports whether the database could not be reached; an error that it answered with is none.
func isDatabaseDown(err error) bool {
	if answered, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch answered.Code[:2] {
		case "08", "53", "57": // connection, resources, shutdown
			return true
		}
		return answered.Code == "25006" // it accepts no writes: a standby
	}
	return errors.As(err, new(net.Error)) || errors.As(err, new(*pgconn.ConnectError)) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, pgconn.ErrConnClosed)
}
