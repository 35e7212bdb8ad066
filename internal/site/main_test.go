package site_test

import (
	"flag"
	"testing"

	"onlyonce/internal/postgres/pgtest"
)

// Tests wait for PostgreSQL half of the time, so four of them run at once, unless -parallel says
// otherwise.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	pgtest.Main(withWalks{m})
}
