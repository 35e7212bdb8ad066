package dev

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/a-h/templ/cmd/templ/generatecmd"
	"github.com/a-h/templ/cmd/templ/generatecmd/watcher"
	"github.com/a-h/templ/generator"
	"github.com/fsnotify/fsnotify"
)

var (
	// watched is what the app is made of.
	watched = regexp.MustCompile(`\.(go|templ|sql|css|js|mjs|sh|svg)$`)
	// unwatched follows from what is watched, or is no part of the app.
	unwatched = regexp.MustCompile(`(_templ|_test)\.go$`)
	// asset is what the proxy takes from the disk.
	asset = regexp.MustCompile(`/static/[^/]+\.(css|js|svg)$`)
)

// settle is how long no file may change before changes are acted upon: editors and git write several at once.
const settle = 30 * time.Millisecond

// changes are those of the files since the app was built.
type changes struct {
	templates *generatecmd.FSEventHandler
	broken    map[string]error // templates that cannot be generated
	stale     bool             // the running app is not made of what the files say
}

// watch calls act at the start, and after each change until ctx is done.
func watch(ctx context.Context, dir string, log *slog.Logger, act func(*changes)) error {
	events, failures := make(chan fsnotify.Event), make(chan error)
	files, err := watcher.Recursive(ctx, watched, unwatched, events, failures)
	if err != nil {
		return fmt.Errorf("watch the files: %w", err)
	}
	if err := files.Add(dir); err != nil {
		return fmt.Errorf("watch the files: %w", err)
	}
	c := &changes{stale: true, broken: map[string]error{}}
	if err := c.generateAll(ctx, filepath.Join(dir, "templates")); err != nil {
		return err
	}
	act(c)
	var settled <-chan time.Time // nil, so never, until something has changed
	for {
		select {
		case event := <-events:
			if c.note(ctx, event) {
				settled = time.After(settle)
			}
		case <-settled:
			settled = nil
			act(c)
		case err := <-failures:
			log.WarnContext(ctx, "a change may have been missed", "error", err)
		case <-ctx.Done():
			if err := files.Close(); err != nil {
				return fmt.Errorf("stop watching: %w", err)
			}
			return nil
		}
	}
}

// generateAll generates every template, and keeps what it says for comparison.
func (c *changes) generateAll(ctx context.Context, dir string) error {
	c.templates = generatecmd.NewFSEventHandler(slog.New(slog.DiscardHandler), dir, true,
		[]generator.GenerateOpt{generator.WithVersion(templ.Version())}, false, false, generatecmd.FileWriter, false)
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".templ") {
			c.note(ctx, fsnotify.Event{Name: path, Op: fsnotify.Create})
		}
		return err
	})
}

// note takes notice of a change and generates a template that has changed. It says whether there is anything to do.
func (c *changes) note(ctx context.Context, event fsnotify.Event) bool {
	_, mended := c.broken[event.Name]
	delete(c.broken, event.Name)
	if _, err := os.Stat(event.Name); err != nil { // it is gone
		c.stale = true
		return true
	}
	result, err := c.templates.HandleEvent(ctx, event)
	switch {
	case err != nil:
		c.broken[event.Name] = err
		c.stale = true // what was generated of it may be older than the app
		return true
	case asset.MatchString(event.Name):
		return result.WatchedFileUpdated
	default:
		c.stale = c.stale || result.WatchedFileUpdated || result.TemplFileGoUpdated
		return mended || result.WatchedFileUpdated || result.TemplFileGoUpdated || result.TemplFileTextUpdated
	}
}

// wrong says what is wrong with the templates, or is empty.
func (c *changes) wrong() string {
	var all []string
	for _, err := range c.broken {
		all = append(all, err.Error())
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}
