package labpages

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"onlyonce/internal/lab"
	"onlyonce/internal/web"
	"onlyonce/templates/labviews"
)

// result returns the result of the run that the path names. Another visitor's run is not found.
func (s *pages) result(r *http.Request) (lab.Result, error) {
	id, err := web.PathID(r)
	if err != nil {
		return lab.Result{}, err
	}
	found, ok := s.lab.Result(id, s.visitor(r))
	if !ok {
		return lab.Result{}, web.ErrNotFound
	}
	return found, nil
}

func (s *pages) showRun(w http.ResponseWriter, r *http.Request) error {
	found, err := s.result(r)
	if err != nil {
		return err
	}
	return s.site.Render(w, r, http.StatusOK, labviews.RunPage(s.site.Page(w, r), s.runView(r, found)))
}

// followFor bounds one answer of [Server.followRun], so that it does not delay the stop of the server. Browsers reconnect.
const followFor = 10 * time.Second

// followRun sends the changing part of a run's page as server-sent events: "progress" at each change, and "over" at the end.
func (s *pages) followRun(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.result(r); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "private, no-store")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would buffer the events
	w.Header().Set(gzhttp.HeaderNoCompression, "1")
	ctx, cancel := context.WithTimeout(r.Context(), followFor)
	defer cancel()
	id, _ := web.PathID(r)
	for result := range s.lab.Watch(ctx, id, s.visitor(r)) {
		if err := s.sendProgress(ctx, w, s.runView(r, result)); err != nil {
			return nil // the client is gone, or reconnects
		}
	}
	return nil
}

func (s *pages) sendProgress(ctx context.Context, w http.ResponseWriter, v labviews.Run) error {
	var html bytes.Buffer
	if err := labviews.Progress(v).Render(ctx, &html); err != nil {
		return fmt.Errorf("render progress: %w", err)
	}
	kind := "progress"
	if v.Over {
		kind = "over"
	}
	data := strings.ReplaceAll(html.String(), "\n", "\ndata: ")
	if _, err := fmt.Fprintf(w, "event: %s\nretry: 500\ndata: %s\n\n", kind, data); err != nil {
		return fmt.Errorf("send progress: %w", err)
	}
	if err := http.NewResponseController(w).Flush(); err != nil {
		return fmt.Errorf("send progress: %w", err)
	}
	return nil
}

// drawRun serves the picture of a run alone, for sharing.
func (s *pages) drawRun(w http.ResponseWriter, r *http.Request) error {
	found, err := s.result(r)
	if err != nil {
		return err
	}
	if found.State != lab.Done {
		return web.ErrNotFound
	}
	v := s.runView(r, found)
	var svg bytes.Buffer
	if err := labviews.Picture(v).Render(r.Context(), &svg); err != nil {
		return fmt.Errorf("draw a run: %w", err)
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Cache-Control", "private, no-cache")
	w.Header().Set("Content-Disposition", `inline; filename="onlyonce-`+found.Experiment.Slug+`.svg"`)
	_, _ = w.Write(svg.Bytes()) // the client may be gone
	return nil
}
