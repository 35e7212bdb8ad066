package e2e

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"onlyonce/internal/postgres/pgtest"
)

// Tests mostly wait for the browser and for timeouts, so four run at once unless -parallel is set. The login is the demo's,
// unless the environment names another.
func TestMain(m *testing.M) {
	if !inChromium() {
		fmt.Fprintln(os.Stdout, "browser:", engine()) // for package scenario
	}
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	for name, demo := range map[string]string{"E2E_EMAIL": demoEmail, "E2E_PASSWORD": demoPassword, "E2E_TOKEN": demoToken} {
		if os.Getenv(name) == "" {
			if err := os.Setenv(name, demo); err != nil {
				panic(err)
			}
		}
	}
	pgtest.Main(m)
}
