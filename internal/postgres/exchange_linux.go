package postgres

import "golang.org/x/sys/unix"

// exchange exchanges two directories in one step.
func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE) //nolint:wrapcheck // the caller wraps it
}
