// Package labcases mounts the lab for tests. Only tests import it.
package labcases

import (
	"context"
	"log/slog"
	"testing"

	"onlyonce/internal/lab"
	"onlyonce/internal/lab/labpages"
	"onlyonce/internal/site/sitetest"
	"onlyonce/internal/web"
)

// Pages returns the pages of a lab that is closed when the test ends.
func Pages(t *testing.T, c lab.Config) []func(*web.Site) {
	t.Helper()
	c.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	made, err := lab.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := made.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return []func(*web.Site){func(s *web.Site) { labpages.Mount(s, made) }}
}

// WithLab adds the pages of a lab that starts no run to a server.
func WithLab(t *testing.T) func(*sitetest.Config) {
	t.Helper()
	pages := Pages(t, lab.Config{})
	return func(c *sitetest.Config) { c.Pages = pages }
}
