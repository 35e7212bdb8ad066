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
	d := &documents{rendered: semaphore.NewWeighted(1)}
	if !d.rendered.TryAcquire(1) {
		t.Fatal("no place")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := d.ofInvoice(httptest.NewRequestWithContext(ctx, http.MethodGet, "/", http.NoBody), invoice.Invoice{})
	if kind := problemOf(err); !errors.Is(err, errCrowded) || kind.status != http.StatusServiceUnavailable || kind.retry == 0 {
		t.Errorf("%v: %+v", err, kind)
	}
}
