package invoicepages

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/pdf"
	"onlyonce/internal/must"
	"onlyonce/internal/web"
	"onlyonce/internal/web/webtest"

	"golang.org/x/sync/semaphore"
)

// TestDecodersAreBoundedInMemory checks that decoding 1 MiB takes only a small multiple in memory. It is not parallel, so it runs alone.
func TestDecodersAreBoundedInMemory(t *testing.T) {
	for name, body := range webtest.HostileBodies() {
		contentType, decode := "application/json", func(r *http.Request) error {
			var in invoice.Input
			if err := web.DecodeJSON(r, &in); err != nil {
				return err
			}
			_, err := in.Draft()
			return err
		}
		if strings.HasPrefix(name, "form") {
			contentType, decode = "application/x-www-form-urlencoded", func(r *http.Request) error {
				if err := web.ParseForm(r); err != nil {
					return err
				}
				_, err := draftOfForm(r)
				return err
			}
		}
		allocated, err := webtest.AllocatedBy(func() error { return decode(webtest.Posted(contentType, body)) })
		assert.Thatf(t, allocated <= 16<<20, "%s: %d KiB, %.80v", name, allocated>>10, err)
	}
}

// TestFewDocumentsAtOnce checks that a request that waits too long for a rendering is asked to retry.
func TestFewDocumentsAtOnce(t *testing.T) {
	t.Parallel()
	p := &Pages{rendered: semaphore.NewWeighted(1)}
	must.Thatf(t, p.rendered.TryAcquire(1), "no place")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := p.PDF(ctx, "", pdf.Document{})
	assert.Equal(t, web.ProblemName(err), "busy", err)
}
