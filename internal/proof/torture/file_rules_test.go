package torture

import (
	"testing"

	"onlyonce/internal/file"
	"onlyonce/internal/invoice/attachment"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/logo"
	"onlyonce/internal/must"
)

// TestRulesOfFiles checks that each rule about attachments and logos finds its violation.
func TestRulesOfFiles(t *testing.T) {
	t.Parallel()
	eachBreaks(t, fileRecords, []sabotage{
		{"a file is attached once", `
			DROP INDEX attachments_once;
			UPDATE attachments SET file_digest = (SELECT file_digest FROM attachments LIMIT 1)`},
		{"every attachment has its content", `
			ALTER TABLE file_contents DROP CONSTRAINT file_contents_digest;
			UPDATE file_contents SET content = 'other' WHERE content = 'c'`},
		{"one intent for each creation", `UPDATE intents SET outcome = 'reused' WHERE operation = 'attachment.create' AND key = 'a'`},
		{"a file is removed once", `DELETE FROM intent_effects WHERE effect = 'attachment removed'`},
		{"a file is removed once", `UPDATE attachments SET removed_at = now() WHERE removed_at IS NULL`},
		{"each change begins where another one ended", `UPDATE attachments SET removed_at = removed_at + interval '1 second'`},
		{"a version for each change", `UPDATE attachments SET version = 1`},
		{"a business has one logo", `
			ALTER TABLE logos DROP CONSTRAINT logos_one;
			UPDATE logos SET removed_at = NULL, version = 1;
			DELETE FROM intent_effects WHERE operation = 'logo.create';
			UPDATE intents SET outcome = 'unchanged', changes = NULL WHERE operation = 'logo.remove'`},
		{"a logo is removed or replaced once", `UPDATE logos SET removed_at = now() WHERE removed_at IS NULL`},
		{"a version for each change", `DELETE FROM intent_effects WHERE effect = 'replaced'`},
		{"every logo has its content", `
			DELETE FROM file_contents WHERE digest = (SELECT file_digest FROM logos WHERE file_name = 'last.png')`},
		{"every logo has its content", `UPDATE invoices SET seller = jsonb_set(seller::jsonb, '{logo, sha256}', '"00"')`},
		{"one intent for each creation", `UPDATE intents SET outcome = 'reused' WHERE key = 'last'`},
		{"no intent without its record", strangerOf("last")},
	})
}

// fileRecords creates an invoice with a logo and three attachments, and removes one of these. The logo is replaced, and the second is
// removed before there is a third.
func fileRecords(b *invoicetest.Bundle) {
	b.Helper()
	upload := func(key string) logo.Logo {
		draft, err := logo.Input{File: file.Input{Name: key + ".png", Content: picture(key)}}.Draft()
		must.OK(b, err)
		done, err := logo.Create.Do(b.Context(), b.Store, b.Intent(key), draft)
		must.OK(b, err)
		return done.Value
	}
	upload("first")
	inv := b.Issued("i")
	b.OK(logo.Remove.Do(b.Context(), b.Store, b.Of("remove", upload("second").ID, 0), struct{}{}))
	upload("last")
	for _, content := range []string{"a", "b", "c"} {
		draft, err := attachment.Input{File: file.Input{Name: "a.txt", Content: []byte(content)}}.Draft(inv.ID)
		must.OK(b, err)
		done, err := attachment.Create.Do(b.Context(), b.Store, b.Intent(content), draft)
		must.OK(b, err)
		if content == "c" {
			b.OK(attachment.Remove.Do(b.Context(), b.Store, b.Of("c", done.Value.ID, 0), struct{}{}))
		}
	}
}
