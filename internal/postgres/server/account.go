package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"onlyonce/internal/postgres/npm"
)

// Account is the operating system's user that PostgreSQL runs as. The zero Account is the user of this process.
type Account struct {
	name string
	cred *syscall.Credential // nil: the user of this process
}

// ChooseAccount returns the user for a server whose data is, or will be, at data: this process's own user, unless that is root. For
// root it is the owner of the existing data, or else an existing user of the names "postgres", "_postgres" and "nobody".
func ChooseAccount(data string) (Account, error) {
	if os.Geteuid() != 0 {
		return Account{}, nil
	}
	switch owner, err := ownerOf(data); {
	case err == nil && owner.Uid != 0:
		return Account{name: "uid " + strconv.FormatUint(uint64(owner.Uid), 10), cred: owner}, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return Account{}, err
	}
	for _, name := range []string{"postgres", "_postgres", "nobody"} {
		if account, err := lookupAccount(name); err == nil {
			return account, nil
		}
	}
	return Account{}, errors.New("PostgreSQL refuses to run as root, and there is no user " +
		`"postgres" or "nobody" to run it as: run this program as an ordinary user`)
}

// String returns the name of the account, for messages.
func (a Account) String() string {
	if a.cred == nil {
		return "the current user"
	}
	return a.name
}

// CanEnter reports whether the account may enter dir. For an unprivileged account this also depends on every parent of dir.
func (a Account) CanEnter(ctx context.Context, dir string) bool {
	return a.Command(ctx, "/bin/sh", "-c", `cd -- "$1"`, "sh", dir).Run() == nil
}

// MkdirTemp makes a directory in parent that only the account (and root) can enter.
func (a Account) MkdirTemp(parent, pattern string) (string, error) {
	dir, err := os.MkdirTemp(parent, pattern)
	if err != nil {
		return "", err
	}
	return dir, a.own(dir)
}

// Mkdir makes the directory dir, which only the account (and root) can enter.
func (a Account) Mkdir(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	return a.own(dir)
}

// Copy copies the directory from to the new directory to, which only the account (and root) can enter, and makes the account the owner
// of all files.
func (a Account) Copy(from, to string) error {
	if err := a.Mkdir(to); err != nil {
		return err
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	return filepath.WalkDir(to, func(path string, _ fs.DirEntry, err error) error {
		return cmp.Or(err, a.own(path))
	})
}

// own makes the account the owner of the file or directory at path.
func (a Account) own(path string) error {
	if a.cred == nil {
		return nil
	}
	return os.Chown(path, int(a.cred.Uid), int(a.cred.Gid))
}

// Command is exec.CommandContext for a program that runs as the account. The program is in its own process group, so that Ctrl-C
// reaches only the app, which then stops its server in order, and has no PG* variables in its environment.
func (a Account) Command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=" + locale()}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: a.cred}
	return cmd
}

func lookupAccount(name string) (Account, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return Account{}, fmt.Errorf("look up the user %s: %w", name, err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return Account{}, fmt.Errorf("uid of %s: %w", name, err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return Account{}, fmt.Errorf("gid of %s: %w", name, err)
	}
	return Account{name: name, cred: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
}

func ownerOf(path string) (*syscall.Credential, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil, fmt.Errorf("%s has an owner that this system does not report", path)
	}
	return &syscall.Credential{Uid: stat.Uid, Gid: stat.Gid}, nil
}

// MinMajor is the oldest major version of PostgreSQL that the app runs on.
const MinMajor = 15

// Programs is one installation of the PostgreSQL server.
type Programs struct {
	Dir     string // the directory that holds initdb and postgres
	Major   int    // for example 17
	FromNPM bool   // installed by npm, because no other version fits; those packages are a beta
}

// Take reports whether the server accepts a value of a setting, which may depend on its build options.
func (p Programs) Take(ctx context.Context, account Account, dataDir, setting, value string) bool {
	shown, err := account.Command(ctx, filepath.Join(p.Dir, "postgres"),
		"-D", dataDir, "-c", setting+"="+value, "-C", setting).Output()
	return err == nil && strings.TrimSpace(string(shown)) == value
}

// NoProgramsError means that no fitting PostgreSQL is installed. Its text names the ways to get one.
type NoProgramsError struct {
	Major int        // the only major version that fits an existing data directory; 0 for any
	Found []Programs // installed versions that don't fit
	Cause error      // the error of installing the npm packages
}

func (e *NoProgramsError) Error() string {
	var s strings.Builder
	wanted := fmt.Sprintf("PostgreSQL %d or later", MinMajor)
	if e.Major != 0 {
		wanted = fmt.Sprintf("PostgreSQL %d", e.Major)
		s.WriteString("the data directory belongs to " + wanted + " and was left as it is; ")
	}
	s.WriteString(wanted + " is not installed here")
	for _, p := range e.Found {
		fmt.Fprintf(&s, "; found PostgreSQL %d in %s", p.Major, p.Dir)
	}
	fmt.Fprintf(&s, "; npm could not install it: %v", e.Cause)
	s.WriteString(". Three ways on: install " + wanted +
		" (apt install postgresql, brew install postgresql@17); install npm, with which this" +
		fmt.Sprintf(" program fetches PostgreSQL %d to %d itself;", MinMajor, npm.Major) +
		" or set DATABASE_URL to a server that runs elsewhere")
	if e.Major != 0 {
		s.WriteString(". With a later version installed as well, the command upgrade-database moves the data to it")
	}
	return s.String()
}

// Unwrap returns the error of installing the npm packages.
func (e *NoProgramsError) Unwrap() error { return e.Cause }

// Locate finds the newest PostgreSQL that the account can run, of the given major version, or of any from [MinMajor] on if major is 0.
// If there is none, it installs the npm packages, of their newest version if major is 0. The error is a [*NoProgramsError].
func Locate(ctx context.Context, account Account, major int) (Programs, error) {
	found := installed(ctx, account, candidates(ctx))
	if p, ok := newest(found, major); ok {
		return p, nil
	}
	missing := &NoProgramsError{Major: major, Found: found}
	dir, err := npm.Install(ctx, cmp.Or(major, npm.Major))
	if err != nil {
		missing.Cause = err
		return Programs{}, missing
	}
	fetched := installed(ctx, account, []string{dir})
	if p, ok := newest(fetched, major); ok {
		p.FromNPM = true
		return p, nil
	}
	missing.Cause = fmt.Errorf("%s does not run as %s on this system", dir, account)
	return Programs{}, missing
}

// candidates returns the directories where PostgreSQL may be, in order of preference.
func candidates(ctx context.Context) []string {
	var dirs []string
	if path, err := exec.LookPath("postgres"); err == nil {
		dirs = append(dirs, filepath.Dir(path))
	}
	if out, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(out)))
	}
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin",          // Debian, Ubuntu
		"/usr/pgsql-*/bin",                   // the PostgreSQL project's own RPMs
		"/opt/homebrew/opt/postgresql@*/bin", // Homebrew on Apple silicon
		"/usr/local/opt/postgresql@*/bin",    // Homebrew on Intel
		"/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",
	} {
		matches, _ := filepath.Glob(pattern) // fails only for a malformed pattern
		dirs = append(dirs, matches...)
	}
	return dirs
}

// installed returns the programs of the directories that have them, as far as the account can run them.
func installed(ctx context.Context, account Account, dirs []string) []Programs {
	var found []Programs
	for _, dir := range dirs {
		// The server looks for its libraries beside the real file.
		postgres, err := filepath.EvalSymlinks(filepath.Join(dir, "postgres"))
		if err != nil {
			continue
		}
		dir = filepath.Dir(postgres)
		if slices.ContainsFunc(found, func(p Programs) bool { return p.Dir == dir }) {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, "initdb")); err != nil {
			continue
		}
		if major, err := majorOf(ctx, account, postgres); err == nil {
			found = append(found, Programs{Dir: dir, Major: major})
		}
	}
	return found
}

// newest returns the first programs of the highest major version that fits.
func newest(found []Programs, major int) (best Programs, ok bool) {
	for _, p := range found {
		if p.Major < MinMajor || major != 0 && p.Major != major {
			continue
		}
		if p.Major > best.Major {
			best, ok = p, true
		}
	}
	return best, ok
}

func majorOf(ctx context.Context, account Account, postgres string) (int, error) {
	out, err := account.Command(ctx, postgres, "--version").Output()
	if err != nil {
		return 0, fmt.Errorf("%s --version: %w", postgres, err)
	}
	// "postgres (PostgreSQL) 17.2 (Debian 17.2-1)", "postgres (PostgreSQL) 18beta1"
	match := regexp.MustCompile(`\(PostgreSQL\) (\d+)`).FindSubmatch(out)
	if match == nil {
		return 0, errors.New("unknown version: " + string(out))
	}
	major, err := strconv.Atoi(string(match[1]))
	if err != nil {
		return 0, fmt.Errorf("version of %s: %w", postgres, err)
	}
	return major, nil
}
