package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"onlyonce/internal/postgres/server"
)

// visitPatience bounds the wait of a command for other commands, and for a server that is starting or stopping.
const visitPatience = time.Minute

// Visit is the use of an embedded server by a short command.
type Visit struct {
	// URL is the address of the app's database, for the app's role.
	URL string
	// Started reports whether the server was started for this visit, because the app did not run.
	Started bool

	end func(context.Context) error
}

// End stops the server if it was started for the visit.
func (v *Visit) End(ctx context.Context) error { return v.end(ctx) }

// lockVisits makes this process the only command that uses the directory, until it closes the file.
func (h home) lockVisits(ctx context.Context) (*os.File, error) {
	lock, err := server.Lock(ctx, filepath.Join(h.dir, "visit.lock"))
	if err != nil {
		return nil, fmt.Errorf("wait for another command that uses %s: %w", h.dir, err)
	}
	return lock, nil
}

// VisitEmbedded uses the server of the app that runs on dir or, if none does, starts one as [StartEmbedded] does. Visits to one
// directory run one at a time, so that none stops another's server. The caller must call End. An app that is started during the visit
// fails with an [*InUseError].
func VisitEmbedded(ctx context.Context, dir string, log *slog.Logger) (*Visit, error) {
	home, err := findHome(ctx, dir, log)
	if err != nil {
		return nil, fmt.Errorf("embedded PostgreSQL: %w", err)
	}
	waiting, cancel := context.WithTimeout(ctx, visitPatience)
	defer cancel()
	lock, err := home.lockVisits(waiting)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		embedded, err := StartEmbedded(waiting, dir, log)
		if err == nil {
			end := func(ctx context.Context) error { return errors.Join(embedded.Stop(ctx), lock.Close()) }
			return &Visit{URL: embedded.URL(), Started: true, end: end}, nil
		}
		if _, busy := errors.AsType[*InUseError](err); !busy {
			return nil, errors.Join(err, lock.Close())
		}
		if socketDir := server.Running(waiting, home.data()); socketDir != "" {
			end := func(context.Context) error { return lock.Close() }
			return &Visit{URL: server.URL(socketDir, server.Role, server.Database), end: end}, nil
		}
		select { // the app is starting or stopping
		case <-waiting.Done():
			return nil, errors.Join(err, lock.Close())
		case <-tick.C:
		}
	}
}
