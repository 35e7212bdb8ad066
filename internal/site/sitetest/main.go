package sitetest

import (
	"flag"
	"testing"

	"onlyonce/internal/postgres/pgtest"
)

// Main runs the tests of a package. It runs four at once unless -parallel is set: tests wait for PostgreSQL half of the time.
func Main(m *testing.M) {
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	pgtest.Main(withWalks{m})
}
