package e2e

import (
	"flag"
	"testing"

	"onlyonce/internal/postgres/pgtest"
)

// Tests wait for the browser and for what does not come, so three of them run at once, unless -parallel says otherwise.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "3"); err != nil {
		panic(err)
	}
	pgtest.Main(m)
}
