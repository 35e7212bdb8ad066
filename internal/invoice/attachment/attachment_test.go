package attachment_test

import (
	"io"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/file"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice/attachment"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/must"
)

// TestRemovedWhileItIsDownloaded: a download that has begun is completed.
func TestRemovedWhileItIsDownloaded(t *testing.T) {
	b := invoicetest.Setup(t)
	text := strings.Repeat("0123456789", 100_000) // in several parts of the database
	d, err := attachment.Input{File: file.Input{Name: "a.txt", Content: []byte(text)}}.Draft(b.Issued("i").ID)
	must.OK(t, err)
	made, err := attachment.Create.Do(t.Context(), b.Store, b.Intent("attach"), d)
	must.OK(t, err)
	content := file.Open(t.Context(), b.Store.Pool, b.Tenant, made.Value.File)
	begin := make([]byte, 10)
	_, err = io.ReadFull(content, begin)
	must.OK(t, err)
	remove := b.Intent("remove")
	remove.Record = made.Value.ID
	removed, err := attachment.Remove.Do(t.Context(), b.Store, remove, struct{}{})
	must.OK(t, err)
	assert.Thatf(t, removed.Outcome == idempotency.Changed && !removed.Value.RemovedAt.IsZero(), "%+v", removed)
	rest, err := io.ReadAll(content)
	must.OK(t, err)
	assert.Thatf(t, string(begin)+string(rest) == text, "%d bytes of %d", len(begin)+len(rest), len(text))
}
