package shared_test

import (
	"context"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency/shared"
	"onlyonce/internal/must"
)

// TestNonsense checks that a reply that Redis would not send is neither a value nor a refusal, and takes little memory.
func TestNonsense(t *testing.T) {
	for name, reply := range map[string]string{
		"another protocol":     "HTTP/1.1 400 Bad Request\r\n\r\n",
		"a number":             ":1\r\n",
		"a value":              "$5\r\nvalue\r\n",
		"no value":             "$-1\r\n",
		"an array of numbers":  "*4\r\n:1\r\n:1\r\n:1\r\n:1\r\n",
		"an empty array":       "*0\r\n",
		"a huge value":         "$1000000000\r\n",
		"a value beyond int":   "$9223372036854775807\r\n",
		"a huge array":         "*100000000\r\n",
		"a huge map":           "%100000000\r\n",
		"a huge set":           "~100000000\r\n",
		"arrays in arrays":     strings.Repeat("*1\r\n", 8<<20),
		"an error with no end": "-" + strings.Repeat("x", 64<<20),
		"nothing":              "",
	} {
		t.Run(name, func(t *testing.T) {
			url, log := "redis://"+replying(t, []byte(reply)), slog.New(slog.DiscardHandler)
			memory, err := shared.Open(url, make([]byte, 32), 5*time.Second, log)
			must.OK(t, err)
			defer memory.Close()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range 5 {
				memory.Put(t.Context(), "name", []byte("value"), time.Minute)
				value, ok := memory.Get(t.Context(), "name")
				assert.Thatf(t, !ok, "got %q", value)
				assert.Thatf(t, memory.Allow(t.Context(), "name", 10), "refused")
			}
			runtime.ReadMemStats(&after)
			allocated := after.TotalAlloc - before.TotalAlloc
			assert.Thatf(t, allocated <= 16<<20, "%d MiB were allocated", allocated>>20)
		})
	}
}

// replying returns the address of a server that sends the same reply to everything.
func replying(t *testing.T, reply []byte) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	must.OK(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				asked := make([]byte, 4<<10)
				for {
					_, err := conn.Read(asked)
					if err != nil || len(reply) == 0 {
						return
					}
					if _, err := conn.Write(reply); err != nil {
						return
					}
				}
			}()
		}
	}()
	return listener.Addr().String()
}
