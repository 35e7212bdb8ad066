package dev

import (
	"bufio"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const server = `package main

import (
	"io"
	"net/http"
	"os"
)

func main() {
	_ = http.ListenAndServe(os.Getenv("ADDR"), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "one "+os.Getenv("DATABASE_URL"))
	}))
}
`

// TestTheAppFollowsItsFiles runs a program of a few lines in place of the app.
func TestTheAppFollowsItsFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module tiny\n\ngo 1.26.0\n")
	write("templates/page.go", "package templates\n")
	write("static/app.css", "p {}")
	write("cmd/server/main.go", server)
	address, err := freeAddress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		ended <- Run(ctx, Config{
			Dir: dir, Addr: address, DatabaseURL: "kept", Out: t.Output(), Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		})
	}()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	told := listen(t, "http://"+address+eventsPath)
	shows := func(want string) {
		t.Helper()
		if _, _, body := get(t, "http://"+address); !strings.HasPrefix(body, want) {
			t.Errorf("the page is %q, want %q", body, want)
		}
	}

	told(func(s state) bool { return s.Version == 1 })
	shows("one kept<script")
	write("cmd/server/main.go", strings.Replace(server, "one", "two", 1))
	told(func(s state) bool { return s.Version == 2 })
	shows("two kept<script")
	write("cmd/server/main.go", strings.Replace(server, "one", "two\nthree", 1))
	told(func(s state) bool { return s.Version == 2 && strings.Contains(s.Wrong, "main.go:12") })
	shows("two kept<script")
	write("cmd/server/main.go", strings.Replace(server, "func main() {", "func main() {\n\tpanic(`no way`)", 1))
	told(func(s state) bool { return s.Version == 2 && strings.Contains(s.Wrong, "no way") })
	shows("two kept<script")
	write("cmd/server/main.go", strings.Replace(server, "one", "four", 1))
	told(func(s state) bool { return s.Version == 3 && s.Wrong == "" })
	shows("four kept<script")
	write("static/app.css", "p { color: red }")
	told(func(s state) bool { return s.Version == 4 })
}

// listen gives a function that waits until the pages are told something.
func listen(t *testing.T, events string) func(func(state) bool) {
	t.Helper()
	var response *http.Response
	for response == nil {
		if t.Context().Err() != nil {
			t.Fatal("nobody listens")
		}
		response, _ = http.Get(events)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	lines := bufio.NewReader(response.Body)
	return func(wanted func(state) bool) {
		t.Helper()
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			data, ok := strings.CutPrefix(line, "data: ")
			if !ok {
				continue
			}
			var now state
			if err := json.Unmarshal([]byte(data), &now); err != nil {
				t.Fatal(err)
			}
			if wanted(now) {
				return
			}
		}
	}
}
