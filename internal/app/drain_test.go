package app

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"onlyonce/internal/must"
)

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
			if !strings.Contains(log.String(), "did not finish in time") {
				t.Errorf("the log says %q", log.String())
			}
		})
	}
}
