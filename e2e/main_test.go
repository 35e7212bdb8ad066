package e2e

import (
	"flag"
	"os"
	"testing"

	"onlyonce/internal/postgres/pgtest"
)

// Tests wait for the browser and for what does not come, so four of them run at once, unless -parallel says otherwise. The login
// is that of the demo, unless the environment names another.
func TestMain(m *testing.M) {
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
