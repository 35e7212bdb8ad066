package app

import (
	"context"
	"net"
	"net/http"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"onlyonce/internal/must"
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
		if bound <= 0 || bound > 2*time.Minute {
			t.Errorf("%s: %v", name, bound)
		}
	}
	if err := a.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
