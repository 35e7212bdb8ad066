package sitetest

import (
	"testing"

	"onlyonce/internal/postgres/pgtest"
)

// Main runs the tests of a package.
func Main(m *testing.M) { pgtest.Main(withWalks{m}) }
