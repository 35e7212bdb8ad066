package invoicepages

import (
	"context"
	"testing"

	"golang.org/x/sync/semaphore"

	"onlyonce/internal/invoice/pdf"
	"onlyonce/internal/must"
	"onlyonce/internal/web"
)

// TestFewDocumentsAtOnce checks that a request that waits too long for a rendering is asked to retry.
func TestFewDocumentsAtOnce(t *testing.T) {
	t.Parallel()
	d := &documents{rendered: semaphore.NewWeighted(1)}
	if !d.rendered.TryAcquire(1) {
		t.Fatal("no place")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := d.file(ctx, "", pdf.Document{})
	must.Equal(t, web.ProblemName(err), "busy", err)
}
