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
	"strconv"
	"syscall"
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
