package web

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"golang.org/x/sync/semaphore"

	"onlyonce/internal/invoice"
)

// TestFewDocumentsAtOnce: who waits too long for a place is told to come again.
func TestFewDocumentsAtOnce(t *testing.T) {
	t.Parallel()
	s := &Server{rendered: semaphore.NewWeighted(1)}
	if !s.rendered.TryAcquire(1) {
		t.Fatal("no place")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.invoicePDF(httptest.NewRequestWithContext(ctx, http.MethodGet, "/", http.NoBody), invoice.Invoice{})
	if kind := problemOf(err); !errors.Is(err, errCrowded) || kind.status != http.StatusServiceUnavailable || kind.retry == 0 {
		t.Errorf("%v: %+v", err, kind)
	}
}
