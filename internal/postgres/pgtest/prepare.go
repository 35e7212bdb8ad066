package pgtest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/server"
	"onlyonce/migrations"
)

// unused is the time after its last use until a prepared data directory is removed.
const unused = 5 * 24 * time.Hour

// prepared is the data directory of a stopped embedded server with the current schema, and the programs and user that run it.
type prepared struct {
	programs server.Programs
	account  server.Account
	dir      string
}

// prepare makes the data directory once, in the user's cache, for all processes that test the same migrations. They start servers on
// copies, which takes a tenth of the time.
var prepare = sync.OnceValues(func() (p prepared, err error) {
	ctx := context.Background()
	if p.account, err = server.ChooseAccount(""); err != nil {
		return p, err
	}
	if p.programs, err = server.Locate(ctx, p.account, 0); err != nil {
		return p, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return p, err
	}
	all := filepath.Join(cache, "onlyonce", "pgtest")
	name, err := digest(p.programs)
	if err != nil {
		return p, err
	}
	p.dir = filepath.Join(all, name)
	now := time.Now()
	if err := os.Chtimes(p.dir, now, now); !errors.Is(err, fs.ErrNotExist) {
		return p, err
	}
	if err := errors.Join(os.MkdirAll(all, 0o700), removeUnused(all, now.Add(-unused))); err != nil {
		return p, err
	}
	made, err := os.MkdirTemp(all, "making-")
	if err != nil {
		return p, err
	}
	if err := makeData(ctx, p.account, made); err != nil {
		return p, errors.Join(err, os.RemoveAll(made))
	}
	// Two processes may have made it at once. The second one's rename fails, and it uses the first one's directory.
	if err := os.Rename(made, p.dir); err != nil {
		return p, errors.Join(os.Chtimes(p.dir, now, now), os.RemoveAll(made))
	}
	return p, nil
})

// Home returns an empty directory for a test that starts its own server. Every user can enter it, unlike t.TempDir, and its path is
// short enough for a socket. Such a server takes long, see [Long].
func Home(t testing.TB) string {
	t.Helper()
	Long(t)
	dir, err := os.MkdirTemp(ramdisk(), "onlyonce-home-") //nolint:usetesting // see above
	if err = errors.Join(err, os.Chmod(dir, 0o711)); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(func() {
		err := os.RemoveAll(dir)
		assert.Thatf(t, err == nil, "pgtest: %v", err)
	})
	return dir
}

// Embedded is Home with the data of an embedded server with the current schema, which saves a program most of its first start.
func Embedded(t testing.TB) string {
	t.Helper()
	dir := Home(t)
	p, err := prepare()
	if err == nil {
		err = p.account.Copy(p.dir, filepath.Join(dir, "postgres"))
	}
	must.Thatf(t, err == nil, "pgtest: make the data of an embedded server: %v", err)
	return dir
}

// digest returns a hash of all that a data directory depends on.
func digest(programs server.Programs) (string, error) {
	jobs, err := rivermigrate.New(riverpgxv5.New(nil), nil)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	fmt.Fprintln(hash, "embedded", programs.Dir, programs.Major, len(jobs.AllVersions()))
	files, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		return "", err
	}
	for _, file := range files {
		content, err := fs.ReadFile(migrations.FS, file)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(hash, "%s %d\n%s", file, len(content), content)
	}
	return fmt.Sprintf("%x", hash.Sum(nil)[:16]), nil
}

// makeData fills the empty directory to.
func makeData(ctx context.Context, account server.Account, to string) error {
	dir, err := account.MkdirTemp(ramdisk(), "onlyonce-test-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	embedded, err := postgres.StartEmbedded(ctx, dir, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	if err := errors.Join(postgres.Migrate(ctx, embedded.URL(), slog.New(slog.DiscardHandler)), embedded.Stop(ctx)); err != nil {
		return err
	}
	return os.CopyFS(to, os.DirFS(filepath.Join(dir, "postgres")))
}

// removeUnused removes directories that were not used since then, such as those of migrations that have changed.
func removeUnused(all string, since time.Time) error {
	entries, err := os.ReadDir(all)
	for _, entry := range entries {
		info, gone := entry.Info()
		if gone == nil && info.ModTime().Before(since) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(all, entry.Name())))
		}
	}
	return err
}

// Template is a database that many tests copy. It is made once, by the first test that calls New.
type Template struct {
	// Fill makes tables or rows in a database with the current schema. Its connections are closed when it returns.
	Fill func(ctx context.Context, db *Database) error

	once sync.Once
	name string
	get  func(*cluster, context.Context, string) (*Database, error)
	err  error
}

// New is like the function [New], with the tables and rows of the template. If there are rows, the database is always a new copy.
func (p *Template) New(t testing.TB) *Database {
	t.Helper()
	p.once.Do(func() {
		p.err = errors.New("the test that was the first to need it has failed meanwhile, and its output says why")
		p.err = p.fill(context.Background()) // it may end this test, which leaves the error above
	})
	must.Thatf(t, p.err == nil, "pgtest: fill a template: %v", p.err)
	return newFrom(t, p.name, p.get)
}

// fill makes the database, which exists until the cluster ends.
func (p *Template) fill(ctx context.Context) error {
	db, giveBack, err := get(ctx, template, (*cluster).clone)
	if err != nil {
		return err
	}
	const filled = `SELECT count(*) FROM pg_class WHERE relkind = 'r' AND oid >= 16384 AND pg_relation_size(oid) > 0`
	var before, after int
	err = errors.Join(
		db.Pool.QueryRow(ctx, filled).Scan(&before),
		p.Fill(ctx, db),
		db.Pool.QueryRow(ctx, filled).Scan(&after))
	if err != nil {
		return errors.Join(err, giveBack())
	}
	p.name, p.get = db.name, (*cluster).take
	if after > before {
		p.get = (*cluster).clone
	}
	db.Pool.Close()
	db.admin.Close()
	cluster, err := shared.start()
	if err != nil {
		return err
	}
	return cluster.close(ctx, db.name)
}
