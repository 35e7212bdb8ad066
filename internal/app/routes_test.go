package app

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"onlyonce/internal/must"
	"onlyonce/internal/people/peoplepages"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/site"
	"onlyonce/internal/web"
)

// TestRoutesAreAll checks that the list has every route of an app with all its pages, each with the line that registers it.
func TestRoutesAreAll(t *testing.T) {
	t.Parallel()
	extra := func(*slog.Logger) (Extra, error) {
		return Extra{
			Mount: func(s *web.Site) {
				s.Everybody().Read("/extra", func(http.ResponseWriter, *http.Request) error { return nil })
			},
			Close: func(context.Context) error { return nil },
		}, nil
	}
	all := Site{Mount: site.Mount, Rooms: site.Rooms(), Extras: []OpenExtra{extra}}
	a, err := Start(t.Context(), Config{
		Addr: "127.0.0.1:0", MetricsAddr: "off", DatabaseURL: pgtest.New(t).URL, Demo: true, Site: all,
		Wait: time.Second, ExpireEvery: time.Minute, Log: slog.New(slog.DiscardHandler), Banner: io.Discard,
	})
	must.OK(t, err)
	t.Cleanup(func() { must.OK(t, a.Close(context.WithoutCancel(t.Context()))) })
	people := peoplepages.Config{Key: a.config.SecretKey}
	server, err := web.New(web.Config{Log: a.config.Log, Mount: site.Mount(people, true, pagesOf(a.extras)...)})
	must.OK(t, err)
	var walked, listed []string
	must.OK(t, chi.Walk(server.Mux, func(method, path string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		walked = append(walked, method+" "+path)
		return nil
	}))
	routes, err := all.Routes()
	must.OK(t, err)
	for _, route := range routes {
		listed = append(listed, route.Method+" "+route.Path)
		file, line, _ := strings.Cut(route.Source, ":")
		source, err := os.ReadFile("../../" + file)
		at, _ := strconv.Atoi(line)
		if lines := strings.Split(string(source), "\n"); err != nil || at < 1 || at > len(lines) || !strings.Contains(lines[at-1], "(") {
			t.Errorf("%s %s is registered at %q, where there is no call: %v", route.Method, route.Path, route.Source, err)
		}
	}
	for _, route := range walked {
		if !slices.Contains(listed, route) {
			t.Errorf("the list lacks %s", route)
		}
	}
	if len(walked) != len(listed) {
		t.Errorf("%d routes are listed, and the router has %d", len(listed), len(walked))
	}
}
