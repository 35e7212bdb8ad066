package dev

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const page = "package templates\n\ntempl Page(name string) {\n\t<p>Hello { name }</p>\n}\n"

// acted is what watch asked for after a change.
type acted struct {
	stale bool
	wrong string
}

// watching starts to watch a directory with a template, an asset and a Go file. It gives a function that writes a
// file, and one that waits for what follows.
func watching(t *testing.T) (write func(name, text string), next func() acted) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TEMPL_DEV_MODE_ROOT", t.TempDir())
	write = func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("templates/page.templ", page)
	write("static/app.css", "p {}")
	write("main.go", "package main\n")
	ctx, stop := context.WithCancel(t.Context())
	all, ended := make(chan acted), make(chan error)
	go func() {
		ended <- watch(ctx, dir, slog.New(slog.DiscardHandler), func(c *changes) {
			now := acted{c.stale, c.wrong()}
			c.stale = c.stale && now.wrong != ""
			select {
			case all <- now:
			case <-ctx.Done():
			}
		})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return write, func() acted {
		t.Helper()
		select {
		case now := <-all:
			return now
		case err := <-ended:
			t.Fatalf("watching has ended: %v", err)
			return acted{}
		}
	}
}

func TestOnlyWhatNeedsABuildIsBuilt(t *testing.T) {
	write, next := watching(t)
	if got := next(); got != (acted{stale: true}) {
		t.Errorf("at the start: %+v", got)
	}
	for _, step := range []struct {
		what, file, text string
		want             acted
	}{
		{"a style", "static/app.css", "p { color: red }", acted{}},
		{"a text in a template", "templates/page.templ", strings.Replace(page, "Hello", "Good morning", 1), acted{}},
		{"code in a template", "templates/page.templ", strings.Replace(page, "{ name }", "{ name + name }", 1), acted{stale: true}},
		{"Go", "main.go", "package main\n\nfunc main() {}\n", acted{stale: true}},
	} {
		write(step.file, step.text)
		if got := next(); got != step.want {
			t.Errorf("%s: %+v, want %+v", step.what, got, step.want)
		}
	}
}

func TestABrokenTemplateIsTold(t *testing.T) {
	write, next := watching(t)
	next()
	write("templates/page.templ", page+"templ Broken() {\n\t<p>\n}\n")
	if got := next(); !strings.Contains(got.wrong, "page.templ") {
		t.Errorf("broken: %+v", got)
	}
	write("templates/page.templ", page)
	if got := next(); got != (acted{stale: true}) {
		t.Errorf("mended: %+v", got)
	}
}
