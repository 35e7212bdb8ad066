package bench

import (
	"context"
	_ "embed" // for the scripts
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

var (
	//go:embed floor_insert.sql
	floorInsert string
	//go:embed floor_select.sql
	floorSelect string
)

// floor is PostgreSQL's own speed: pgbench with a script, prepared statements and the app's role.
type floor struct {
	program string
	dir     string
	length  time.Duration // of one sample
}

func newFloor(programs, dir string, length time.Duration) (floor, error) {
	program := filepath.Join(programs, "pgbench")
	if _, err := os.Stat(program); err != nil {
		if program, err = exec.LookPath("pgbench"); err != nil {
			return floor{}, fmt.Errorf("pgbench is missing (apt install postgresql-contrib): %w", err)
		}
	}
	return floor{program, dir, length}, nil
}

var ratePattern = regexp.MustCompile(`(?m)^tps = ([\d.]+) `)

// run returns transactions a second.
func (f floor) run(ctx context.Context, db database, script string, clients int) (float64, error) {
	path := filepath.Join(f.dir, "floor.sql")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, f.program, "--no-vacuum", "--protocol=prepared",
		"--host="+db.socketDir, "--username="+db.role, "--define=tenant="+acme,
		"--client="+strconv.Itoa(clients), "--jobs=1",
		"--time="+strconv.Itoa(max(1, int(f.length.Seconds()))), "--file="+path, db.name)
	// The tenant that row-level security asks for belongs to the session: nothing is left out of the
	// rows, and nothing but the rows is in the script.
	cmd.Env = append(os.Environ(), "PGOPTIONS=-c onlyonce.tenant_id="+acme)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("pgbench: %w\n%s", err, out)
	}
	match := ratePattern.FindSubmatch(out)
	if match == nil {
		return 0, fmt.Errorf("pgbench told no rate:\n%s", out)
	}
	return strconv.ParseFloat(string(match[1]), 64)
}
