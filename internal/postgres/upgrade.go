package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

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
