package app

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"golang.org/x/sync/errgroup"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/people/peoplepages"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/site"
	"onlyonce/internal/web"
)

// TestBodiesAreBoundedInTime checks the settings only, because the limit is half a minute.
func TestBodiesAreBoundedInTime(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must.OK(t, err)
	a := &App{work: &errgroup.Group{}, giveUp: func() {}}
	a.stopped, a.stop = context.WithCancelCause(t.Context())
	a.serve(listener, http.NotFoundHandler())
	server := a.servers[0]
	for name, bound := range map[string]time.Duration{
		"header": server.ReadHeaderTimeout, "request": server.ReadTimeout, "answer": server.WriteTimeout, "idle": server.IdleTimeout,
	} {
		assert.Thatf(t, bound > 0 && bound <= 2*time.Minute, "%s: %v", name, bound)
	}
	must.OK(t, a.Close(t.Context()))
}

// TestSlowClientsDoNotFailTheEnd stops the app while one client is sending its request and another does not read its answer. Their
// connections are closed after the bound, and this is logged.
func TestSlowClientsDoNotFailTheEnd(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		request string
		handle  func(http.ResponseWriter, *http.Request) error
	}{
		"slow to send": {"POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\n\r\nhalf", func(_ http.ResponseWriter, r *http.Request) error {
			_, err := io.Copy(io.Discard, r.Body)
			return err
		}},
		"slow to read": {"GET / HTTP/1.1\r\nHost: test\r\n\r\n", func(w http.ResponseWriter, _ *http.Request) error {
			for {
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					return err
				}
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			must.OK(t, err)
			var log bytes.Buffer
			a := &App{work: &errgroup.Group{}, limits: limits{drain: 100 * time.Millisecond}, giveUp: func() {}}
			a.config.Log = slog.New(slog.NewTextHandler(&log, nil))
			a.stopped, a.stop = context.WithCancelCause(t.Context())
			began, ended := make(chan struct{}), make(chan error, 1)
			a.serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				close(began)
				ended <- c.handle(w, r)
			}))
			conn, err := net.Dial("tcp", listener.Addr().String())
			must.OK(t, err)
			defer conn.Close()
			fmt.Fprint(conn, c.request)
			<-began
			if err := a.Close(t.Context()); err != nil {
				t.Errorf("the app ends with %v", err)
			}
			if err := <-ended; err == nil {
				t.Error("the request was not cut off")
			}
			assert.Thatf(t, strings.Contains(log.String(), "did not finish in time"), "the log says %q", log.String())
		})
	}
}

// StartWithin is [Start] with other time limits for a request and for shutdown.
func StartWithin(ctx context.Context, c Config, request, drain time.Duration) (*App, error) {
	return start(ctx, c, limits{request: request, drain: drain})
}

// StartPatient is [Start] with another time limit for each request to Redis.
func StartPatient(ctx context.Context, c Config, patience time.Duration) (*App, error) {
	return start(ctx, c, limits{drain: drain, redis: patience})
}

// StartFilling is [Start] with another bound for demo data.
func StartFilling(ctx context.Context, c Config, filling time.Duration) (*App, error) {
	return start(ctx, c, limits{drain: drain, filling: filling})
}

// JobLog is jobLog for tests.
func JobLog(log *slog.Logger) *slog.Logger { return jobLog(log) }

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
	server, err := web.New(web.Config{Log: a.config.Log, Mount: site.Mount(people, true, false, pagesOf(a.extras)...)})
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
		assert.Thatf(t, slices.Contains(listed, route), "the list lacks %s", route)
	}
	assert.Thatf(t, len(walked) == len(listed), "%d routes are listed, and the router has %d", len(listed), len(walked))
}
