package server

import "fmt"

// needed is the size of a new data directory in megabytes, with some room.
const needed = 100

// InitError means that a new data directory could not be made. It was never used.
type InitError struct {
	Dir     string
	Account Account // the account that must be able to write in Dir
	Free    int64   // megabytes on the disk of Dir after the failure; 0 if unknown
	Program string  // the program that failed
	Output  string  // its output
	Err     error   // its exit status, or the reason why it was ended
}

func (e *InitError) Error() string {
	space := ""
	if e.Free > 0 && e.Free < needed {
		space = fmt.Sprintf(" (only %d MB are free there, and it takes %d)", e.Free, needed)
	}
	return fmt.Sprintf("could not make a PostgreSQL data directory: %s ended with %v%s. Ways on: make sure that there is "+
		"room on the disk and that %s may write to %s, name another directory with DATA_DIR, or set DATABASE_URL to a "+
		"PostgreSQL of your own. %[1]s said:\n%[6]s", e.Program, e.Err, space, e.Account, e.Dir, lastLines(e.Output, 6))
}

// Unwrap returns e.Err.
func (e *InitError) Unwrap() error { return e.Err }
