package site_test

import (
	"flag"
	"testing"

	"onlyonce/internal/postgres/pgtest"
)

// TestMain runs four tests at once unless -parallel is set: tests wait for PostgreSQL half of the time.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	pgtest.Main(withWalks{m})
}
