package bench

import (
	"context"
	_ "embed" // for the script
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
)

//go:embed floor.sql
var floorScript string

var ratePattern = regexp.MustCompile(`(?m)^tps = ([\d.]+) `)

// floor measures PostgreSQL itself: pgbench with the rows of a create in one prepared statement, under the app's role.
func (b *bench) floor(db database, clients int) rate {
	return func(ctx context.Context) (float64, error) {
		path := b.path("floor.sql")
		if err := os.WriteFile(path, []byte(floorScript), 0o600); err != nil {
			return 0, err
		}
		cmd := exec.CommandContext(ctx, b.pgbench, "--no-vacuum", "--protocol=prepared",
			"--host="+db.socketDir, "--username="+db.role, "--define=tenant="+acme,
			"--client="+strconv.Itoa(clients), "--jobs=1",
			"--time="+strconv.Itoa(max(1, int(b.Length.Seconds()))), "--file="+path, db.name)
		// The tenant for row-level security is a setting of the session, so the script consists of the rows only.
		cmd.Env = append(os.Environ(), "PGOPTIONS=-c onlyonce.tenant_id="+acme)
		out, err := cmd.CombinedOutput()
		if err != nil {
			return 0, fmt.Errorf("pgbench: %w\n%s", err, out)
		}
		match := ratePattern.FindSubmatch(out)
		if match == nil {
			return 0, fmt.Errorf("pgbench has printed no rate:\n%s", out)
		}
		return strconv.ParseFloat(string(match[1]), 64)
	}
}
