package server

import "fmt"

// needed is what a new data directory takes, in megabytes, with room to begin.
const needed = 100

// InitError means that a new data directory could not be made. Nothing of it was ever used.
type InitError struct {
	Dir     string
	Account Account // who has to be able to write there
	Free    int64   // megabytes on the disk of Dir after the failure; 0 when unknown
	Program string  // that failed
	Output  string  // what it said
	Err     error   // how it ended
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

// Unwrap returns how the program ended.
func (e *InitError) Unwrap() error { return e.Err }
