package site_test

import (
	"testing"

	"onlyonce/internal/lab/labcases"
	"onlyonce/internal/site/sitetest"
)

func TestMain(m *testing.M) { sitetest.Main(m) }

// setup returns a bundle whose servers have everything that any program mounts.
func setup(t *testing.T) *sitetest.Bundle {
	t.Helper()
	var more []func(*sitetest.Config)
	more = append(more, labcases.WithLab(t))
	return sitetest.Setup(t, more...)
}
