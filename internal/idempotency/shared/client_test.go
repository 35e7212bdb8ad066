package shared_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	redigo "github.com/gomodule/redigo/redis"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency/shared"
	"onlyonce/internal/must"
	"onlyonce/internal/proof/redis"
)

func TestCheck(t *testing.T) {
	for url, good := range map[string]bool{
		"redis://localhost": true, "redis://:secret@host:6379/1": true, "rediss://user:secret@[::1]:6380": true, "redis://host/": true,
		"unix:///run/redis.sock": true, "unix://user:secret@/run/redis.sock?db=15": true,
		"": false, "localhost:6379": false, "http://localhost": false, "redis://host/first": false, "redis://host?dial_timeout=1s": false,
		"redis://": false, "redis://user@host": false, "redis://:12#3@host": false, "redis:host": false, "unix://": false,
		"unix:///run/redis.sock?db=-1": false, "redis://host:port": false,
	} {
		err := shared.Check(url)
		assert.Thatf(t, (err == nil) == good, "%s: %v", url, err)
		assert.Thatf(t, err == nil || !strings.Contains(err.Error(), "secret"), "%v reveals the password", err)
	}
}

// TestClient checks that a wrong password is reported, the database, the number of connections, and that they are closed.
func TestClient(t *testing.T) {
	server := redis.New(t)
	ask := func(command string, arguments ...any) any {
		reply, err := server.Ask(t.Context(), command, arguments...)
		must.OK(t, err)
		return reply
	}
	ask("ACL", "SETUSER", "app", "on", ">secret", "~*", "+@all")
	connections := func() (n int) {
		list, err := redigo.String(ask("CLIENT", "LIST"), nil)
		must.OK(t, err)
		return strings.Count(list, "\n") - 1 // without the one that asks
	}
	for login, good := range map[string]bool{"app:secret@": true, "app:another@": false, "another:secret@": false, "": true} {
		url := "unix://" + login + server.Socket() + "?db=3"
		var log bytes.Buffer
		memory, err := shared.Open(url, make([]byte, 32), time.Minute, slog.New(slog.NewTextHandler(&log, nil)))
		must.OK(t, err)
		var all sync.WaitGroup
		for i := range 200 {
			name := fmt.Sprint("name ", i)
			all.Go(func() {
				memory.Put(t.Context(), name, []byte("value"), time.Minute)
				value, ok := memory.Get(t.Context(), name)
				assert.Thatf(t, ok == good && (!good || string(value) == "value"), "%s: %q, %v", url, value, ok)
			})
		}
		all.Wait()
		assert.Thatf(t, strings.Contains(log.String(), "WRONGPASS") != good, "%s: the log is %s", url, log.String())
		opened := connections()
		assert.Thatf(t, opened <= 32 && (opened > 0) == good, "%s: %d connections", url, opened)
		memory.Close()
		must.Until(t, "all connections are closed", func() bool { return connections() == 0 })
	}
	keys, err := redigo.String(ask("INFO", "keyspace"), nil)
	assert.Thatf(t, err == nil && strings.Contains(keys, "db3:keys=200,") && !strings.Contains(keys, "db0"), "%s, %v", keys, err)
}
