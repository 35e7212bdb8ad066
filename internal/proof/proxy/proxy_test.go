package proxy_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/proof/proxy"
)

// echo is a server behind a proxy. It counts the requests that it has read to the end.
type echo struct {
	*proxy.Proxy

	client *http.Client
	heard  atomic.Int32
}

func setup(t *testing.T) *echo {
	t.Helper()
	t.Parallel()
	e := &echo{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			e.heard.Add(1)
		}
		fmt.Fprintf(w, "%s", body)
	}))
	t.Cleanup(server.Close)
	var err error
	e.Proxy, err = proxy.Listen(t.Context(), "tcp", server.Listener.Addr().String())
	must.OK(t, err)
	t.Cleanup(e.Close)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	e.client = &http.Client{Transport: transport}
	return e
}

func (e *echo) say(words string) (string, error) {
	// The words are in the first line, because the body may be sent in a separate message.
	address := "http://" + e.Addr() + "/?" + url.Values{"say": {words}}.Encode()
	response, err := e.client.Post(address, "text/plain", io.MultiReader(strings.NewReader(words)))
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return string(body), err
}

func TestCutsWhereTold(t *testing.T) {
	t.Parallel()
	for _, point := range proxy.Points() {
		t.Run(point.String(), func(t *testing.T) {
			e := setup(t)
			e.Arm(proxy.Cut{Point: point, Saying: "SECOND", Share: 0.5})
			if answer, err := e.say("first"); err != nil || answer != "first" {
				t.Fatal(answer, err)
			}
			if answer, err := e.say("second"); err == nil {
				t.Errorf("answered %q", answer)
			}
			want := int32(1)
			if point == proxy.BeforeAnswer || point == proxy.InsideAnswer {
				want = 2
			}
			heard := e.heard.Load()
			assert.Thatf(t, heard == want, "the server heard %d requests, want %d", heard, want)
			if answer, err := e.say("third"); err != nil || answer != "third" {
				t.Errorf("after the cut: %q, %v", answer, err)
			}
			cuts := e.Cuts()
			assert.Thatf(t, cuts[point] == 1 && len(cuts) == 1, "counted %v", cuts)
			n := e.Exchanges()
			assert.Thatf(t, n == 3, "counted %d exchanges, want 3", n)
		})
	}
}

func TestPauseDelaysButLosesNothing(t *testing.T) {
	e := setup(t)
	e.Pause()
	e.client.Timeout = 50 * time.Millisecond
	var timeout net.Error
	if answer, err := e.say("zombie"); !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Fatalf("answered %q, %v", answer, err)
	}
	assert.Thatf(t, e.heard.Load() == 0, "the request passed a paused proxy")
	e.client.Timeout = 10 * time.Second
	e.Resume()
	if answer, err := e.say("alive"); err != nil || answer != "alive" {
		t.Errorf("after the pause: %q, %v", answer, err)
	}
}

func TestSlow(t *testing.T) {
	e := setup(t)
	const delay = 30 * time.Millisecond
	e.Slow(delay)
	start := time.Now()
	answer, err := e.say("patience")
	must.Thatf(t, err == nil && answer == "patience", "%v %v", answer, err)
	took := time.Since(start)
	assert.Thatf(t, took >= 2*delay, "took %v, want at least %v there and %v back", took, delay, delay)
}

func TestIsolatedServerIsDown(t *testing.T) {
	e := setup(t)
	e.Pause()
	said := make(chan error, 1)
	go func() {
		_, err := e.say("held back")
		said <- err
	}()
	e.Isolate()
	if err := <-said; err == nil { // an error is required, whether or not it had connected before
		t.Error("a held-back request was answered")
	}
	if answer, err := e.say("nobody"); err == nil {
		t.Errorf("answered %q", answer)
	}
	e.Heal()
	if answer, err := e.say("there again"); err != nil || answer != "there again" {
		t.Errorf("healed: %q, %v", answer, err)
	}
}

func TestListensAtASocket(t *testing.T) {
	e := setup(t)
	path := filepath.Join(t.TempDir(), "socket")
	before, err := proxy.ListenUnix(t.Context(), path, "tcp", e.Addr())
	must.OK(t, err)
	defer before.Close()
	e.client.Transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}
	if answer, err := e.say("through both"); err != nil || answer != "through both" {
		t.Errorf("answered %q, %v", answer, err)
	}
}
